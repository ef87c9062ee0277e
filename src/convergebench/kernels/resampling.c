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

/* With AVX2, four taps at a time: their levels times the upper and the lower half of their weights, 11 bits
 * each, because numbers of 16 bits are multiplied, and two products summed, by one instruction. */

enum { TOGETHER = 4, LOW_BITS = 11, SPARE = 16 }; /* `SPARE`: more than are read behind a row */

typedef struct {
    int16_t high[TOGETHER], low[TOGETHER];
} SplitWeights;

static SplitWeights *split_weights(Resampling by) {
    int64_t groups = (by.taps + TOGETHER - 1) / TOGETHER;
    SplitWeights *out = calloc(by.places * groups, sizeof *out);
    for (int64_t i = 0; out && i < by.places * by.taps; i++) {
        SplitWeights *to = out + i / by.taps * groups + i % by.taps / TOGETHER;
        to->high[i % by.taps % TOGETHER] = (int16_t)(by.weights[i] >> LOW_BITS);
        to->low[i % by.taps % TOGETHER] = (int16_t)(by.weights[i] & ((1 << LOW_BITS) - 1));
    }
    return out;
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

static int is_fast(void) {
    return __builtin_cpu_supports("avx2");
}

enum { ROWS = 4 }; /* that have their weights loaded once, and their levels put together at once */

/* As `resample_along`, for ROWS rows; one byte behind each of `out` is written too. */
__attribute__((target("avx2")))
static void resample_fast(const uint8_t *const *rows, Resampling by, const SplitWeights *weights,
                          uint8_t *const *out) {
    /* The first channel of four pixels, the second, and the third, as numbers of 16 bits. */
    const __m256i channels = _mm256_setr_epi8(0, -1, 3, -1, 6, -1, 9, -1, 1, -1, 4, -1, 7, -1, 10, -1, 2, -1, 5,
                                              -1, 8, -1, 11, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    for (int64_t place = 0; place < by.places; place++) {
        int64_t at = by.firsts[place] * CHANNELS;
        __m256i high[ROWS] = {0}, low[ROWS] = {0};
        for (int64_t tap = 0; tap < by.taps; tap += TOGETHER, at += TOGETHER * CHANNELS, weights++) {
            __m256i upper = _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)weights->high));
            __m256i lower = _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)weights->low));
            for (int row = 0; row < ROWS; row++) {
                __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(rows[row] + at)));
                __m256i levels = _mm256_shuffle_epi8(bytes, channels);
                high[row] = _mm256_add_epi32(high[row], _mm256_madd_epi16(levels, upper));
                low[row] = _mm256_add_epi32(low[row], _mm256_madd_epi16(levels, lower));
            }
        }
        for (int row = 0; row < ROWS; row++)
            high[row] = _mm256_add_epi32(_mm256_slli_epi32(high[row], LOW_BITS), low[row]);
        /* Of each row, two channels in the lower half and the third in the upper. */
        __m256i half = _mm256_set1_epi32(HALF);
        __m256i one = _mm256_srli_epi32(_mm256_add_epi32(_mm256_hadd_epi32(high[0], high[1]), half), WEIGHT_BITS);
        __m256i two = _mm256_srli_epi32(_mm256_add_epi32(_mm256_hadd_epi32(high[2], high[3]), half), WEIGHT_BITS);
        __m256i levels = _mm256_packus_epi32(one, two);
        levels = _mm256_packus_epi16(levels, levels);
        __m128i found = _mm_unpacklo_epi16(_mm256_castsi256_si128(levels), _mm256_extracti128_si256(levels, 1));
        int32_t threes[ROWS];
        _mm_storeu_si128((__m128i *)threes, found);
        for (int row = 0; row < ROWS; row++)
            memcpy(out[row] + place * CHANNELS, threes + row, sizeof *threes);
    }
}

#else

static int is_fast(void) {
    return 0;
}

enum { ROWS = 1 };

static void resample_fast(const uint8_t *const *rows, Resampling by, const SplitWeights *weights,
                          uint8_t *const *out) {
    (void)weights;
    resample_along(*rows, by, *out);
}

#endif

/* `last`: the last row, with room behind it. `stride`: from one row to the next, longer than a row. */
static void resample_rows(const uint8_t *pixels, const uint8_t *last, int64_t side, Resampling by, uint8_t *rows,
                          int64_t stride) {
    int64_t given = side * CHANNELS;
    SplitWeights *split = is_fast() && given >= SPARE && side >= ROWS ? split_weights(by) : NULL;
    for (int64_t y = 0; y < side; y += split ? ROWS : 1) {
        const uint8_t *from[ROWS];
        uint8_t *to[ROWS];
        int64_t first = split && y > side - ROWS ? side - ROWS : y; /* the last rows may be computed twice */
        for (int row = 0; row < ROWS; row++) {
            from[row] = first + row + 1 < side ? pixels + (first + row) * given : last;
            to[row] = rows + (first + row) * stride;
        }
        if (split)
            resample_fast(from, by, split, to);
        else
            resample_along(*from, by, *to);
    }
    free(split);
}

