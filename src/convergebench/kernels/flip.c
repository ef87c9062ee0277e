/* ꟻLIP's map of a picture against another whose features are kept. Plain C, called through ctypes.
 *
 * The filters for contrast sensitivity and those that find edges and points are separable. A strip of columns
 * is processed from top to bottom: a ring holds the rows within reach of the filters, each output row is
 * filtered down the columns and then along the row, and the rest is arithmetic on single pixels. Loops are
 * written so that compilers vectorise them. As in kernels.c there is no fused multiply-add, and no function
 * of the C library whose digits differ between machines. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

enum { PAIRS = 5 }; /* taps on either side that one loop takes at most */
/* The farthest reach, the columns of a strip, and the floats from one row to the next: an odd number of cache
 * lines, so that the rows of a column do not compete for the same place in the cache. */
enum { REACH = 60, STRIP = 512, ROW = 656, CACHE_LINE = 64, VECTOR = 16 };

/* Weights from the centre outwards. On the other side they are the same, or for edges of the other sign. */
typedef struct {
    const float *weights;
    int64_t reach;
} Filter;

enum { RED_GREEN, WIDE_BLUE_YELLOW, NARROW_BLUE_YELLOW, LUMINANCE, SMOOTH, EDGES, POINTS, FILTERS };

/* In the order of FlipParameters in kernels.py. Matrices are 3 × 3, row by row. */
typedef struct {
    float linear[256];     /* the linear light of each level */
    float to_opponent[9];  /* linear RGB to luminance, red-green and blue-yellow, relative to white */
    float to_rgb[9];       /* XYZ relative to white to linear RGB */
    float to_xyz[9];       /* and back */
    float scale, exponent; /* a distance of colours counts as t = −exponent · log₂(scale · distance), */
    float below, above[4]; /* and −log₂ of its visibility is max(t − below, Σ above[k] · t^(k + 1)) */
} Constants;

typedef struct {
    const Constants *constants;
    Filter filters[FILTERS];
} Model;

enum { LIGHTNESS, A, B, EDGE, POINT, FEATURES };

/* Filters. The taps of a value are `stride` apart: ROW down a column, 1 along a row. A loop takes `pairs` of
 * them, from the distance `from` on. The first loop begins with the centre, the others add to its sum: `first`
 * says which. Both are constant wherever these functions are inlined: */

#define WITH_PAIRS(pairs, function, ...)                                                                       \
    switch (pairs) {                                                                                           \
    case 1: function(__VA_ARGS__, 1); break;                                                                   \
    case 2: function(__VA_ARGS__, 2); break;                                                                   \
    case 3: function(__VA_ARGS__, 3); break;                                                                   \
    case 4: function(__VA_ARGS__, 4); break;                                                                   \
    default: function(__VA_ARGS__, PAIRS);                                                                     \
    }

/* How many pairs the loop takes that begins at this distance. */
INLINE int64_t pairs_from(int64_t from, int64_t reach) {
    return reach - from + 1 < PAIRS ? reach - from + 1 : PAIRS;
}

INLINE void weigh(float *restrict out, const float *in, const float *weights, int first, int64_t from,
                  int64_t stride, int64_t length, int64_t pairs) {
    const float *w = weights + from;
    for (int64_t i = 0; i < length; i++) {
        const float *before = in + i - from * stride, *after = in + i + from * stride;
        float sum = first ? weights[0] * in[i] : out[i];
        for (int64_t k = 0; k < pairs; k++)
            sum += w[k] * (before[-k * stride] + after[k * stride]);
        out[i] = sum;
    }
}

FOR_EACH_PROCESSOR
static void filter_down(float *out, const float *in, Filter by, int64_t length) {
    WITH_PAIRS(by.reach, weigh, out, in, by.weights, 1, 1, ROW, length)
    for (int64_t from = PAIRS + 1; from <= by.reach; from += PAIRS)
        WITH_PAIRS(pairs_from(from, by.reach), weigh, out, in, by.weights, 0, from, ROW, length)
}

FOR_EACH_PROCESSOR
static void filter_along(float *out, const float *in, Filter by, int64_t length) {
    WITH_PAIRS(by.reach, weigh, out, in, by.weights, 1, 1, 1, length)
    for (int64_t from = PAIRS + 1; from <= by.reach; from += PAIRS)
        WITH_PAIRS(pairs_from(from, by.reach), weigh, out, in, by.weights, 0, from, 1, length)
}

