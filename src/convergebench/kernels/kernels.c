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
enum { LANES = 16, STRIP = 768 }; /* the sums of a strip of columns stay in the first cache */

/* Of each column of seven rows, and later of each window: the sums of x and of y in the lower and the upper half
 * of `both`, of x² + y², and of x·y. */
typedef struct {
    int32_t *both, *squares, *products;
} Sums;

FOR_EACH_PROCESSOR
static void add_row(Sums sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t length) {
    int32_t *restrict both = sums.both, *restrict squares = sums.squares, *restrict products = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i];
        both[i] += a + b * HALF;
        squares[i] += a * a + b * b;
        products[i] += a * b;
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
        products[i] += c * d - a * b;
    }
}

/* Of each window the sum of its seven columns. */
FOR_EACH_PROCESSOR
static void sum_across(const int32_t *restrict column, int64_t windows, int32_t *restrict out) {
    for (int64_t i = 0; i < windows; i++)
        out[i] = column[i] + column[i + 3] + column[i + 6] + column[i + 9] + column[i + 12] + column[i + 15] +
                 column[i + 18];
}

#if defined(__x86_64__) && defined(__GNUC__)
#define SHIFTED(low, high, by) _mm512_alignr_epi32(high, low, by)

/* The same with values moved within registers, which takes less time than loads that cross cache lines. Reads
 * and writes whole vectors. */
__attribute__((target("avx512f")))
static void sum_across_16(const int32_t *column, int64_t windows, int32_t *out) {
    __m512i here = _mm512_loadu_si512(column), next = _mm512_loadu_si512(column + LANES);
    __m512i pairs = _mm512_add_epi32(here, SHIFTED(here, next, CHANNELS));
    for (int64_t i = 0; i < windows; i += LANES) {
        __m512i after = _mm512_loadu_si512(column + i + 2 * LANES);
        __m512i next_pairs = _mm512_add_epi32(next, SHIFTED(next, after, CHANNELS));
        __m512i first_four = _mm512_add_epi32(pairs, SHIFTED(pairs, next_pairs, 2 * CHANNELS));
        __m512i last_three = _mm512_add_epi32(SHIFTED(pairs, next_pairs, 4 * CHANNELS),
                                              SHIFTED(next, after, 6 * CHANNELS - LANES));
        _mm512_storeu_si512(out + i, _mm512_add_epi32(first_four, last_three));
        next = after;
        pairs = next_pairs;
    }
}
#endif

static void sum_all_across(Sums columns, int64_t windows, Sums out) {
    const int32_t *from[] = {columns.both, columns.squares, columns.products};
    int32_t *to[] = {out.both, out.squares, out.products};
    for (int i = 0; i < KINDS; i++)
#if defined(__x86_64__) && defined(__GNUC__)
        if (__builtin_cpu_supports("avx512f"))
            sum_across_16(from[i], windows, to[i]);
        else
#endif
            sum_across(from[i], windows, to[i]);
}

/* All sums are whole numbers below 2³¹, so variances are exact before they become floats. */
INLINE float similarity(Sums sums, int64_t i, float c1, float c2) {
    int32_t x = sums.both[i] & (HALF - 1), y = sums.both[i] >> 16, product = x * y, squared = x * x + y * y;
    int32_t covariance = COUNT * sums.products[i] - product, variances = COUNT * sums.squares[i] - squared;
    return ((float)(2 * product) + c1) * ((float)(2 * covariance) + c2) /
           (((float)squared + c1) * ((float)variances + c2));
}

FOR_EACH_PROCESSOR
static double row_similarity(Sums sums, int64_t windows, float c1, float c2) {
    double lanes[LANES] = {0}, total = 0;
    float rest[2 * LANES];
    int64_t i = 0;
    for (; i + 2 * LANES <= windows; i += 2 * LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += similarity(sums, i + lane, c1, c2) + similarity(sums, i + LANES + lane, c1, c2);
    for (int lane = 0; lane < 2 * LANES; lane++) /* more than there are, but in vectors */
        rest[lane] = similarity(sums, i + lane, c1, c2);
    for (int lane = 0; i + lane < windows; lane++)
        total += rest[lane];
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

/* One strip of columns, from top to bottom; rows are `length` apart. */
static double strip_similarity(const uint8_t *x, const uint8_t *y, int64_t height, int64_t length,
                               int64_t windows, float c1, float c2) {
    int32_t room[KINDS][STRIP + REACH + 2 * LANES] = {0}, summed[KINDS][STRIP + 2 * LANES] = {0};
    Sums columns = {room[0], room[1], room[2]}, sums = {summed[0], summed[1], summed[2]};
    double total = 0;
    for (int row = 0; row < WINDOW; row++)
        add_row(columns, x + row * length, y + row * length, windows + REACH);
    for (int64_t row = 0; row + WINDOW <= height; row++) {
        sum_all_across(columns, windows, sums);
        total += row_similarity(sums, windows, c1, c2);
        if (row + WINDOW < height)
            move_down(columns, x + row * length, y + row * length, WINDOW * length, windows + REACH);
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