FOR_EACH_PROCESSOR
static void add_weighted(int32_t *restrict sums, const uint8_t *restrict row, int32_t weight, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        sums[i] += weight * row[i];
}

FOR_EACH_PROCESSOR
static void resample_down(const uint8_t *rows, int64_t length, int64_t stride, Resampling by, int32_t *sums,
                          uint8_t *out) {
    for (int64_t place = 0; place < by.places; place++) {
        for (int64_t i = 0; i < length; i++)
            sums[i] = HALF;
        for (int64_t tap = 0; tap < by.taps; tap++)
            add_weighted(sums, rows + (by.firsts[place] + tap) * stride, by.weights[place * by.taps + tap],
                         length);
        for (int64_t i = 0; i < length; i++)
            *out++ = (uint8_t)(sums[i] >> WEIGHT_BITS);
    }
}

/* A square picture with other sides. −1 without memory. */
int resample_square(const uint8_t *pixels, int64_t side, const int32_t *firsts, const int32_t *weights,
                    int64_t places, int64_t taps, uint8_t *out) {
    Resampling by = {firsts, weights, places, taps};
    int64_t length = places * CHANNELS, stride = length + SPARE, given = side * CHANNELS;
    uint8_t *rows = malloc(side * stride), *last = calloc(given + SPARE, 1);
    int32_t *sums = malloc(length * sizeof(int32_t));
    int is_there = rows && last && sums;
    if (is_there) {
        memcpy(last, pixels + (side - 1) * given, given);
        resample_rows(pixels, last, side, by, rows, stride);
        resample_down(rows, length, stride, by, sums, out);
    }
    free(rows);
    free(last);
    free(sums);
    return is_there ? 0 : -1;
}

/* OpenCV's area averaging by factors that are not whole: of every place, the share of each pixel that it covers,
 * along a row and then down, in floats. */

/* For every place, the first of its taps and their shares; some are 0, which changes no sum. */
typedef struct {
    const int32_t *firsts;
    const float *shares;
    int64_t places, taps;
} Cover;

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

/* `row` has room for one byte behind it, and `sums` for one float. */
FOR_EACH_PROCESSOR
static void cover_along(const uint8_t *row, Cover by, float *sums) {
    for (int64_t place = 0; place < by.places; place++) {
        const uint8_t *pixel = row + by.firsts[place] * CHANNELS;
        FourFloats sum = {0};
        for (int64_t tap = 0; tap < by.taps; tap++, pixel += CHANNELS) {
            int32_t bytes;
            memcpy(&bytes, pixel, sizeof bytes);
            Four levels = (Four){bytes, bytes, bytes, bytes} >> (Four){0, 8, 16, 24} & 255;
            sum += __builtin_convertvector(levels, FourFloats) * by.shares[place * by.taps + tap];
        }
        *(FourFloats *)(sums + place * CHANNELS) = sum;
    }
}

FOR_EACH_PROCESSOR
static void add_share(float *restrict totals, const float *restrict sums, float share, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        totals[i] += sums[i] * share;
}

FOR_EACH_PROCESSOR
static void round_row(const float *restrict totals, int64_t length, uint8_t *restrict out) {
    for (int64_t i = 0; i < length; i++)
        out[i] = rounded(totals[i]);
}

/* A part of a picture, `given` pixels wide, whose rows are `stride` bytes apart. −1 without memory. */
int average_area(const uint8_t *pixels, int64_t stride, int64_t given, const int32_t *firsts_along,
                 const float *shares_along, int64_t width, int64_t taps_along, const int32_t *firsts_down,
                 const float *shares_down, int64_t height, int64_t taps_down, uint8_t *out) {
    Cover along = {firsts_along, shares_along, width, taps_along};
    int64_t length = width * CHANNELS, known = -1;
    float *totals = malloc((2 * length + 1) * sizeof(float)), *sums = totals + length;
    uint8_t *row = calloc(given * CHANNELS + 1, 1);
    for (int64_t place = 0; totals && row && place < height; place++) {
        memset(totals, 0, length * sizeof(float));
        for (int64_t tap = 0; tap < taps_down; tap++) {
            float share = shares_down[place * taps_down + tap];
            int64_t from = firsts_down[place] + tap;
            if (share > 0 && from != known) {
                known = from;
                memcpy(row, pixels + from * stride, given * CHANNELS);
                cover_along(row, along, sums);
            }
            if (share > 0)
                add_share(totals, sums, share, length);
        }
        round_row(totals, length, out + place * length);
    }
    int is_there = totals && row;
    free(totals);
    free(row);
    return is_there ? 0 : -1;
}