/* Two filters of one reach, whose taps are loaded once. */
INLINE void weigh_twice(float *restrict out, float *restrict other_out, const float *in, const float *weights,
                        const float *other_weights, int first, int64_t from, int64_t length, int64_t pairs) {
    const float *w = weights + from, *v = other_weights + from;
    for (int64_t i = 0; i < length; i++) {
        const float *before = in + i - from * ROW, *after = in + i + from * ROW;
        float sum = first ? weights[0] * in[i] : out[i];
        float other_sum = first ? other_weights[0] * in[i] : other_out[i];
        for (int64_t k = 0; k < pairs; k++) {
            float pair = before[-k * ROW] + after[k * ROW];
            sum += w[k] * pair;
            other_sum += v[k] * pair;
        }
        out[i] = sum;
        other_out[i] = other_sum;
    }
}

FOR_EACH_PROCESSOR
static void filter_twice_down(float *out, float *other_out, const float *in, Filter by, Filter other,
                              int64_t length) {
    WITH_PAIRS(by.reach, weigh_twice, out, other_out, in, by.weights, other.weights, 1, 1, length)
    for (int64_t from = PAIRS + 1; from <= by.reach; from += PAIRS)
        WITH_PAIRS(pairs_from(from, by.reach), weigh_twice, out, other_out, in, by.weights, other.weights, 0, from,
                   length)
}

/* What is made of the luminance: as the eye resolves it, a Gaussian, and its first and second derivative. Of
 * these four the last `outputs` are wanted. They sum differences from the centre, so that derivatives are
 * exactly zero where nothing changes: ꟻLIP takes the root of their difference, which magnifies errors. */
INLINE void derive(float *restrict seen, float *restrict smooth, float *restrict edge, float *restrict point,
                   const float *in, const Filter *filters, int first, int64_t from, int64_t stride,
                   int64_t length, int outputs, int64_t pairs) {
    const float *t = filters[LUMINANCE].weights + from, *u = filters[SMOOTH].weights + from;
    const float *v = filters[EDGES].weights + from, *w = filters[POINTS].weights + from;
    for (int64_t i = 0; i < length; i++) {
        const float *before = in + i - from * stride, *after = in + i + from * stride;
        float twice = 2 * in[i], slope = first ? 0 : edge[i], bend = first ? 0 : point[i];
        float mean = outputs < 3 ? 0 : first ? in[i] : smooth[i];
        float light = outputs < 4 ? 0 : first ? in[i] : seen[i];
        for (int64_t k = 0; k < pairs; k++) {
            float pair = before[-k * stride] + after[k * stride] - twice;
            slope += v[k] * (after[k * stride] - before[-k * stride]);
            bend += w[k] * pair;
            mean += u[k] * pair;
            light += t[k] * pair;
        }
        edge[i] = slope;
        point[i] = bend;
        if (outputs >= 3)
            smooth[i] = mean;
        if (outputs >= 4)
            seen[i] = light;
    }
}

FOR_EACH_PROCESSOR
static void derive_down(float *seen, float *smooth, float *edge, float *point, const float *in,
                        const Filter *filters, int64_t length) {
    int64_t near = filters[LUMINANCE].reach, far = filters[EDGES].reach;
    WITH_PAIRS(near, derive, seen, smooth, edge, point, in, filters, 1, 1, ROW, length, 4)
    for (int64_t from = PAIRS + 1; from <= near; from += PAIRS)
        WITH_PAIRS(pairs_from(from, near), derive, seen, smooth, edge, point, in, filters, 0, from, ROW, length, 4)
    for (int64_t from = near + 1; from <= far; from += PAIRS)
        WITH_PAIRS(pairs_from(from, far), derive, NULL, smooth, edge, point, in, filters, 0, from, ROW, length, 3)
}

FOR_EACH_PROCESSOR
static void derive_along(float *edge, float *point, const float *in, const Filter *filters, int64_t length) {
    int64_t reach = filters[EDGES].reach;
    WITH_PAIRS(reach, derive, NULL, NULL, edge, point, in, filters, 1, 1, 1, length, 2)
    for (int64_t from = PAIRS + 1; from <= reach; from += PAIRS)
        WITH_PAIRS(pairs_from(from, reach), derive, NULL, NULL, edge, point, in, filters, 0, from, 1, length, 2)
}

