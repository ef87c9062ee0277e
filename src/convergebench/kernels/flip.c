/* ꟻLIP's map of a picture against another whose features are kept. Plain C, called through ctypes.
 *
 * The filters for contrast sensitivity and those that find edges and points are separable. A strip of columns
 * is processed from top to bottom: each row is filtered along by all filters, the last rows are kept, and some
 * output rows at a time are filtered down from them. The rest is arithmetic on single pixels. Loops are
 * written so that compilers vectorise them. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

/* The farthest reach and the columns of a strip. From one row to the next are so many floats: an odd number of
 * cache lines, so that the rows of a column do not compete for the same place in the cache. */
enum { REACH = 60, STRIP = 256, ROW = STRIP + 16, INPUT_ROW = STRIP + 2 * REACH + 40, CACHE_LINE = 64 };
enum { WIDEST = 32 };
/* Rows that are filtered along before the rest is done with them, and those that are filtered down at a time
 * by each filter, whose input then stays in the first cache. */
enum { BATCH = 32, GROUP = 8 };

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

typedef struct {
    void (*filter_along)(float *out, const float *in, Filter by, int64_t length);
    void (*filter_twice_along)(float *out, float *other_out, const float *in, Filter by, Filter other,
                               int64_t length);
    void (*derive_along)(float *seen, float *smooth, float *edge, float *point, const float *in,
                         const Filter *filters, int64_t length);
    void (*filter_down)(float *out, const float *in, Filter by, int64_t rows, int64_t length);
    void (*add_filtered_down)(float *out, const float *in, Filter by, int64_t rows, int64_t length);
    void (*derive_down)(float *edge, float *point, const float *in, const Filter *filters, int64_t rows,
                        int64_t length);
} Filtering;

/* Vectors along a row, and rows, that a loop takes at a time. */
enum { AT_ONCE = 2, AT_ONCE_DOWN = 4 };

#define OF_ONE_WIDTH "flip_filters.h"
#include "every_width.h"

/* Single pixels */

/* Of a row of a matrix with a colour. */
INLINE float product(const float *row, float x, float y, float z) {
    return fused(row[2], z, fused(row[1], y, row[0] * x));
}

FOR_EACH_PROCESSOR
static void to_opponent(float *restrict luminance, float *restrict red_green, float *restrict blue_yellow,
                        const float *restrict rgb, const float *m, int64_t length) {
    const float *red = rgb, *green = rgb + INPUT_ROW, *blue = rgb + 2 * INPUT_ROW;
    for (int64_t i = 0; i < length; i++) {
        luminance[i] = product(m, red[i], green[i], blue[i]);
        red_green[i] = product(m + 3, red[i], green[i], blue[i]);
        blue_yellow[i] = product(m + 6, red[i], green[i], blue[i]);
    }
}

INLINE float displayable(float x) {
    return smaller(larger(x, 0), 1);
}

/* Filtered opponent colours to CIELAB, with less chroma in the dark (the Hunt effect). Only colours that no
 * screen can show go by way of RGB, which adds rounding errors. */
FOR_EACH_PROCESSOR
static void to_lab(float *restrict lightness, float *restrict a, float *restrict b,
                   const float *restrict luminance, const float *restrict red_green,
                   const float *restrict blue_yellow, const Constants *by, int64_t length) {
    const float *m = by->to_rgb, *n = by->to_xyz;
    for (int64_t i = 0; i < length; i++) {
        float y = luminance[i], x = y + red_green[i], z = y - blue_yellow[i];
        float red = product(m, x, y, z), shown_red = displayable(red);
        float green = product(m + 3, x, y, z), shown_green = displayable(green);
        float blue = product(m + 6, x, y, z), shown_blue = displayable(blue);
        int32_t is_moved = (bits_of(red) ^ bits_of(shown_red)) | (bits_of(green) ^ bits_of(shown_green)) |
                           (bits_of(blue) ^ bits_of(shown_blue));
        float shown_x = product(n, shown_red, shown_green, shown_blue);
        float shown_y = product(n + 3, shown_red, shown_green, shown_blue);
        float shown_z = product(n + 6, shown_red, shown_green, shown_blue);
        a[i] = chosen(is_moved != 0, shown_x, x);
        lightness[i] = chosen(is_moved != 0, shown_y, y);
        b[i] = chosen(is_moved != 0, shown_z, z);
    }
    compress(lightness, length);
    compress(a, length);
    compress(b, length);
    for (int64_t i = 0; i < length; i++) {
        float fx = a[i], fy = lightness[i], fz = b[i];
        float l = fused(116, fy, -16), hunt = 0.01f * l;
        lightness[i] = l;
        a[i] = hunt * (500 * (fx - fy));
        b[i] = hunt * (200 * (fy - fz));
    }
}

