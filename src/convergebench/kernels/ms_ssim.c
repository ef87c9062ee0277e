/* One scale of MS-SSIM. Plain C, called through ctypes.
 *
 * What metrics/ms_ssim.py does with OpenCV and NumPy, in one pass over the picture: the blurred result, its
 * square and its product with the source are kept for eleven rows only. Planes have interleaved channels. */

#include <stdint.h>
#include <stdlib.h>

#include "floats.h"

enum { WINDOW = 11, REACH = WINDOW / 2, KINDS = 3, LANES = 3 * 16 };

/* Along a row, of the result, its square, and its product with the source. Each is `count` values that start
 * REACH pixels after the row's first. */
FOR_EACH_PROCESSOR
static void blur_row(const float *restrict source, const float *restrict result, const float *restrict weights,
                     int64_t count, float *restrict values, float *restrict squares, float *restrict products) {
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i + REACH * CHANNELS;
        float middle = result[at], value = weights[0] * middle;
        float square = weights[0] * (middle * middle), product = weights[0] * (source[at] * middle);
        for (int64_t reach = 1; reach <= REACH; reach++) {
            int64_t before = at - reach * CHANNELS, after = at + reach * CHANNELS;
            float left = result[before], right = result[after];
            value += weights[reach] * (left + right);
            square += weights[reach] * (left * left + right * right);
            product += weights[reach] * (source[before] * left + source[after] * right);
        }
        values[i] = value;
        squares[i] = square;
        products[i] = product;
    }
}

/* Down the eleven rows that are kept. */
FOR_EACH_PROCESSOR
static void blur_down(const float *const *rows, const float *restrict weights, int64_t count,
                      float *restrict out) {
    const float *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2], *restrict d = rows[3],
                *restrict e = rows[4], *restrict f = rows[5], *restrict g = rows[6], *restrict h = rows[7],
                *restrict k = rows[8], *restrict l = rows[9], *restrict m = rows[10];
    for (int64_t i = 0; i < count; i++)
        out[i] = weights[0] * f[i] + weights[1] * (e[i] + g[i]) + weights[2] * (d[i] + h[i]) +
                 weights[3] * (c[i] + k[i]) + weights[4] * (b[i] + l[i]) + weights[5] * (a[i] + m[i]);
}

/* Sums per channel of (2·covariance + c2) / (both variances + c2), if wanted times the term of luminance, for
 * which the middle is added that was subtracted from all values. */
FOR_EACH_PROCESSOR
static void sum_ratios(const float *restrict means, const float *restrict variances,
                       const float *restrict values, const float *restrict squares,
                       const float *restrict products, int64_t count, float c1, float c2, float middle,
                       int with_light, double *sums) {
    float lanes[LANES] = {0};
    for (int64_t start = 0; start < count; start += LANES) {
        int64_t here = count - start < LANES ? count - start : LANES;
        for (int64_t lane = 0; lane < here; lane++) {
            int64_t i = start + lane;
            float mean = values[i], covariance = products[i] - means[i] * mean;
            float variance = squares[i] - mean * mean + variances[i];
            float ratio = (2 * covariance + c2) / (variance + c2);
            float x = means[i] + middle, y = mean + middle;
            float light = (2 * x * y + c1) / (x * x + y * y + c1);
            lanes[lane] += with_light ? ratio * light : ratio;
        }
    }
    for (int lane = 0; lane < LANES; lane++)
        sums[lane % CHANNELS] += lanes[lane];
}

FOR_EACH_PROCESSOR
static void subtract_middle(const uint8_t *restrict levels, float middle, int64_t count, float *restrict out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (float)levels[i] - middle;
}

/* The sums over all windows that lie inside, per channel; planes, means and variances of the source, and the
 * result, are height × width × 3. The result is given as levels, or if these are NULL, as planes. −1 without
 * memory. */
int ms_ssim_sums(const float *planes, const float *means, const float *variances, const float *result,
                 const uint8_t *levels, int64_t height, int64_t width, const float *weights, float c1, float c2,
                 float middle, int64_t with_light, double *sums) {
    int64_t row = width * CHANNELS, count = (width - 2 * REACH) * CHANNELS;
    float *room = malloc(((WINDOW + 1) * KINDS * count + row) * sizeof(float));
    if (!room)
        return -1;
    float *blurred = room + WINDOW * KINDS * count, *converted = blurred + KINDS * count;
    sums[0] = sums[1] = sums[2] = 0;
    for (int64_t y = 0; y < height; y++) {
        float *kept = room + (y % WINDOW) * KINDS * count;
        if (levels)
            subtract_middle(levels + y * row, middle, row, converted);
        blur_row(planes + y * row, levels ? converted : result + y * row, weights, count, kept, kept + count,
                 kept + 2 * count);
        if (y < WINDOW - 1)
            continue;
        for (int kind = 0; kind < KINDS; kind++) {
            const float *rows[WINDOW];
            for (int number = 0; number < WINDOW; number++)
                rows[number] = room + ((y - WINDOW + 1 + number) % WINDOW) * KINDS * count + kind * count;
            blur_down(rows, weights, count, blurred + kind * count);
        }
        int64_t at = (y - REACH) * row + REACH * CHANNELS;
        sum_ratios(means + at, variances + at, blurred, blurred + count, blurred + 2 * count, count, c1, c2,
                   middle, with_light != 0, sums);
    }
    free(room);
    return 0;
}

/* The mean of each 2 × 2 pixels less the middle; both sides are even. */
void halve_levels(const uint8_t *pixels, int64_t height, int64_t width, float middle, float *out) {
    int64_t row = width * CHANNELS;
    for (int64_t y = 0; y < height; y += 2) {
        const uint8_t *upper = pixels + y * row, *lower = upper + row;
        for (int64_t x = 0; x < width; x += 2, upper += 2 * CHANNELS, lower += 2 * CHANNELS)
            for (int channel = 0; channel < CHANNELS; channel++) {
                int32_t sum = upper[channel] + upper[channel + CHANNELS] + lower[channel] +
                              lower[channel + CHANNELS];
                *out++ = (float)sum * 0.25f - middle;
            }
    }
}
