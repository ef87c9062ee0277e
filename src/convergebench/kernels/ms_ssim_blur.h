/* The window of ms_ssim.c for vectors of LANES floats. */

#include "lanes.h"

/* Along a row, of the result, its square, and its product with the source. Each is `count` values that start
 * REACH pixels after the row's first. */
TARGET static void NAMED(blur_along)(const float *source, const float *result, const float *weights, int64_t count,
                                     float *const *out) {
    for (int64_t i = 0; i < count; i += LANES) {
        const float *x = source + i + REACH * CHANNELS, *y = result + i + REACH * CHANNELS;
        VECTOR middle = LOAD(y), value = ALIKE(weights[0]) * middle;
        VECTOR square = value * middle, product = value * LOAD(x);
        for (int64_t reach = 1; reach <= REACH; reach++) {
            VECTOR left = LOAD(y - reach * CHANNELS), right = LOAD(y + reach * CHANNELS);
            LOADED_ONCE(left);
            LOADED_ONCE(right);
            VECTOR weight = ALIKE(weights[reach]);
            value = FUSED(weight, left + right, value);
            square = FUSED(weight, FUSED(left, left, right * right), square);
            product = FUSED(weight, FUSED(LOAD(x - reach * CHANNELS), left, LOAD(x + reach * CHANNELS) * right),
                            product);
        }
        STORE(out[VALUE] + i, value);
        STORE(out[SQUARE] + i, square);
        STORE(out[PRODUCT] + i, product);
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
