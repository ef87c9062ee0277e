/* The median of many floats. */

#ifndef CONVERGEBENCH_MEDIAN_H
#define CONVERGEBENCH_MEDIAN_H

#include <stdint.h>

#include "floats.h"

/* The k-th smallest; the values are reordered. */
static float nth(float *values, int64_t count, int64_t k) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                float swapped = values[i];
                values[i++] = values[j];
                values[j--] = swapped;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return values[k];
}

/* Floats that are not negative have the order of their bits, of which the upper ones are their bin. */
enum { BIN_BITS = 19, BINS = 1 << (31 - BIN_BITS) };

/* The k-th smallest of values that are not negative: only those of its bin are ordered, in `room`. */
static float ranked(const float *values, int64_t count, const int32_t *bins, int64_t k, float *room) {
    int32_t bin = 0;
    int64_t below = 0, alike = 0;
    for (; below + bins[bin] <= k; bin++)
        below += bins[bin];
    for (int64_t i = 0; i < count; i++) {
        room[alike] = values[i];
        alike += bits_of(values[i]) >> BIN_BITS == bin;
    }
    return nth(room, alike, k - below);
}

/* Of values that are not negative; `room` is for as many. */
static float median(const float *values, int64_t count, float *room) {
    int32_t bins[BINS] = {0};
    for (int64_t i = 0; i < count; i++)
        bins[bits_of(values[i]) >> BIN_BITS]++;
    float upper = ranked(values, count, bins, count / 2, room);
    return count % 2 ? upper : (upper + ranked(values, count, bins, count / 2 - 1, room)) / 2;
}

#endif
