/* Noise and block borders of a picture. Plain C, called through ctypes. All sums are whole numbers. */

#include <stdint.h>
#include <string.h>

#include "floats.h"

enum { BLOCK = 8 };

/* Of each block of 8 × 8 pixels, the sum of the squared diagonal differences of 2 × 2 pixels. `length` are the
 * bytes of a row, `channels` those of a pixel. */
FOR_EACH_PROCESSOR
static void block_row(const uint8_t *pixels, int64_t length, int64_t channels, int64_t columns,
                      int32_t *restrict sums) {
    memset(sums, 0, columns * sizeof(int32_t));
    for (int64_t row = 0; row < BLOCK; row += 2) {
        const uint8_t *upper = pixels + row * length, *lower = upper + length;
        for (int64_t block = 0; block < columns; block++) {
            int64_t start = block * BLOCK * channels;
            int32_t sum = 0;
            for (int64_t x = 0; x < BLOCK; x += 2)
                for (int64_t channel = 0; channel < channels; channel++) {
                    int64_t i = start + x * channels + channel, j = i + channels;
                    int32_t diagonal = upper[i] - lower[i] - upper[j] + lower[j];
                    sum += diagonal * diagonal;
                }
            sums[block] += sum;
        }
    }
}

void block_noise(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, int32_t *sums) {
    int64_t rows = height / BLOCK, columns = width / BLOCK, length = width * channels;
    for (int64_t row = 0; row < rows; row++) {
        const uint8_t *from = pixels + row * BLOCK * length;
        if (channels == CHANNELS)
            block_row(from, length, CHANNELS, columns, sums + row * columns);
        else
            block_row(from, length, channels, columns, sums + row * columns);
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