/* Single pixels */

FOR_EACH_PROCESSOR
static void to_opponent(float *restrict luminance, float *restrict red_green, float *restrict blue_yellow,
                        const float *restrict rgb, const float *m, int64_t length) {
    const float *red = rgb, *green = rgb + ROW, *blue = rgb + 2 * ROW;
    for (int64_t i = 0; i < length; i++) {
        luminance[i] = m[0] * red[i] + m[1] * green[i] + m[2] * blue[i];
        red_green[i] = m[3] * red[i] + m[4] * green[i] + m[5] * blue[i];
        blue_yellow[i] = m[6] * red[i] + m[7] * green[i] + m[8] * blue[i];
    }
}

INLINE float displayable(float x) {
    return smaller(larger(x, 0), 1);
}

/* Filtered opponent colours to CIELAB, with less chroma in the dark (the Hunt effect). Blue-yellow is the sum
 * of two rows. Only colours that no screen can show go by way of RGB, which adds rounding
 * errors. */
FOR_EACH_PROCESSOR
static void to_lab(float *restrict lightness, float *restrict a, float *restrict b,
                   const float *restrict rows, const Constants *by, int64_t length) {
    const float *m = by->to_rgb, *n = by->to_xyz;
    const float *luminance = rows + LUMINANCE * ROW, *red_green = rows + RED_GREEN * ROW;
    const float *wide = rows + WIDE_BLUE_YELLOW * ROW, *narrow = rows + NARROW_BLUE_YELLOW * ROW;
    for (int64_t i = 0; i < length; i++) {
        float y = luminance[i], x = y + red_green[i], z = y - (wide[i] + narrow[i]);
        float red = m[0] * x + m[1] * y + m[2] * z, shown_red = displayable(red);
        float green = m[3] * x + m[4] * y + m[5] * z, shown_green = displayable(green);
        float blue = m[6] * x + m[7] * y + m[8] * z, shown_blue = displayable(blue);
        int32_t is_moved = (bits_of(red) ^ bits_of(shown_red)) | (bits_of(green) ^ bits_of(shown_green)) |
                           (bits_of(blue) ^ bits_of(shown_blue));
        float shown_x = n[0] * shown_red + n[1] * shown_green + n[2] * shown_blue;
        float shown_y = n[3] * shown_red + n[4] * shown_green + n[5] * shown_blue;
        float shown_z = n[6] * shown_red + n[7] * shown_green + n[8] * shown_blue;
        a[i] = chosen(is_moved != 0, shown_x, x);
        lightness[i] = chosen(is_moved != 0, shown_y, y);
        b[i] = chosen(is_moved != 0, shown_z, z);
    }
    compress(lightness, length);
    compress(a, length);
    compress(b, length);
    for (int64_t i = 0; i < length; i++) {
        float fx = a[i], fy = lightness[i], fz = b[i];
        float l = 116 * fy - 16, hunt = 0.01f * l;
        lightness[i] = l;
        a[i] = hunt * (500 * (fx - fy));
        b[i] = hunt * (200 * (fy - fz));
    }
}

FOR_EACH_PROCESSOR
static void lengths(float *restrict out, const float *restrict x, const float *restrict y, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}

/* The difference of colours, raised to a power that the difference of edges and points lowers. */
FOR_EACH_PROCESSOR
static void differences(float *restrict out, const float *const *one, const float *const *other,
                        const Constants *by, int64_t length) {
    const float *l = one[LIGHTNESS], *a = one[A], *b = one[B], *edge = one[EDGE], *point = one[POINT];
    const float *other_l = other[LIGHTNESS], *other_a = other[A], *other_b = other[B];
    const float *other_edge = other[EDGE], *other_point = other[POINT];
    float scale = by->scale, exponent = by->exponent, below = by->below;
    float above1 = by->above[0], above2 = by->above[1], above3 = by->above[2], above4 = by->above[3];
    float colours[STRIP];
    for (int64_t i = 0; i < length; i++) {
        float da = a[i] - other_a[i], db = b[i] - other_b[i];
        float distance = fabsf(l[i] - other_l[i]) + sqrtf(da * da + db * db);
        float t = larger(-exponent * log_2(distance * scale), 0), near = smaller(t, 2);
        out[i] = distance;
        colours[i] = larger(t - below, near * (above1 + near * (above2 + near * (above3 + near * above4))));
    }
    for (int64_t i = 0; i < length; i++) {
        float feature = larger(fabsf(edge[i] - other_edge[i]), fabsf(point[i] - other_point[i]));
        float both = exp_2((sqrtf(feature * 0.707106781f) - 1) * colours[i]);
        out[i] = chosen(exceeds(out[i], 0), both, 0);
    }
}

