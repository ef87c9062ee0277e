/* Noise and block borders of a picture. Plain C, called through ctypes. All sums are whole numbers. */

#include <stdint.h>
#include <string.h>

#include "floats.h"

enum { BLOCK = 8, AT_ONCE = 64, MOST_CHANNELS = 3 };

/* Adds at every value of two rows the squared diagonal difference to the pixel behind it. */
FOR_EACH_PROCESSOR
static void add_diagonals(const uint8_t *restrict upper, const uint8_t *restrict lower, int64_t channels,
                          int64_t count, int32_t *restrict sums) {
    for (int64_t i = 0; i < count; i++) {
        int16_t apart = (int16_t)(upper[i] - lower[i]);
        int16_t behind = (int16_t)(upper[i + channels] - lower[i + channels]);
        int32_t diagonal = (int16_t)(apart - behind);
        sums[i] += diagonal * diagonal;
    }
}

/* Of each block in a row of them, the sum of the squared diagonal differences of 2 × 2 pixels: those of every
 * second pixel and row. `length` are the bytes of a row, `channels` those of a pixel, at most MOST_CHANNELS. */
static void block_row(const uint8_t *pixels, int64_t length, int64_t channels, int64_t blocks, int32_t *out) {
    int32_t sums[AT_ONCE * BLOCK * MOST_CHANNELS] = {0};
    int64_t side = BLOCK * channels;
    for (int64_t row = 0; row < BLOCK; row += 2) {
        const uint8_t *upper = pixels + row * length;
        add_diagonals(upper, upper + length, channels, blocks * side - channels, sums);
    }
    for (int64_t block = 0; block < blocks; block++) {
        int32_t sum = 0;
        for (int64_t x = 0; x < BLOCK; x += 2)
            for (int64_t channel = 0; channel < channels; channel++)
                sum += sums[block * side + x * channels + channel];
        out[block] = sum;
    }
}

void block_noise(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, int32_t *sums) {
    int64_t columns = width / BLOCK, length = width * channels;
    for (int64_t row = 0; row < height / BLOCK; row++)
        for (int64_t column = 0; column < columns; column += AT_ONCE) {
            int64_t here = columns - column < AT_ONCE ? columns - column : AT_ONCE;
            block_row(pixels + row * BLOCK * length + column * BLOCK * channels, length, channels, here,
                      sums + row * columns + column);
        }
}

INLINE int32_t step(int32_t one, int32_t other, int32_t largest) {
    int32_t apart = one > other ? one - other : other - one;
    return apart < largest ? apart : largest;
}

FOR_EACH_PROCESSOR
static int64_t add_steps(const uint8_t *restrict row, const uint8_t *restrict next, int64_t width,
                         int32_t largest, int32_t *restrict along) {
    int32_t down = 0;
    for (int64_t x = 0; x + 1 < width; x++)
        along[x] += step(row[x], row[x + 1], largest);
    if (next)
        for (int64_t x = 0; x < width; x++)
            down += step(row[x], next[x], largest);
    return down;
}

/* Of a plane, the sums of the steps between neighbours, each at most `largest`: `along` from each column to
 * the next, `down` from each row to the next. */
void plane_steps(const uint8_t *plane, int64_t height, int64_t width, int32_t largest, int32_t *along,
                 int64_t *down) {
    memset(along, 0, (width - 1) * sizeof(int32_t));
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *row = plane + y * width;
        int64_t sum = add_steps(row, y + 1 < height ? row + width : NULL, width, largest, along);
        if (y + 1 < height)
            down[y] = sum;
    }
}
