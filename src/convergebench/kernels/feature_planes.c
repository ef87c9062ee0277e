/* The two ends of a network that makes pictures comparable: from levels to its first plane, and from planes to
 * features and their distances. Plain C.
 *
 * Features are a pixel's channels at unit length, times the gain of each channel. Planes are height × width ×
 * channels. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include "feature_planes.h"
#include <immintrin.h>

#define FUSED __attribute__((target("avx2,fma")))
#define FUSED_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

enum { LANES = 8, MOST_FOLDED = 16 };
enum { AHEAD = 512 }; /* floats from the features in use to those that are fetched */
static const float EPSILON = 1e-10f;

Size folded_size(const Folding *by, Size picture) {
    int64_t cells = (by->reach + by->side - 1) / by->side, beyond = 2 * by->border - by->reach;
    return (Size){(picture.height + beyond) / by->side + cells, (picture.width + beyond) / by->side + cells};
}

/* Four pixels of a row, 8 and then 4 values at a time: compilers do not find this. */
FUSED_INLINE void fold_twelve(const uint8_t *levels, const float *scales, const float *shifts, float *out) {
    int32_t rest;
    memcpy(&rest, levels + LANES, sizeof rest);
    __m256 most = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)levels)));
    __m128 last = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(rest)));
    _mm256_storeu_ps(out, _mm256_mul_ps(most, _mm256_loadu_ps(scales)) + _mm256_loadu_ps(shifts));
    _mm_storeu_ps(out + LANES, _mm_mul_ps(last, _mm_loadu_ps(scales + LANES)) + _mm_loadu_ps(shifts + LANES));
}

/* The part of a cell that lies in one row, which begins with `left` pixels before the picture if negative. */
FUSED_INLINE void fold_run(const uint8_t *row, int64_t width, int64_t left, const float *scales,
                           const float *shifts, int64_t run, float *out) {
    for (int64_t i = 0; i < run; i++) {
        int64_t at = left * COLOURS + i;
        out[i] = at >= 0 && at < width * COLOURS ? row[at] * scales[i] + shifts[i] : 0;
    }
}

FUSED_INLINE void fold_row(const uint8_t *row, int64_t width, const Folding *by, int64_t columns,
                           const float *scales, const float *shifts, float *out) {
    int64_t run = by->side * COLOURS;
    for (int64_t column = 0; column < columns; column++, out += by->side * run) {
        int64_t left = column * by->side - by->border;
        if (by->side == 4 && left >= 0 && left + 4 <= width)
            fold_twelve(row + left * COLOURS, scales, shifts, out);
        else
            fold_run(row, width, left, scales, shifts, run, out);
    }
}

/* Rows of cells from `first` to `end`. */
FUSED
void fold_levels(const uint8_t *pixels, Size picture, const Folding *by, int64_t first, int64_t end,
                 float *out) {
    float scales[COLOURS * MOST_FOLDED], shifts[COLOURS * MOST_FOLDED];
    int64_t side = by->side, run = side * COLOURS, columns = folded_size(by, picture).width;
    for (int64_t i = 0; i < run; i++)
        scales[i] = by->scale[i % COLOURS], shifts[i] = by->shift[i % COLOURS];
    for (int64_t y = first * side; y < end * side; y++) {
        int64_t at = y - by->border;
        float *to = out + (y / side * columns * side + y % side) * run;
        if (at >= 0 && at < picture.height)
            fold_row(pixels + at * picture.width * COLOURS, picture.width, by, columns, scales, shifts, to);
        else
            for (int64_t column = 0; column < columns; column++)
                memset(to + column * side * run, 0, run * sizeof(float));
    }
}

FUSED_INLINE float sum_of(__m256 values) {
    __m128 halves = _mm_add_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
    __m128 pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)));
}

/* What brings a pixel's channels to unit length. */
FUSED_INLINE __m256 unit_factor(const float *in, int64_t channels) {
    __m256 even = _mm256_setzero_ps(), odd = even;
    for (int64_t i = 0; i < channels; i += 2 * LANES) {
        __m256 one = _mm256_loadu_ps(in + i), other = _mm256_loadu_ps(in + i + LANES);
        even = _mm256_fmadd_ps(one, one, even);
        odd = _mm256_fmadd_ps(other, other, odd);
    }
    return _mm256_set1_ps(1 / (sqrtf(sum_of(_mm256_add_ps(even, odd))) + EPSILON));
}

/* Each pixel's channels at unit length, times the gain of each channel. */
FUSED
void take_features(const float *in, int64_t pixels, int64_t channels, const float *gains, float *out) {
    for (int64_t pixel = 0; pixel < pixels; pixel++, in += channels, out += channels) {
        __m256 factor = unit_factor(in, channels);
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 unit = _mm256_mul_ps(_mm256_loadu_ps(in + i), factor);
            _mm256_storeu_ps(out + i, _mm256_mul_ps(unit, _mm256_loadu_ps(gains + i)));
        }
    }
}

/* Of each pixel, the mean squared difference of its features from others; the sum over all pixels. */
FUSED
double compare_features(const float *in, int64_t pixels, int64_t channels, const float *gains,
                        const float *others, float *out) {
    double sum = 0;
    for (int64_t pixel = 0; pixel < pixels; pixel++, in += channels, others += channels) {
        __m256 factor = unit_factor(in, channels), even = _mm256_setzero_ps(), odd = even;
        for (int64_t i = 0; i < channels; i += 2 * LANES) {
            _mm_prefetch((const char *)(others + i + AHEAD), _MM_HINT_T0);
            __m256 one = _mm256_mul_ps(_mm256_loadu_ps(in + i), factor);
            __m256 other = _mm256_mul_ps(_mm256_loadu_ps(in + i + LANES), factor);
            one = _mm256_mul_ps(one, _mm256_loadu_ps(gains + i)) - _mm256_loadu_ps(others + i);
            other = _mm256_mul_ps(other, _mm256_loadu_ps(gains + i + LANES)) - _mm256_loadu_ps(others + i + LANES);
            even = _mm256_fmadd_ps(one, one, even);
            odd = _mm256_fmadd_ps(other, other, odd);
        }
        out[pixel] = sum_of(_mm256_add_ps(even, odd)) / channels;
        sum += out[pixel];
    }
    return sum;
}

#endif
