/* Sums over the parts of a map. Plain C, called through ctypes.
 *
 * What metrics/regions needs of the part inside a mask and of the rest, in one pass instead of ten. */

#include <stdint.h>

#include "floats.h"

enum { PARTS = 2, BINS = 64, BLOCK = 1024, COPIES = 4 };

/* Of every value its bin, whether it exceeds `visible`, and 0 to 1 from `start` over `span`. */
FOR_EACH_PROCESSOR
static void evaluate(const float *restrict map, int64_t count, float visible, float start, float span,
                     uint8_t *restrict bins, uint8_t *restrict exceeds_it, float *restrict ramps) {
    for (int64_t i = 0; i < count; i++) {
        float value = map[i], ramp = (value - start) / span;
        int32_t bin = (int32_t)(value * BINS);
        bins[i] = (uint8_t)(bin < BINS - 1 ? bin : BINS - 1);
        exceeds_it[i] = value > visible;
        ramp = ramp < 0 ? 0 : ramp;
        ramps[i] = ramp > 1 ? 1 : ramp;
    }
}

/* For the part where the mask is 0 and where it is not: the histogram in BINS equal bins from 0 to 1, and three
 * sums: of pixels, of those above `visible`, and of the ramps. Where `covered` is 0, if there is one, a pixel
 * belongs to neither part. Values are from 0 to 1. */
void map_part_sums(const float *map, const uint8_t *mask, const uint8_t *covered, int64_t count, float visible,
                   float start, float span, int64_t *histograms, double *sums) {
    uint8_t bins[BLOCK], exceeds_it[BLOCK];
    float ramps[BLOCK];
    /* Neighbours are often in one bin: in copies of their own, one count need not wait for the other. */
    int64_t counts[COPIES][PARTS][BINS] = {{{0}}}, seen[COPIES][PARTS] = {{0}};
    double total[COPIES][PARTS] = {{0}};
    for (int64_t first = 0; first < count; first += BLOCK) {
        int64_t here = count - first < BLOCK ? count - first : BLOCK;
        evaluate(map + first, here, visible, start, span, bins, exceeds_it, ramps);
        for (int64_t i = 0; i < here; i++) {
            if (covered && !covered[first + i])
                continue;
            int part = mask[first + i] != 0, copy = i % COPIES;
            counts[copy][part][bins[i]]++;
            seen[copy][part] += exceeds_it[i];
            total[copy][part] += ramps[i];
        }
    }
    memset(histograms, 0, PARTS * BINS * sizeof(int64_t));
    memset(sums, 0, PARTS * 3 * sizeof(double));
    for (int copy = 0; copy < COPIES; copy++)
        for (int part = 0; part < PARTS; part++) {
            for (int bin = 0; bin < BINS; bin++) {
                histograms[part * BINS + bin] += counts[copy][part][bin];
                sums[part * 3] += (double)counts[copy][part][bin];
            }
            sums[part * 3 + 1] += (double)seen[copy][part];
            sums[part * 3 + 2] += total[copy][part];
        }
}