FOR_EACH_PROCESSOR
static void lengths(float *restrict out, const float *restrict x, const float *restrict y, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        out[i] = sqrtf(fused(x[i], x[i], y[i] * y[i]));
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
        float distance = fabsf(l[i] - other_l[i]) + sqrtf(fused(da, da, db * db));
        float t = larger(-exponent * log_2(distance * scale), 0), near = smaller(t, 2);
        out[i] = distance;
        float upper = fused(near, fused(near, fused(near, above4, above3), above2), above1);
        colours[i] = larger(t - below, near * upper);
    }
    for (int64_t i = 0; i < length; i++) {
        float feature = larger(fabsf(edge[i] - other_edge[i]), fabsf(point[i] - other_point[i]));
        float both = exp_2((sqrtf(feature * 0.707106781f) - 1) * colours[i]);
        out[i] = chosen(exceeds(out[i], 0), both, 0);
    }
}

/* One strip of columns */

/* Filtered down, for colours, and the derivatives along and down. */
enum { SEEN_LUMINANCE, SEEN_RED_GREEN, SEEN_BLUE_YELLOW, SLOPE_ALONG, BEND_ALONG, SLOPE_DOWN, BEND_DOWN, DOWN };

typedef struct {
    const uint8_t *pixels;
    int64_t height, width, left, length; /* the strip is `length` columns from `left` on */
    const Model *model;
    const Filtering *by;
    int64_t reach, depth;
    float *rgb, *opponent; /* of one row, with what is within reach on either side */
    float *along;          /* `depth` rows filtered along by each filter: a batch and what is within its reach */
    float *down;           /* a group of rows filtered down */
    float *features;       /* of one row */
} Strip;

static void prefetch(const void *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const char *)from + i);
}

/* The linear light of pixels, by channel. Four values are stored together: stores take the longest. */
static void to_linear(float *rgb, const uint8_t *pixel, const float *linear, int64_t length) {
    int64_t i = 0;
    for (; i + 4 <= length; i += 4, pixel += 4 * CHANNELS)
        for (int channel = 0; channel < CHANNELS; channel++) {
            const uint8_t *at = pixel + channel;
            float four[] = {linear[at[0]], linear[at[CHANNELS]], linear[at[2 * CHANNELS]],
                            linear[at[3 * CHANNELS]]};
            memcpy(rgb + channel * INPUT_ROW + i, four, sizeof four);
        }
    for (; i < length; i++, pixel += CHANNELS)
        for (int channel = 0; channel < CHANNELS; channel++)
            rgb[channel * INPUT_ROW + i] = linear[pixel[channel]];
}

/* Reads a row as opponent colours. Columns outside the picture repeat its border. */
static void read_row(const Strip *strip, int64_t row) {
    const Constants *constants = strip->model->constants;
    int64_t begin = strip->left - strip->reach, columns = strip->length + 2 * strip->reach;
    int64_t first = begin < 0 ? -begin : 0, rest = strip->width - begin;
    int64_t end = rest < columns ? rest : columns, stride = strip->width * CHANNELS;
    const uint8_t *pixel = strip->pixels + row * stride + (begin + first) * CHANNELS;
    float *rgb = strip->rgb, *opponent = strip->opponent;
    if (row + 1 < strip->height)
        prefetch(pixel + stride, (end - first) * CHANNELS);
    to_linear(rgb + first, pixel, constants->linear, end - first);
    to_opponent(opponent + first, opponent + INPUT_ROW + first, opponent + 2 * INPUT_ROW + first, rgb + first,
                constants->to_opponent, end - first);
    for (int channel = 0; channel < CHANNELS; channel++) {
        float *to = opponent + channel * INPUT_ROW;
        for (int64_t i = 0; i < first; i++)
            to[i] = to[first];
        for (int64_t i = end; i < columns; i++)
            to[i] = to[end - 1];
    }
}

static float *along_row(const Strip *strip, int filter, int64_t slot) {
    return strip->along + (filter * strip->depth + slot) * ROW;
}

/* Of whole vectors, which take less time than the rest of one. */
static int64_t rounded_length(const Strip *strip) {
    return (strip->length + WIDEST - 1) / WIDEST * WIDEST;
}

