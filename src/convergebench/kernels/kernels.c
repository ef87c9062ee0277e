/* Loops over pixels for which NumPy and OpenCV need many passes. Plain C, called through ctypes.
 *
 * Pictures are rows of interleaved RGB without gaps. It is compiled without fused multiply-add, so that every
 * processor gives the same digits. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

/* Structural similarity */

enum { WINDOW = 7, COUNT = WINDOW * WINDOW, REACH = (WINDOW - 1) * CHANNELS };
enum { LANES = 16, STRIP = 768 }; /* the sums of a strip of columns stay in the first cache */

/* Of each column of seven rows: the sums of x, of y, of x² + y², and of x·y. */
typedef struct {
    int32_t *x, *y, *squares, *products;
} Columns;

FOR_EACH_PROCESSOR
static void add_row(Columns sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t length) {
    int32_t *restrict sx = sums.x, *restrict sy = sums.y;
    int32_t *restrict ss = sums.squares, *restrict sp = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i];
        sx[i] += a;
        sy[i] += b;
        ss[i] += a * a + b * b;
        sp[i] += a * b;
    }
}

FOR_EACH_PROCESSOR
static void move_down(Columns sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t down,
                      int64_t length) {
    int32_t *restrict sx = sums.x, *restrict sy = sums.y;
    int32_t *restrict ss = sums.squares, *restrict sp = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i], c = x[i + down], d = y[i + down];
        sx[i] += c - a;
        sy[i] += d - b;
        ss[i] += c * c + d * d - a * a - b * b;
        sp[i] += c * d - a * b;
    }
}

static inline int32_t across(const int32_t *column) {
    return column[0] + column[3] + column[6] + column[9] + column[12] + column[15] + column[18];
}

/* All sums are whole numbers below 2³¹, so variances are exact before they become floats. */
static inline float similarity(Columns sums, int64_t i, float c1, float c2) {
    int32_t x = across(sums.x + i), y = across(sums.y + i);
    int32_t both = x * y, squared = x * x + y * y;
    int32_t covariance = COUNT * across(sums.products + i) - both;
    int32_t variances = COUNT * across(sums.squares + i) - squared;
    return ((float)(2 * both) + c1) * ((float)(2 * covariance) + c2) /
           (((float)squared + c1) * ((float)variances + c2));
}

FOR_EACH_PROCESSOR
static double row_similarity(Columns sums, int64_t windows, float c1, float c2) {
    double lanes[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= windows; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += similarity(sums, i + lane, c1, c2);
    for (; i < windows; i++)
        total += similarity(sums, i, c1, c2);
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

/* One strip of columns, from top to bottom; rows are `length` apart. */
static double strip_similarity(const uint8_t *x, const uint8_t *y, int64_t height, int64_t length,
                               int64_t windows, float c1, float c2) {
    int32_t room[4][STRIP + REACH] = {0};
    Columns sums = {room[0], room[1], room[2], room[3]};
    for (int row = 0; row < WINDOW; row++)
        add_row(sums, x + row * length, y + row * length, windows + REACH);
    double total = row_similarity(sums, windows, c1, c2);
    for (int64_t row = 0; row + WINDOW < height; row++) {
        move_down(sums, x + row * length, y + row * length, WINDOW * length, windows + REACH);
        total += row_similarity(sums, windows, c1, c2);
    }
    return total;
}

/* The sum over all windows and channels. c1 and c2 are SSIM's constants, scaled as the sums are. */
double ssim_total(const uint8_t *x, const uint8_t *y, int64_t height, int64_t width, float c1, float c2) {
    int64_t length = width * CHANNELS, windows = length - REACH;
    double total = 0;
    for (int64_t left = 0; left < windows; left += STRIP) {
        int64_t here = windows - left < STRIP ? windows - left : STRIP;
        total += strip_similarity(x + left, y + left, height, length, here, c1, c2);
    }
    return total;
}

/* PNG: reading */

static inline uint8_t paeth(int left, int above, int corner) {
    int to_left = abs(above - corner), to_above = abs(left - corner);
    int to_corner = abs(left + above - 2 * corner);
    int nearest = to_above < to_left ? above : left, distance = to_above < to_left ? to_above : to_left;
    return (uint8_t)(to_corner < distance ? corner : nearest);
}

/* Undoes the filters: each row is a filter's number and 3·width bytes. 0 if all numbers are known. */
int png_unfilter(const uint8_t *filtered, uint8_t *pixels, int64_t height, int64_t width) {
    int64_t length = width * CHANNELS;
    uint8_t *nothing = calloc(length, 1);
    if (!nothing)
        return -1;
    const uint8_t *above = nothing;
    for (int64_t row = 0; row < height; row++, filtered += length + 1, above = pixels, pixels += length) {
        const uint8_t *in = filtered + 1;
        int left[CHANNELS] = {0}, corner[CHANNELS] = {0};
        switch (filtered[0]) {
        case 0:
            memcpy(pixels, in, length);
            break;
        case 1:
            for (int64_t i = 0; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; c++)
                    pixels[i + c] = left[c] = (uint8_t)(in[i + c] + left[c]);
            break;
        case 2:
            for (int64_t i = 0; i < length; i++)
                pixels[i] = in[i] + above[i];
            break;
        case 3:
            for (int64_t i = 0; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; c++)
                    pixels[i + c] = left[c] = (uint8_t)(in[i + c] + ((left[c] + above[i + c]) >> 1));
            break;
        case 4:
            for (int64_t i = 0; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; c++) {
                    int up = above[i + c];
                    pixels[i + c] = left[c] = (uint8_t)(in[i + c] + paeth(left[c], up, corner[c]));
                    corner[c] = up;
                }
            break;
        default:
            free(nothing);
            return -1;
        }
    }
    free(nothing);
    return 0;
}