/* One strip of columns */

typedef struct {
    const uint8_t *pixels;
    int64_t height, width, left, length; /* the strip is `length` columns from `left` on */
    const Model *model;
    int64_t reach, depth;
    float *ring; /* of each plane 2 · depth rows: each row is stored twice, so that every window is whole */
    float *rows; /* for the steps of one output row: DOWN, then ALONG, then FEATURES */
} Strip;

/* Filtered down by each filter; then filtered along for colours, and the derivatives along and down. */
enum { DOWN = FILTERS };
enum { SLOPE_ALONG = LUMINANCE + 1, BEND_ALONG, SLOPE_DOWN, BEND_DOWN, ALONG };
enum { ROWS = DOWN + ALONG + FEATURES };

static float *ring_row(const Strip *strip, int channel, int64_t slot) {
    return strip->ring + (channel * 2 * strip->depth + slot) * ROW;
}

static void prefetch(const void *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const char *)from + i);
}

/* Reads a row into the ring. Rows and columns outside the picture repeat its border. */
static void read_row(const Strip *strip, int64_t row) {
    const Constants *constants = strip->model->constants;
    int64_t begin = strip->left - strip->reach, columns = strip->length + 2 * strip->reach;
    int64_t first = begin < 0 ? -begin : 0, rest = strip->width - begin;
    int64_t end = rest < columns ? rest : columns;
    int64_t slot = (row + strip->reach) % strip->depth, last = strip->height - 1;
    int64_t inside = row < 0 ? 0 : row < last ? row : last, stride = strip->width * CHANNELS;
    const uint8_t *pixel = strip->pixels + inside * stride + (begin + first) * CHANNELS;
    float *rgb = strip->rows;
    if (inside < last)
        prefetch(pixel + stride, (end - first) * CHANNELS);
    for (int64_t i = first; i < end; i++, pixel += CHANNELS)
        for (int channel = 0; channel < CHANNELS; channel++)
            rgb[channel * ROW + i] = constants->linear[pixel[channel]];
    to_opponent(ring_row(strip, 0, slot) + first, ring_row(strip, 1, slot) + first,
                ring_row(strip, 2, slot) + first, rgb + first, constants->to_opponent, end - first);
    for (int channel = 0; channel < CHANNELS; channel++) {
        float *to = ring_row(strip, channel, slot);
        for (int64_t i = 0; i < first; i++)
            to[i] = to[first];
        for (int64_t i = end; i < columns; i++)
            to[i] = to[end - 1];
        memcpy(ring_row(strip, channel, slot + strip->depth), to, columns * sizeof(float));
    }
}

/* The features of a row whose neighbourhood is in the ring. */
static void row_features(const Strip *strip, int64_t row, float *const *features) {
    const Filter *filters = strip->model->filters;
    int64_t reach = strip->reach, columns = strip->length + 2 * reach, length = strip->length;
    int64_t slot = row % strip->depth + reach;
    const float *luminance = ring_row(strip, 0, slot), *red_green = ring_row(strip, 1, slot);
    const float *blue_yellow = ring_row(strip, 2, slot);
    float *down = strip->rows, *along = strip->rows + DOWN * ROW;
    columns = (columns + VECTOR - 1) / VECTOR * VECTOR; /* a whole vector takes less time than its rest */

    filter_down(down + RED_GREEN * ROW, red_green, filters[RED_GREEN], columns);
    filter_twice_down(down + WIDE_BLUE_YELLOW * ROW, down + NARROW_BLUE_YELLOW * ROW, blue_yellow,
                      filters[WIDE_BLUE_YELLOW], filters[NARROW_BLUE_YELLOW], columns);
    derive_down(down + LUMINANCE * ROW, down + SMOOTH * ROW, down + EDGES * ROW, down + POINTS * ROW,
                luminance, filters, columns);

    down += reach;
    for (int i = RED_GREEN; i <= LUMINANCE; i++)
        filter_along(along + i * ROW, down + i * ROW, filters[i], length);
    derive_along(along + SLOPE_ALONG * ROW, along + BEND_ALONG * ROW, down + SMOOTH * ROW, filters, length);
    filter_along(along + SLOPE_DOWN * ROW, down + EDGES * ROW, filters[SMOOTH], length);
    filter_along(along + BEND_DOWN * ROW, down + POINTS * ROW, filters[SMOOTH], length);

    to_lab(features[LIGHTNESS], features[A], features[B], along, strip->model->constants, length);
    lengths(features[EDGE], along + SLOPE_ALONG * ROW, along + SLOPE_DOWN * ROW, length);
    lengths(features[POINT], along + BEND_ALONG * ROW, along + BEND_DOWN * ROW, length);
}

