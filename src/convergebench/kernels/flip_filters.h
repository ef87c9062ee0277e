/* The filters of flip.c for vectors of LANES floats.
 *
 * A filter's weights are given from the centre outwards. On the other side they are the same, or for edges of
 * the other sign. Derivatives sum differences from the centre, so that they are exactly zero where nothing
 * changes: ꟻLIP takes the root of their difference, which magnifies errors. */

#include "lanes.h"

/* Along a row. So many vectors at a time use each weight that is loaded. */

TARGET static void NAMED(filter_along)(float *out, const float *in, Filter by, int64_t length) {
    for (int64_t i = 0; i < length; i += AT_ONCE * LANES) {
        VECTOR sums[AT_ONCE];
        for (int n = 0; n < AT_ONCE; n++)
            sums[n] = ALIKE(by.weights[0]) * LOAD(in + i + n * LANES);
        for (int64_t k = 1; k <= by.reach; k++) {
            VECTOR weight = ALIKE(by.weights[k]);
            for (int n = 0; n < AT_ONCE; n++) {
                const float *at = in + i + n * LANES;
                sums[n] = FUSED(weight, LOAD(at - k) + LOAD(at + k), sums[n]);
            }
        }
        for (int n = 0; n < AT_ONCE; n++)
            STORE(out + i + n * LANES, sums[n]);
    }
}

/* By two filters of one reach. */
TARGET static void NAMED(filter_twice_along)(float *out, float *other_out, const float *in, Filter by,
                                             Filter other, int64_t length) {
    for (int64_t i = 0; i < length; i += AT_ONCE * LANES) {
        VECTOR sums[AT_ONCE], others[AT_ONCE];
        for (int n = 0; n < AT_ONCE; n++) {
            VECTOR centre = LOAD(in + i + n * LANES);
            sums[n] = ALIKE(by.weights[0]) * centre;
            others[n] = ALIKE(other.weights[0]) * centre;
        }
        for (int64_t k = 1; k <= by.reach; k++) {
            VECTOR weight = ALIKE(by.weights[k]), other_weight = ALIKE(other.weights[k]);
            for (int n = 0; n < AT_ONCE; n++) {
                const float *at = in + i + n * LANES;
                VECTOR pair = LOAD(at - k) + LOAD(at + k);
                sums[n] = FUSED(weight, pair, sums[n]);
                others[n] = FUSED(other_weight, pair, others[n]);
            }
        }
        for (int n = 0; n < AT_ONCE; n++) {
            STORE(out + i + n * LANES, sums[n]);
            STORE(other_out + i + n * LANES, others[n]);
        }
    }
}

/* What is made of the luminance: as the eye resolves it, a Gaussian, and its first and second derivative. The
 * first has a shorter reach than the others. */
TARGET static void NAMED(derive_along)(float *seen, float *smooth, float *edge, float *point, const float *in,
                                       const Filter *filters, int64_t length) {
    const float *t = filters[LUMINANCE].weights, *u = filters[SMOOTH].weights;
    const float *v = filters[EDGES].weights, *w = filters[POINTS].weights;
    int64_t near = filters[LUMINANCE].reach, far = filters[SMOOTH].reach;
    for (int64_t i = 0; i < length; i += AT_ONCE * LANES) {
        VECTOR lights[AT_ONCE], means[AT_ONCE], slopes[AT_ONCE], bends[AT_ONCE], twice[AT_ONCE];
        for (int n = 0; n < AT_ONCE; n++) {
            lights[n] = means[n] = LOAD(in + i + n * LANES);
            twice[n] = means[n] + means[n];
            slopes[n] = bends[n] = ALIKE(0.0f);
        }
        for (int64_t k = 1; k <= far; k++) {
            VECTOR for_light = ALIKE(k <= near ? t[k] : 0.0f);
            VECTOR for_mean = ALIKE(u[k]), for_slope = ALIKE(v[k]), for_bend = ALIKE(w[k]);
            for (int n = 0; n < AT_ONCE; n++) {
                VECTOR before = LOAD(in + i + n * LANES - k), after = LOAD(in + i + n * LANES + k);
                LOADED_ONCE(before);
                LOADED_ONCE(after);
                VECTOR pair = before + after - twice[n];
                slopes[n] = FUSED(for_slope, after - before, slopes[n]);
                bends[n] = FUSED(for_bend, pair, bends[n]);
                means[n] = FUSED(for_mean, pair, means[n]);
                lights[n] = FUSED(for_light, pair, lights[n]);
            }
        }
        for (int n = 0; n < AT_ONCE; n++) {
            STORE(seen + i + n * LANES, lights[n]);
            STORE(smooth + i + n * LANES, means[n]);
            STORE(edge + i + n * LANES, slopes[n]);
            STORE(point + i + n * LANES, bends[n]);
        }
    }
}