/* Filters a row along and keeps it. Rows outside the picture repeat its border. */
static void filter_row(const Strip *strip, int64_t row, int64_t slot) {
    const Filter *filters = strip->model->filters;
    if (slot && (row <= 0 || row >= strip->height)) {
        for (int filter = 0; filter < FILTERS; filter++)
            memcpy(along_row(strip, filter, slot), along_row(strip, filter, slot - 1), ROW * sizeof(float));
        return;
    }
    read_row(strip, row < 0 ? 0 : row);
    int64_t length = rounded_length(strip);
    const float *luminance = strip->opponent + strip->reach, *red_green = luminance + INPUT_ROW;
    float *to[FILTERS];
    for (int filter = 0; filter < FILTERS; filter++)
        to[filter] = along_row(strip, filter, slot);
    strip->by->filter_along(to[RED_GREEN], red_green, filters[RED_GREEN], length);
    strip->by->filter_twice_along(to[WIDE_BLUE_YELLOW], to[NARROW_BLUE_YELLOW], red_green + INPUT_ROW,
                                  filters[WIDE_BLUE_YELLOW], filters[NARROW_BLUE_YELLOW], length);
    strip->by->derive_along(to[LUMINANCE], to[SMOOTH], to[EDGES], to[POINTS], luminance, filters, length);
}

static float *down_row(const Strip *strip, int kind, int64_t row) {
    return strip->down + (kind * GROUP + row) * ROW;
}

/* Fetches the kept features of rows that will be compared. */
static void prefetch_rows(const Strip *strip, const float *plane, int64_t at, int64_t rows) {
    for (int64_t row = at; row < at + rows; row++) {
        const char *from = (const char *)(plane + row * strip->width + strip->left);
        for (int64_t i = 0; i < strip->length * (int64_t)sizeof(float); i += CACHE_LINE)
            __builtin_prefetch(from + i, 0, 2);
    }
}

/* Filters the rows from `at` on down, the first of which is kept in this slot. With every step the processor
 * fetches one of the planes, if there are any, with which they will be compared. */
static void filter_group(const Strip *strip, int64_t slot, int64_t at, int64_t rows, const float *planes) {
    static const struct {
        int from, by, to;
    } steps[FEATURES] = {
        {LUMINANCE, LUMINANCE, SEEN_LUMINANCE}, {RED_GREEN, RED_GREEN, SEEN_RED_GREEN},
        {WIDE_BLUE_YELLOW, WIDE_BLUE_YELLOW, SEEN_BLUE_YELLOW},
        {EDGES, SMOOTH, SLOPE_ALONG}, {POINTS, SMOOTH, BEND_ALONG},
    };
    const Filter *filters = strip->model->filters;
    int64_t length = rounded_length(strip);
    for (int i = 0; i < FEATURES; i++) {
        if (planes)
            prefetch_rows(strip, planes + i * strip->height * strip->width, at, rows);
        strip->by->filter_down(down_row(strip, steps[i].to, 0), along_row(strip, steps[i].from, slot),
                               filters[steps[i].by], rows, length);
    }
    strip->by->add_filtered_down(down_row(strip, SEEN_BLUE_YELLOW, 0), along_row(strip, NARROW_BLUE_YELLOW, slot),
                                 filters[NARROW_BLUE_YELLOW], rows, length);
    strip->by->derive_down(down_row(strip, SLOPE_DOWN, 0), down_row(strip, BEND_DOWN, 0),
                           along_row(strip, SMOOTH, slot), filters, rows, length);
}

/* Without a map, writes the features of row `at` to `planes`; with one, how they differ from those in `planes`.
 * `row` is its number in the group that was filtered down. */
static void finish_row(const Strip *strip, int64_t at, int64_t row, float *planes, float *map) {
    const Constants *constants = strip->model->constants;
    int64_t pixels = strip->height * strip->width, first = at * strip->width + strip->left, length = strip->length;
    float *own[FEATURES], *kept[FEATURES];
    for (int feature = 0; feature < FEATURES; feature++) {
        kept[feature] = planes + feature * pixels + first;
        own[feature] = map ? strip->features + feature * ROW : kept[feature];
    }
    to_lab(own[LIGHTNESS], own[A], own[B], down_row(strip, SEEN_LUMINANCE, row),
           down_row(strip, SEEN_RED_GREEN, row), down_row(strip, SEEN_BLUE_YELLOW, row), constants, length);
    lengths(own[EDGE], down_row(strip, SLOPE_ALONG, row), down_row(strip, SLOPE_DOWN, row), length);
    lengths(own[POINT], down_row(strip, BEND_ALONG, row), down_row(strip, BEND_DOWN, row), length);
    if (map)
        differences(map + first, (const float *const *)own, (const float *const *)kept, constants, length);
}

