/* Pictures at other sizes, to the bit as OpenCV and Pillow make them. Plain C, called through ctypes. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

FOR_EACH_PROCESSOR
static void add_levels(uint16_t *restrict sums, const uint8_t *restrict row, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        sums[i] += row[i];
}

/* To the nearest, halves to the even, as OpenCV rounds: adding 1.5 · 2²³ leaves no room for a fraction. */
INLINE uint8_t rounded(float x) {
    return (uint8_t)((x + 12582912.0f) - 12582912.0f);
}

INLINE void average_row(const uint16_t *sums, int64_t columns, int64_t channels, int64_t factor, float scale,
                        uint8_t *out) {
    for (int64_t column = 0; column < columns; column++, sums += factor * channels)
        for (int64_t channel = 0; channel < channels; channel++) {
            int32_t sum = 0;
            for (int64_t x = 0; x < factor; x++)
                sum += sums[x * channels + channel];
            *out++ = rounded((float)sum * scale);
        }
}

/* The mean of each factor × factor pixels; both sides are multiples of the factor, which is at most 256. −1
 * without memory. */
int average_blocks(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, int64_t factor,
                   uint8_t *out) {
    int64_t length = width * channels, columns = width / factor;
    uint16_t *sums = malloc(length * sizeof(uint16_t));
    float scale = 1.0f / (float)(factor * factor);
    if (!sums)
        return -1;
    for (int64_t top = 0; top < height; top += factor, out += columns * channels) {
        memset(sums, 0, length * sizeof(uint16_t));
        for (int64_t y = top; y < top + factor; y++)
            add_levels(sums, pixels + y * length, length);
        if (channels == CHANNELS && factor == 4) /* the most frequent, in half the time */
            average_row(sums, columns, CHANNELS, 4, scale, out);
        else if (channels == CHANNELS)
            average_row(sums, columns, CHANNELS, factor, scale, out);
        else
            average_row(sums, columns, channels, factor, scale, out);
    }
    free(sums);
    return 0;
}

/* Pillow's resampling by weights that are whole numbers, none negative, which add up to 2²²: along each row,
 * rounded to levels, and then down. */

enum { WEIGHT_BITS = 22, HALF = 1 << (WEIGHT_BITS - 1) };

/* For every place of the new side, the first of its taps and their weights. */
typedef struct {
    const int32_t *firsts, *weights;
    int64_t places, taps;
} Resampling;

/* Three channels and the byte behind them: compilers do not vectorise loops over three. */
typedef int32_t Four __attribute__((vector_size(16)));

/* `row` has room for one byte behind it. */
FOR_EACH_PROCESSOR
static void resample_along(const uint8_t *row, Resampling by, uint8_t *out) {
    for (int64_t place = 0; place < by.places; place++) {
        const uint8_t *pixel = row + by.firsts[place] * CHANNELS;
        const int32_t *weights = by.weights + place * by.taps;
        Four sums = {HALF, HALF, HALF, HALF};
        for (int64_t tap = 0; tap < by.taps; tap++, pixel += CHANNELS) {
            int32_t bytes;
            memcpy(&bytes, pixel, sizeof bytes);
            sums += weights[tap] * ((Four){bytes, bytes, bytes, bytes} >> (Four){0, 8, 16, 24} & 255);
        }
        sums >>= WEIGHT_BITS;
        for (int channel = 0; channel < CHANNELS; channel++)
            *out++ = (uint8_t)sums[channel];
    }
}

FOR_EACH_PROCESSOR
static void add_weighted(int32_t *restrict sums, const uint8_t *restrict row, int32_t weight, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        sums[i] += weight * row[i];
}

static void resample_down(const uint8_t *rows, int64_t length, Resampling by, int32_t *sums, uint8_t *out) {
    for (int64_t place = 0; place < by.places; place++) {
        for (int64_t i = 0; i < length; i++)
            sums[i] = HALF;
        for (int64_t tap = 0; tap < by.taps; tap++)
            add_weighted(sums, rows + (by.firsts[place] + tap) * length, by.weights[place * by.taps + tap],
                         length);
        for (int64_t i = 0; i < length; i++)
            *out++ = (uint8_t)(sums[i] >> WEIGHT_BITS);
    }
}

/* A square picture with other sides. −1 without memory. */
int resample_square(const uint8_t *pixels, int64_t side, const int32_t *firsts, const int32_t *weights,
                    int64_t places, int64_t taps, uint8_t *out) {
    Resampling by = {firsts, weights, places, taps};
    int64_t length = places * CHANNELS, given = side * CHANNELS;
    uint8_t *rows = malloc(side * length), *last = malloc(given + 1);
    int32_t *sums = malloc(length * sizeof(int32_t));
    int is_there = rows && last && sums;
    if (is_there) {
        memcpy(last, pixels + (side - 1) * given, given);
        last[given] = 0;
        for (int64_t y = 0; y < side; y++)
            resample_along(y + 1 < side ? pixels + y * given : last, by, rows + y * length);
        resample_down(rows, length, by, sums, out);
    }
    free(rows);
    free(last);
    free(sums);
    return is_there ? 0 : -1;
}
