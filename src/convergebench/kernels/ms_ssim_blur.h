/* The window of ms_ssim.c for vectors of LANES floats. */

#include "lanes.h"

/* Of the values so many pixels before and after those of `here`; loads that cross cache lines take longer than
 * moving what is in registers. */
#undef SHIFTED
#undef BEFORE
#undef AFTER
#if LANES == 16
#define SHIFTED(low, high, by)                                                                                 \
    _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(high), _mm512_castps_si512(low), by))
#define BEFORE(pixels) SHIFTED(last, here, LANES - (pixels) * CHANNELS)
#define AFTER(pixels) SHIFTED(here, next, (pixels) * CHANNELS)
#else
#define BEFORE(pixels) LOAD(y - (pixels) * CHANNELS)
#define AFTER(pixels) LOAD(y + (pixels) * CHANNELS)
#endif

#undef WEIGH
#define WEIGH(reach)                                                                                           \
    do {                                                                                                       \
        VECTOR left = BEFORE(reach), right = AFTER(reach), weight = ALIKE(weights[reach]);                     \
        VECTOR products_of_both = LOAD(z - (reach) * CHANNELS) + LOAD(z + (reach) * CHANNELS);                 \
        LOADED_ONCE(left);                                                                                     \
        LOADED_ONCE(right);                                                                                    \
        value = FUSED(weight, left + right, value);                                                            \
        square = FUSED(weight, FUSED(left, left, right * right), square);                                      \
        product = FUSED(weight, products_of_both, product);                                                    \
    } while (0)

/* Along a row, of the result, its square, and its product with the source, which is given. Each is `count` values
 * that start REACH pixels after the row's first. */
TARGET static void NAMED(blur_along)(const float *result, const float *products, const float *weights,
                                     int64_t count, float *const *out) {
    const float *y = result + REACH * CHANNELS, *z = products + REACH * CHANNELS;
#if LANES == 16
    VECTOR last = LOAD(y - LANES), here = LOAD(y), next;
#else
    VECTOR here;
#endif
    for (int64_t i = 0; i < count; i += LANES, y += LANES, z += LANES) {
#if LANES == 16
        next = LOAD(y + LANES);
#else
        here = LOAD(y);
#endif
        VECTOR value = ALIKE(weights[0]) * here, square = value * here, product = ALIKE(weights[0]) * LOAD(z);
        WEIGH(1);
        WEIGH(2);
        WEIGH(3);
        WEIGH(4);
        WEIGH(5);
        STORE(out[VALUE] + i, value);
        STORE(out[SQUARE] + i, square);
        STORE(out[PRODUCT] + i, product);
#if LANES == 16
        last = here;
        here = next;
#endif
    }
}

/* Down the columns of rows that are ROW apart, for AT_ONCE rows around `in` and those below it. From one distance
 * to the next, the taps of each row become those of its neighbour. */
TARGET INLINE void NAMED(blur_down)(const float *in, const float *weights, VECTOR *sums) {
    VECTOR above[AT_ONCE], below[AT_ONCE];
    for (int row = 0; row < AT_ONCE; row++) {
        above[row] = below[row] = LOAD(in + row * ROW);
        sums[row] = ALIKE(weights[0]) * above[row];
    }
    for (int64_t reach = 1; reach <= REACH; reach++) {
        for (int row = AT_ONCE - 1; row > 0; row--)
            above[row] = above[row - 1];
        for (int row = 0; row < AT_ONCE - 1; row++)
            below[row] = below[row + 1];
        above[0] = LOAD(in - reach * ROW);
        below[AT_ONCE - 1] = LOAD(in + (AT_ONCE - 1 + reach) * ROW);
        LOADED_ONCE(above[0]);
        LOADED_ONCE(below[AT_ONCE - 1]);
        for (int row = 0; row < AT_ONCE; row++)
            sums[row] = FUSED(ALIKE(weights[reach]), above[row] + below[row], sums[row]);
    }
}

/* (2·covariance + c2) / (both variances + c2), if wanted times the term of luminance, for which the middle is
 * added that was subtracted from all values. */
TARGET INLINE VECTOR NAMED(ratio)(const Scale *by, VECTOR source_mean, VECTOR source_variance, VECTOR mean,
                                  VECTOR square, VECTOR product, int with_light) {
    VECTOR c1 = ALIKE(by->c1), c2 = ALIKE(by->c2), middle = ALIKE(by->middle);
    VECTOR covariance = FUSED(-source_mean, mean, product);
    VECTOR variance = FUSED(-mean, mean, square) + source_variance;
    VECTOR contrast = FUSED(ALIKE(2.0f), covariance, c2) / (variance + c2);
    if (!with_light)
        return contrast;
    VECTOR x = source_mean + middle, y = mean + middle;
    return contrast * (FUSED(x + x, y, c1) / FUSED(x, x, FUSED(y, y, c1)));
}

/* The ratios of the windows from `begin` to `end` in `rows` rows. The first row is kept in `slot`, and begins at
 * the value `at` of the source's planes. The i-th window of a row is added to the sum i % SUMS, whatever the width
 * of vectors. */
TARGET INLINE void NAMED(add_rows)(const Scale *by, int64_t slot, int64_t at, int64_t rows, int64_t begin,
                                   int64_t end, float *sums, int with_light) {
    for (int64_t i = begin; i < end; i += LANES) {
        VECTOR blurred[KINDS][AT_ONCE], sum = LOAD(sums + i % SUMS);
        for (int kind = 0; kind < KINDS; kind++)
            NAMED(blur_down)(by->along[kind][slot] + i, by->weights, blurred[kind]);
        for (int row = 0; row < AT_ONCE; row++) {
            if (row >= rows)
                break;
            const float *means = by->means + at + i + row * by->stride;
            const float *variances = by->variances + at + i + row * by->stride;
            __builtin_prefetch(means + AT_ONCE * by->stride); /* for the next rows of this strip */
            __builtin_prefetch(variances + AT_ONCE * by->stride);
            VECTOR source_mean = LOAD(means);
            LOADED_ONCE(source_mean);
            sum = sum + NAMED(ratio)(by, source_mean, LOAD(variances), blurred[VALUE][row], blurred[SQUARE][row],
                                     blurred[PRODUCT][row], with_light);
        }
        STORE(sums + i % SUMS, sum);
    }
}

TARGET static void NAMED(add_ratios)(const Scale *by, int64_t slot, int64_t at, int64_t rows, int64_t begin,
                                     int64_t end, float *sums) {
    if (by->with_light)
        NAMED(add_rows)(by, slot, at, rows, begin, end, sums, 1);
    else
        NAMED(add_rows)(by, slot, at, rows, begin, end, sums, 0);
}

static const Blur NAMED(blur) = {NAMED(blur_along), NAMED(add_ratios)};
