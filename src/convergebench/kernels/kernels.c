/* Loops over pixels for which NumPy and OpenCV need many passes. Plain C, called through ctypes.
 *
 * Pictures are rows of interleaved RGB without gaps. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

/* Structural similarity */

enum { WINDOW = 7, COUNT = WINDOW * WINDOW, REACH = (WINDOW - 1) * CHANNELS };
enum { HALF = 1 << 16, KINDS = 3 };
/* The sums of a strip of columns stay in the first cache; rows of them, of which more are read than there are, do
 * not share a cache line. */
enum { LANES = 16, STRIP = 768, ROW = STRIP + 6 * LANES, CACHE_LINE = 64 };

/* Of each column of seven rows, and later of each window: the sums of x and of y in the lower and the upper half
 * of `both`, of x² + y², and of 2·x·y. */
typedef struct {
    int32_t *both, *squares, *products;
} Sums;

/* SSIM's constants, scaled as the sums are. */
typedef struct {
    float c1, c2;
} Constants;

FOR_EACH_PROCESSOR
static void add_row(Sums sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t length) {
    int32_t *restrict both = sums.both, *restrict squares = sums.squares, *restrict products = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i];
        both[i] += a + b * HALF;
        squares[i] += a * a + b * b;
        products[i] += 2 * a * b;
    }
}

FOR_EACH_PROCESSOR
static void move_down(Sums sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t down,
                      int64_t length) {
    int32_t *restrict both = sums.both, *restrict squares = sums.squares, *restrict products = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i], c = x[i + down], d = y[i + down];
        both[i] += c - a + (d - b) * HALF;
        squares[i] += c * c + d * d - a * a - b * b;
        products[i] += 2 * (c * d - a * b);
    }
}

/* Of each window the sum of its seven columns. */
FOR_EACH_PROCESSOR
static void sum_across(const int32_t *restrict column, int64_t windows, int32_t *restrict out) {
    for (int64_t i = 0; i < windows; i++)
        out[i] = column[i] + column[i + 3] + column[i + 6] + column[i + 9] + column[i + 12] + column[i + 15] +
                 column[i + 18];
}

/* All sums are whole numbers below 2³¹, so variances are exact before they become floats. */
INLINE float similarity(Sums sums, int64_t i, Constants by) {
    int32_t x = sums.both[i] & (HALF - 1), y = sums.both[i] >> 16, product = 2 * x * y, squared = x * x + y * y;
    int32_t covariance = COUNT * sums.products[i] - product, variances = COUNT * sums.squares[i] - squared;
    return ((float)product + by.c1) * ((float)covariance + by.c2) /
           (((float)squared + by.c1) * ((float)variances + by.c2));
}

FOR_EACH_PROCESSOR
static double windows_similarity(Sums sums, int64_t windows, Constants by) {
    double lanes[LANES] = {0}, total = 0;
    float rest[2 * LANES];
    int64_t i = 0;
    for (; i + 2 * LANES <= windows; i += 2 * LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += similarity(sums, i + lane, by) + similarity(sums, i + LANES + lane, by);
    for (int lane = 0; lane < 2 * LANES; lane++) /* more than there are, but in vectors */
        rest[lane] = similarity(sums, i + lane, by);
    for (int lane = 0; i + lane < windows; lane++)
        total += rest[lane];
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

static double row_similarity(Sums columns, int64_t windows, Constants by) {
    int32_t summed[KINDS][ROW];
    Sums sums = {summed[0], summed[1], summed[2]};
    int64_t length = windows + 2 * LANES; /* what `windows_similarity` reads */
    sum_across(columns.both, length, sums.both);
    sum_across(columns.squares, length, sums.squares);
    sum_across(columns.products, length, sums.products);
    return windows_similarity(sums, windows, by);
}

/* How the sums of a strip move down by a row, and the sum over a row of windows. */
typedef struct {
    void (*move_down)(Sums sums, const uint8_t *x, const uint8_t *y, int64_t down, int64_t length);
    double (*row_similarity)(Sums columns, int64_t windows, Constants by);
} Instructions;

static const Instructions for_any = {move_down, row_similarity};

#if defined(__x86_64__) && defined(__GNUC__)
#include "ssim_lanes.h"
#endif

static const Instructions *instructions(int64_t lanes) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (lanes >= LANES && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &for_16_lanes;
#endif
    (void)lanes;
    return &for_any;
}

/* One strip of columns, from top to bottom; rows are `length` apart. */
static double strip_similarity(const uint8_t *x, const uint8_t *y, int64_t height, int64_t length,
                               int64_t windows, Constants by, const Instructions *with) {
    __attribute__((aligned(CACHE_LINE))) int32_t room[KINDS][ROW] = {0};
    Sums columns = {room[0], room[1], room[2]};
    double total = 0;
    for (int row = 0; row < WINDOW; row++)
        add_row(columns, x + row * length, y + row * length, windows + REACH);
    for (int64_t row = 0; row + WINDOW <= height; row++) {
        total += with->row_similarity(columns, windows, by);
        if (row + WINDOW < height)
            with->move_down(columns, x + row * length, y + row * length, WINDOW * length, windows + REACH);
    }
    return total;
}

/* The sum over all windows and channels. c1 and c2 are SSIM's constants, scaled as the sums are. Vectors have at
 * most `lanes`. */
double ssim_total(const uint8_t *x, const uint8_t *y, int64_t height, int64_t width, float c1, float c2,
                  int64_t lanes) {
    int64_t length = width * CHANNELS, windows = length - REACH;
    double total = 0;
    for (int64_t left = 0; left < windows; left += STRIP) {
        int64_t here = windows - left < STRIP ? windows - left : STRIP;
        total += strip_similarity(x + left, y + left, height, length, here, (Constants){c1, c2},
                                  instructions(lanes));
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
