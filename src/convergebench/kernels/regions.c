/* Sums over the parts of a map. Plain C, called through ctypes.
 *
 * What metrics/regions needs of the part inside a mask and of the rest, in one pass instead of ten. */

#include <stdint.h>

#include "floats.h"

enum { PARTS = 2, BINS = 64, BLOCK = 1024, COPIES = 8, SUMS = 16, COUNTS = 64 };

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

/* Of each part the counts by bin, the pixels above `visible`, and the sums of the ramps. Neighbours belong to
 * different copies of counts and to different sums. */
typedef struct {
    int64_t counts[COPIES][(PARTS + 1) * BINS], seen[PARTS]; /* the last bins are of neither part */
    double ramps[PARTS][SUMS];
} Parts;

/* The ramps of one part: what does not belong to it counts 0, which changes no sum. */
FOR_EACH_PROCESSOR
static void select_part(const float *restrict ramps, const uint8_t *restrict parts, int32_t part, int64_t count,
                        float *restrict out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = chosen((int32_t)parts[i] == part, ramps[i], 0);
}

FOR_EACH_PROCESSOR
static void add_values(const float *restrict values, int64_t count, double *restrict to) {
    double sums[SUMS];
    memcpy(sums, to, sizeof sums);
    for (int64_t i = 0; i < count; i += SUMS)
        for (int sum = 0; sum < SUMS; sum++)
            sums[sum] += (double)values[i + sum];
    memcpy(to, sums, sizeof sums);
}

/* In bytes, which are enough for the pixels of one block that belong to the same of 64 counts. */
FOR_EACH_PROCESSOR
static int64_t count_seen(const uint8_t *restrict exceeds_it, const uint8_t *restrict parts, uint8_t part,
                          int64_t count) {
    uint8_t counts[COUNTS] = {0};
    int64_t seen = 0, i = 0;
    for (; i + COUNTS <= count; i += COUNTS)
        for (int n = 0; n < COUNTS; n++)
            counts[n] = (uint8_t)(counts[n] + (exceeds_it[i + n] & (parts[i + n] == part)));
    for (; i < count; i++)
        seen += exceeds_it[i] & (parts[i] == part);
    for (int n = 0; n < COUNTS; n++)
        seen += counts[n];
    return seen;
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
    float ramps[BLOCK], selected[BLOCK];
    /* Neighbours are often in one bin: in copies of their own, one count need not wait for the other. */
    Parts found = {0};
    for (int64_t first = 0; first < count; first += BLOCK) {
        int64_t here = count - first < BLOCK ? count - first : BLOCK;
        int64_t whole = (here + SUMS - 1) / SUMS * SUMS;
        evaluate(map + first, here, visible, start, span, bins, exceeds_it, ramps);
        find_parts(mask + first, covered ? covered + first : NULL, here, parts, bins);
        memset(parts + here, PARTS, whole - here);
        memset(bins + here, PARTS * BINS, whole - here);
        for (int part = 0; part < PARTS; part++) {
            if (!memchr(parts, part, whole)) /* most blocks have pixels of one part alone */
                continue;
            select_part(ramps, parts, part, whole, selected);
            add_values(selected, whole, found.ramps[part]);
            found.seen[part] += count_seen(exceeds_it, parts, (uint8_t)part, whole);
        }
        for (int64_t i = 0; i < whole; i += COPIES)
            for (int copy = 0; copy < COPIES; copy++)
                found.counts[copy][bins[i + copy]]++;
    }
    memset(histograms, 0, PARTS * BINS * sizeof(int64_t));
    memset(sums, 0, PARTS * 3 * sizeof(double));
    for (int part = 0; part < PARTS; part++) {
        sums[part * 3 + 1] = (double)found.seen[part];
        for (int copy = 0; copy < COPIES; copy++)
            for (int bin = 0; bin < BINS; bin++) {
                histograms[part * BINS + bin] += found.counts[copy][part * BINS + bin];
                sums[part * 3] += (double)found.counts[copy][part * BINS + bin];
            }
        for (int sum = 0; sum < SUMS; sum++)
            sums[part * 3 + 2] += found.ramps[part][sum];
    }
}