/* Without a map, writes the features to `planes`; with one, writes how they differ from those in `planes`. */
static void process_strip(const Strip *strip, float *planes, float *map) {
    int64_t pixels = strip->height * strip->width;
    float *own[FEATURES], *kept[FEATURES];
    for (int64_t row = -strip->reach; row < strip->reach; row++)
        read_row(strip, row);
    for (int64_t row = 0; row < strip->height; row++) {
        int64_t at = row * strip->width + strip->left;
        for (int feature = 0; feature < FEATURES; feature++) {
            own[feature] = strip->rows + (DOWN + ALONG + feature) * ROW;
            kept[feature] = planes + feature * pixels + at;
            if (map)
                prefetch(kept[feature], strip->length * sizeof(float));
        }
        read_row(strip, row + strip->reach);
        row_features(strip, row, map ? own : kept);
        if (map)
            differences(map + at, (const float *const *)own, (const float *const *)kept,
                        strip->model->constants, strip->length);
    }
}

/* `weights` has REACH + 1 numbers for each filter. */
static int process(const uint8_t *pixels, int64_t height, int64_t width, const Constants *constants,
                   const float *weights, const int64_t *reaches, float *planes, float *map) {
    Model model = {.constants = constants};
    Strip strip = {.pixels = pixels, .height = height, .width = width, .model = &model};
    for (int i = 0; i < FILTERS; i++) {
        model.filters[i] = (Filter){weights + i * (REACH + 1), reaches[i]};
        strip.reach = reaches[i] > strip.reach ? reaches[i] : strip.reach;
    }
    strip.depth = 2 * strip.reach + 1;
    int64_t in_ring = CHANNELS * 2 * strip.depth;
    char *memory = calloc((in_ring + ROWS) * ROW * sizeof(float) + CACHE_LINE, 1);
    if (!memory)
        return -1;
    strip.ring = (float *)(memory + CACHE_LINE - (uintptr_t)memory % CACHE_LINE);
    strip.rows = strip.ring + in_ring * ROW;
    for (strip.left = 0; strip.left < width; strip.left += STRIP) {
        strip.length = width - strip.left < STRIP ? width - strip.left : STRIP;
        process_strip(&strip, planes, map);
    }
    free(memory);
    return 0;
}

/* The features of a picture: lightness, a, b, edges and points, five planes of height × width. 0, or −1
 * where memory is short. */
int flip_features(const uint8_t *pixels, int64_t height, int64_t width, const Constants *constants,
                  const float *weights, const int64_t *reaches, float *planes) {
    return process(pixels, height, width, constants, weights, reaches, planes, NULL);
}

/* The map of two pictures from the features of both; it is the same in either order. */
void flip_difference(const float *one, const float *other, int64_t pixels, const Constants *constants,
                     float *map) {
    for (int64_t at = 0; at < pixels; at += STRIP) {
        const float *rows[FEATURES], *others[FEATURES];
        for (int feature = 0; feature < FEATURES; feature++) {
            rows[feature] = one + feature * pixels + at;
            others[feature] = other + feature * pixels + at;
        }
        differences(map + at, rows, others, constants, pixels - at < STRIP ? pixels - at : STRIP);
    }
}

/* The map of a picture against the features of another. 0, or −1 where memory is short. */
int flip_compare(const uint8_t *pixels, int64_t height, int64_t width, const Constants *constants,
                 const float *weights, const int64_t *reaches, const float *planes, float *map) {
    return process(pixels, height, width, constants, weights, reaches, (float *)planes, map);
}
