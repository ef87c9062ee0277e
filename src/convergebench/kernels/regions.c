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

/* Of each part the counts by bin, the pixels above `visible`, and the sums of the ramps. Of four neighbours each
 * belongs to a copy of its own. */
typedef struct {
    int64_t counts[COPIES][(PARTS + 1) * BINS], seen[PARTS]; /* the last bins are of neither part */
    double ramps[PARTS][COPIES];
} Parts;

/* Adds the pixels of each part: what does not belong to it counts 0, which changes no sum. */
FOR_EACH_PROCESSOR
static void add_ramps(const float *restrict ramps, const uint8_t *restrict exceeds_it,
                      const uint8_t *restrict parts, int64_t count, Parts *restrict to) {
    double outside[COPIES], inside[COPIES];
    int32_t seen_outside = 0, seen_inside = 0;
    memcpy(outside, to->ramps[0], sizeof outside);
    memcpy(inside, to->ramps[1], sizeof inside);
    for (int64_t i = 0; i < count; i++) {
        seen_outside += exceeds_it[i] & (parts[i] == 0);
        seen_inside += exceeds_it[i] & (parts[i] == 1);
    }
    for (int64_t i = 0; i < count; i += COPIES)
        for (int copy = 0; copy < COPIES; copy++) {
            outside[copy] += chosen(parts[i + copy] == 0, ramps[i + copy], 0);
            inside[copy] += chosen(parts[i + copy] == 1, ramps[i + copy], 0);
        }
    memcpy(to->ramps[0], outside, sizeof outside);
    memcpy(to->ramps[1], inside, sizeof inside);
    to->seen[0] += seen_outside;
    to->seen[1] += seen_inside;
}

/* In which part each pixel is: 0, 1, or 2 for neither; and its bin among those of all parts. */
FOR_EACH_PROCESSOR
static void find_parts(const uint8_t *restrict mask, const uint8_t *restrict covered, int64_t count,
                       uint8_t *restrict parts, uint8_t *restrict bins) {
    for (int64_t i = 0; i < count; i++)
        parts[i] = mask[i] != 0;
    if (covered)
        for (int64_t i = 0; i < count; i++)
            parts[i] = covered[i] ? parts[i] : PARTS;
    for (int64_t i = 0; i < count; i++)
        bins[i] = (uint8_t)(bins[i] + parts[i] * BINS);
}

/* For the part where the mask is 0 and where it is not: the histogram in BINS equal bins from 0 to 1, and three
 * sums: of pixels, of those above `visible`, and of the ramps. Where `covered` is 0, if there is one, a pixel
 * belongs to neither part. Values are from 0 to 1. */
void map_part_sums(const float *map, const uint8_t *mask, const uint8_t *covered, int64_t count, float visible,
                   float start, float span, int64_t *histograms, double *sums) {
    uint8_t bins[BLOCK], exceeds_it[BLOCK], parts[BLOCK];
    float ramps[BLOCK];
    /* Neighbours are often in one bin: in copies of their own, one count need not wait for the other. */
    Parts found = {0};
    for (int64_t first = 0; first < count; first += BLOCK) {
        int64_t here = count - first < BLOCK ? count - first : BLOCK;
        int64_t whole = (here + COPIES - 1) / COPIES * COPIES;
        evaluate(map + first, here, visible, start, span, bins, exceeds_it, ramps);
        find_parts(mask + first, covered ? covered + first : NULL, here, parts, bins);
        memset(parts + here, PARTS, whole - here);
        memset(bins + here, PARTS * BINS, whole - here);
        add_ramps(ramps, exceeds_it, parts, whole, &found);
        for (int64_t i = 0; i < whole; i += COPIES)
            for (int copy = 0; copy < COPIES; copy++)
                found.counts[copy][bins[i + copy]]++;
    }
    memset(histograms, 0, PARTS * BINS * sizeof(int64_t));
    memset(sums, 0, PARTS * 3 * sizeof(double));
    for (int part = 0; part < PARTS; part++) {
        sums[part * 3 + 1] = (double)found.seen[part];
        for (int copy = 0; copy < COPIES; copy++) {
            for (int bin = 0; bin < BINS; bin++) {
                histograms[part * BINS + bin] += found.counts[copy][part * BINS + bin];
                sums[part * 3] += (double)found.counts[copy][part * BINS + bin];
            }
            sums[part * 3 + 2] += found.ramps[part][copy];
        }
    }
}
