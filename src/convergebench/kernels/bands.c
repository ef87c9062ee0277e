/* The energy of a plane in three bands of frequency, by block. Plain C, called through ctypes.
 *
 * What metrics/drift/detail.py does with OpenCV and NumPy, in one pass: rows are blurred by two Gaussians, and
 * what is finer than both, between them and coarser is summed over each block of 8 × 8 pixels. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

enum { BLOCK = 8, PAIRS = 4 }; /* taps on either side that one loop takes; every reach is a multiple of it */
enum { LOW, MIDDLE, HIGH, BANDS };

/* Weights from the centre outwards, the same on both sides. */
typedef struct {
    const float *weights;
    int64_t reach;
} Gaussian;

/* A place outside the plane is that on the other side of its outermost pixel. */
static int64_t reflected(int64_t at, int64_t length) {
    while (at < 0 || at >= length)
        at = at < 0 ? -at : 2 * (length - 1) - at;
    return at;
}

/* `taps`: the centre, then pairs of rows or places at growing distance, PAIRS of them. */
FOR_EACH_PROCESSOR
static void add_pairs(float *restrict out, const float *restrict centre, const float *const *taps,
                      const float *weights, int64_t length) {
    const float *restrict a = taps[0], *restrict b = taps[1], *restrict c = taps[2], *restrict d = taps[3];
    const float *restrict e = taps[4], *restrict f = taps[5], *restrict g = taps[6], *restrict h = taps[7];
    for (int64_t i = 0; i < length; i++) {
        float sum = centre ? weights[0] * centre[i] : out[i];
        out[i] = sum + (weights[1] * (a[i] + b[i]) + weights[2] * (c[i] + d[i]) + weights[3] * (e[i] + f[i]) +
                        weights[4] * (g[i] + h[i]));
    }
}

static void blur_down(float *out, const float *plane, int64_t y, int64_t height, int64_t width, Gaussian by) {
    for (int64_t from = 0; from < by.reach; from += PAIRS) {
        const float *taps[2 * PAIRS];
        for (int64_t k = 0; k < PAIRS; k++) {
            taps[2 * k] = plane + reflected(y - from - k - 1, height) * width;
            taps[2 * k + 1] = plane + reflected(y + from + k + 1, height) * width;
        }
        add_pairs(out, from ? NULL : plane + y * width, taps, by.weights + from, width);
    }
}

/* `row` has room for the reach on either side. */
static void blur_along(float *out, float *row, int64_t width, Gaussian by) {
    for (int64_t k = 1; k <= by.reach; k++) {
        row[-k] = row[reflected(-k, width)];
        row[width - 1 + k] = row[reflected(width - 1 + k, width)];
    }
    for (int64_t from = 0; from < by.reach; from += PAIRS) {
        const float *taps[2 * PAIRS];
        for (int64_t k = 0; k < PAIRS; k++) {
            taps[2 * k] = row - from - k - 1;
            taps[2 * k + 1] = row + from + k + 1;
        }
        add_pairs(out, from ? NULL : row, taps, by.weights + from, width);
    }
}

/* Adds a row's values and squares to the sums of its blocks, one row of `columns` sums for each band. */
FOR_EACH_PROCESSOR
static void add_row(const float *restrict plane, const float *restrict fine, const float *restrict coarse,
                    int64_t columns, float *restrict sums) {
    for (int64_t block = 0; block < columns; block++) {
        float low = 0, middle = 0, high = 0;
        for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
            float between = fine[i] - coarse[i], finer = plane[i] - fine[i];
            low += coarse[i];
            middle += between * between;
            high += finer * finer;
        }
        sums[LOW * columns + block] += low;
        sums[MIDDLE * columns + block] += middle;
        sums[HIGH * columns + block] += high;
    }
}

/* Means over each block: of the coarse band, and of the squares of the others; BANDS × blocks. −1 without
 * memory. */
int block_bands(const float *plane, int64_t height, int64_t width, const float *fine_weights,
                int64_t fine_reach, const float *coarse_weights, int64_t coarse_reach, double *means) {
    Gaussian fine_by = {fine_weights, fine_reach}, coarse_by = {coarse_weights, coarse_reach};
    int64_t rows = height / BLOCK, columns = width / BLOCK, blocks = rows * columns;
    float *room = malloc((3 * width + 2 * coarse_reach + BANDS * columns) * sizeof(float));
    if (!room)
        return -1;
    float *down = room + coarse_reach, *fine = down + width + coarse_reach, *coarse = fine + width;
    float *sums = coarse + width;
    for (int64_t row = 0; row < rows; row++) {
        memset(sums, 0, BANDS * columns * sizeof(float));
        for (int64_t y = row * BLOCK; y < (row + 1) * BLOCK; y++) {
            blur_down(down, plane, y, height, width, fine_by);
            blur_along(fine, down, width, fine_by);
            blur_down(down, plane, y, height, width, coarse_by);
            blur_along(coarse, down, width, coarse_by);
            add_row(plane + y * width, fine, coarse, columns, sums);
        }
        for (int band = 0; band < BANDS; band++)
            for (int64_t column = 0; column < columns; column++)
                means[band * blocks + row * columns + column] =
                    sums[band * columns + column] / (float)(BLOCK * BLOCK);
    }
    free(room);
    return 0;
}