static void process_strip(const Strip *strip, float *planes, float *map) {
    int64_t reach = strip->reach;
    for (int64_t slot = 0; slot < 2 * reach; slot++)
        filter_row(strip, slot - reach, slot);
    for (int64_t top = 0; top < strip->height; top += BATCH) {
        int64_t batch = strip->height - top < BATCH ? strip->height - top : BATCH;
        for (int64_t row = 0; row < batch; row++)
            filter_row(strip, top + row + reach, row + 2 * reach);
        for (int64_t group = 0; group < batch; group += GROUP) {
            int64_t rows = batch - group < GROUP ? batch - group : GROUP;
            filter_group(strip, group + reach, top + group, rows, map ? planes : NULL);
            for (int64_t row = 0; row < rows; row++)
                finish_row(strip, top + group + row, row, planes, map);
        }
        for (int filter = 0; filter < FILTERS; filter++)
            memmove(along_row(strip, filter, 0), along_row(strip, filter, BATCH), 2 * reach * ROW * sizeof(float));
    }
}

/* `weights` has REACH + 1 numbers for each filter. */
static int process(const uint8_t *pixels, int64_t height, int64_t width, const Constants *constants,
                   const float *weights, const int64_t *reaches, int64_t lanes, float *planes, float *map) {
    Model model = {.constants = constants};
    Strip strip = {.pixels = pixels, .height = height, .width = width, .model = &model};
    strip.by = OF_WIDTH(filtering, lanes_up_to(lanes));
    for (int i = 0; i < FILTERS; i++) {
        model.filters[i] = (Filter){weights + i * (REACH + 1), reaches[i]};
        strip.reach = reaches[i] > strip.reach ? reaches[i] : strip.reach;
    }
    strip.depth = 2 * strip.reach + BATCH;
    int64_t kept = FILTERS * strip.depth * ROW, down = DOWN * GROUP * ROW, features = FEATURES * ROW;
    char *memory = calloc((kept + down + features + 2 * CHANNELS * INPUT_ROW) * sizeof(float) + CACHE_LINE, 1);
    if (!memory)
        return -1;
    strip.along = (float *)(memory + CACHE_LINE - (uintptr_t)memory % CACHE_LINE);
    strip.down = strip.along + kept;
    strip.features = strip.down + down;
    strip.rgb = strip.features + features;
    strip.opponent = strip.rgb + CHANNELS * INPUT_ROW;
    for (strip.left = 0; strip.left < width; strip.left += STRIP) {
        strip.length = width - strip.left < STRIP ? width - strip.left : STRIP;
        process_strip(&strip, planes, map);
    }
    free(memory);
    return 0;
}

/* The features of a picture: lightness, a, b, edges and points, five planes of height × width, with vectors of
 * at most `lanes`. 0, or −1 where memory is short. */
int flip_features(const uint8_t *pixels, int64_t height, int64_t width, const Constants *constants,
                  const float *weights, const int64_t *reaches, int64_t lanes, float *planes) {
    return process(pixels, height, width, constants, weights, reaches, lanes, planes, NULL);
}

/* The map of a part of two pictures from the features of both; it is the same in either order. In the features,
 * a row of the part is `pitch` floats from the next one, and a plane `plane` floats. */
void flip_part_difference(const float *one, const float *other, int64_t plane, int64_t pitch, int64_t height,
                          int64_t width, const Constants *constants, float *map) {
    for (int64_t y = 0; y < height; y++, one += pitch, other += pitch, map += width)
        for (int64_t x = 0; x < width; x += STRIP) {
            const float *rows[FEATURES], *others[FEATURES];
            for (int feature = 0; feature < FEATURES; feature++) {
                rows[feature] = one + feature * plane + x;
                others[feature] = other + feature * plane + x;
            }
            differences(map + x, rows, others, constants, width - x < STRIP ? width - x : STRIP);
        }
}

/* The map of a picture against the features of another. 0, or −1 where memory is short. */
int flip_compare(const uint8_t *pixels, int64_t height, int64_t width, const Constants *constants,
                 const float *weights, const int64_t *reaches, int64_t lanes, const float *planes, float *map) {
    return process(pixels, height, width, constants, weights, reaches, lanes, (float *)planes, map);
}