/* Down columns. A few output rows are made at a time: from one distance to the next, the taps of each row become
 * those of its neighbour. */

TARGET INLINE void NAMED(move_on)(VECTOR *above, VECTOR *below, const float *in, int64_t distance) {
    for (int row = AT_ONCE_DOWN - 1; row > 0; row--)
        above[row] = above[row - 1];
    for (int row = 0; row < AT_ONCE_DOWN - 1; row++)
        below[row] = below[row + 1];
    above[0] = LOAD(in - distance * ROW);
    below[AT_ONCE_DOWN - 1] = LOAD(in + (AT_ONCE_DOWN - 1 + distance) * ROW);
    LOADED_ONCE(above[0]);
    LOADED_ONCE(below[AT_ONCE_DOWN - 1]);
}

/* Adds to the rows that are there, if `adds`. */
TARGET INLINE void NAMED(weigh_down)(float *out, const float *in, Filter by, int64_t length, int adds) {
    for (int64_t i = 0; i < length; i += LANES) {
        VECTOR sums[AT_ONCE_DOWN], above[AT_ONCE_DOWN], below[AT_ONCE_DOWN];
        VECTOR weight = ALIKE(by.weights[0]);
        for (int row = 0; row < AT_ONCE_DOWN; row++) {
            above[row] = below[row] = LOAD(in + i + row * ROW);
            sums[row] = weight * above[row];
            if (adds)
                sums[row] = FUSED(weight, above[row], LOAD(out + i + row * ROW));
        }
        for (int64_t k = 1; k <= by.reach; k++) {
            NAMED(move_on)(above, below, in + i, k);
            weight = ALIKE(by.weights[k]);
            for (int row = 0; row < AT_ONCE_DOWN; row++)
                sums[row] = FUSED(weight, above[row] + below[row], sums[row]);
        }
        for (int row = 0; row < AT_ONCE_DOWN; row++)
            STORE(out + i + row * ROW, sums[row]);
    }
}

TARGET static void NAMED(filter_down)(float *out, const float *in, Filter by, int64_t rows, int64_t length) {
    for (int64_t row = 0; row < rows; row += AT_ONCE_DOWN)
        NAMED(weigh_down)(out + row * ROW, in + row * ROW, by, length, 0);
}

TARGET static void NAMED(add_filtered_down)(float *out, const float *in, Filter by, int64_t rows, int64_t length) {
    for (int64_t row = 0; row < rows; row += AT_ONCE_DOWN)
        NAMED(weigh_down)(out + row * ROW, in + row * ROW, by, length, 1);
}

TARGET INLINE void NAMED(derive_rows)(float *edge, float *point, const float *in, const Filter *filters,
                                      int64_t length) {
    const float *v = filters[EDGES].weights, *w = filters[POINTS].weights;
    for (int64_t i = 0; i < length; i += LANES) {
        VECTOR slopes[AT_ONCE_DOWN], bends[AT_ONCE_DOWN], twice[AT_ONCE_DOWN];
        VECTOR above[AT_ONCE_DOWN], below[AT_ONCE_DOWN];
        for (int row = 0; row < AT_ONCE_DOWN; row++) {
            above[row] = below[row] = LOAD(in + i + row * ROW);
            twice[row] = above[row] + below[row];
            slopes[row] = bends[row] = ALIKE(0.0f);
        }
        for (int64_t k = 1; k <= filters[EDGES].reach; k++) {
            NAMED(move_on)(above, below, in + i, k);
            VECTOR for_slope = ALIKE(v[k]), for_bend = ALIKE(w[k]);
            for (int row = 0; row < AT_ONCE_DOWN; row++) {
                slopes[row] = FUSED(for_slope, below[row] - above[row], slopes[row]);
                bends[row] = FUSED(for_bend, above[row] + below[row] - twice[row], bends[row]);
            }
        }
        for (int row = 0; row < AT_ONCE_DOWN; row++) {
            STORE(edge + i + row * ROW, slopes[row]);
            STORE(point + i + row * ROW, bends[row]);
        }
    }
}

TARGET static void NAMED(derive_down)(float *edge, float *point, const float *in, const Filter *filters,
                                      int64_t rows, int64_t length) {
    for (int64_t row = 0; row < rows; row += AT_ONCE_DOWN)
        NAMED(derive_rows)(edge + row * ROW, point + row * ROW, in + row * ROW, filters, length);
}

static const Filtering NAMED(filtering) = {
    NAMED(filter_along), NAMED(filter_twice_along), NAMED(derive_along),
    NAMED(filter_down),  NAMED(add_filtered_down),  NAMED(derive_down),
};
