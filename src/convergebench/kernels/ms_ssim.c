/* One scale of MS-SSIM. Plain C, called through ctypes.
 *
 * What metrics/ms_ssim.py does with OpenCV and NumPy, in one pass over the picture: of the blurred result, its
 * square and its product with the source, only some rows of a strip of columns are kept. Planes have interleaved
 * channels. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

enum { WINDOW = 11, REACH = WINDOW / 2, SUMS = 3 * 16, WIDEST = 16, CACHE_LINE = 64 };
enum { VALUE, SQUARE, PRODUCT, KINDS };
/* Values in a row of a strip, so that the rows that are blurred down together stay in the first cache, and from
 * one row to the next: an odd number of cache lines, so that rows do not compete for the same place in it. */
enum { STRIP = 768, ROW = STRIP + 16, INPUT_ROW = STRIP + 2 * REACH * CHANNELS + 3 * WIDEST };
/* Rows that are blurred along before they are blurred down, and those that are blurred down together. */
enum { BATCH = 32, AT_ONCE = 4, DEPTH = WINDOW - 1 + BATCH };

enum { HALVED = 2 * CHANNELS * 128 }; /* values of a row that are halved together */

typedef struct Blur Blur;

typedef struct {
    const void *source, *result; /* planes, or if `is_levels`, pixels */
    int is_levels;
    const float *means, *variances; /* of the source */
    int64_t height, stride; /* from one row of a plane to the next */
    const float *weights;
    float c1, c2, middle;
    int with_light;
    const Blur *blur;
    float along[KINDS][DEPTH][ROW];
    float value_row[INPUT_ROW], product_row[INPUT_ROW]; /* of one row, with room for whole vectors */
    double sums[CHANNELS];
} Scale;

struct Blur {
    void (*along)(const float *result, const float *products, const float *weights, int64_t count,
                  float *const *out);
    void (*add_ratios)(const Scale *by, int64_t slot, int64_t at, int64_t rows, int64_t begin, int64_t end,
                       float *sums);
};

#define OF_ONE_WIDTH "ms_ssim_blur.h"
#include "every_width.h"

/* A row of the result, and its products with the source. */
FOR_EACH_PROCESSOR
static void read_levels(const uint8_t *restrict source, const uint8_t *restrict result, float middle,
                        int64_t count, float *restrict values, float *restrict products) {
    for (int64_t i = 0; i < count; i++) {
        values[i] = (float)result[i] - middle;
        products[i] = ((float)source[i] - middle) * ((float)result[i] - middle);
    }
}

FOR_EACH_PROCESSOR
static void read_planes(const float *restrict source, const float *restrict result, int64_t count,
                        float *restrict values, float *restrict products) {
    for (int64_t i = 0; i < count; i++) {
        values[i] = result[i];
        products[i] = source[i] * result[i];
    }
}

static void prefetch(const void *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const char *)from + i);
}

static int64_t rounded(int64_t count) {
    return (count + WIDEST - 1) / WIDEST * WIDEST;
}

/* Blurs a row of a strip of `count` windows along. */
static void blur_row(Scale *scale, int64_t row, int64_t left, int64_t count, int64_t slot) {
    int64_t at = row * scale->stride + left, length = count + (WINDOW - 1) * CHANNELS;
    float *values = scale->value_row + WIDEST, *products = scale->product_row;
    int64_t size = scale->is_levels ? 1 : sizeof(float), next = row + 1 < scale->height ? scale->stride : 0;
    prefetch((const char *)scale->source + (at + next) * size, length * size);
    prefetch((const char *)scale->result + (at + next) * size, length * size);
    if (scale->is_levels)
        read_levels((const uint8_t *)scale->source + at, (const uint8_t *)scale->result + at, scale->middle,
                    length, values, products);
    else
        read_planes((const float *)scale->source + at, (const float *)scale->result + at, length, values,
                    products);
    float *out[] = {scale->along[VALUE][slot], scale->along[SQUARE][slot], scale->along[PRODUCT][slot]};
    scale->blur->along(values, products, scale->weights, rounded(count), out);
}

/* Adds the windows of a few rows; that of the first is kept in `slot`. */
static void sum_rows(Scale *scale, int64_t top, int64_t slot, int64_t rows, int64_t left, int64_t count) {
    int64_t at = (top + REACH) * scale->stride + REACH * CHANNELS + left, whole = count / WIDEST * WIDEST;
    float sums[SUMS] = {0};
    scale->blur->add_ratios(scale, slot, at, rows, 0, whole, sums);
    add_ratios_1(scale, slot, at, rows, whole, count, sums);
    for (int i = 0; i < SUMS; i++)
        scale->sums[i % CHANNELS] += sums[i];
}

/* A strip of `count` windows from the value `left` of each row on. */
static void sum_strip(Scale *scale, int64_t left, int64_t count) {
    int64_t windows = scale->height - WINDOW + 1;
    for (int64_t row = 0; row < WINDOW - 1; row++)
        blur_row(scale, row, left, count, row);
    for (int64_t top = 0; top < windows; top += BATCH) {
        int64_t batch = windows - top < BATCH ? windows - top : BATCH;
        for (int64_t row = 0; row < batch; row++)
            blur_row(scale, top + row + WINDOW - 1, left, count, row + WINDOW - 1);
        for (int64_t first = 0; first < batch; first += AT_ONCE)
            sum_rows(scale, top + first, first + REACH, batch - first < AT_ONCE ? batch - first : AT_ONCE, left,
                     count);
        for (int kind = 0; kind < KINDS; kind++)
            memmove(scale->along[kind][0], scale->along[kind][BATCH], (WINDOW - 1) * sizeof scale->along[kind][0]);
    }
}

/* The sums over all windows that lie inside, per channel; all arrays are height × width × 3. Source and result are
 * given as levels or as planes; means and variances are those of the source. Vectors have at most `lanes`. −1
 * without memory. */
int ms_ssim_sums(const void *source, const void *result, int64_t is_levels, const float *means,
                 const float *variances, int64_t height, int64_t width, const float *weights, float c1, float c2,
                 float middle, int64_t with_light, int64_t lanes, double *sums) {
    int64_t count = (width - 2 * REACH) * CHANNELS;
    Scale *scale = calloc(1, sizeof(Scale));
    if (!scale)
        return -1;
    scale->source = source;
    scale->means = means;
    scale->variances = variances;
    scale->result = result;
    scale->is_levels = is_levels != 0;
    scale->height = height;
    scale->stride = width * CHANNELS;
    scale->weights = weights;
    scale->c1 = c1;
    scale->c2 = c2;
    scale->middle = middle;
    scale->with_light = with_light != 0;
    scale->blur = OF_WIDTH(blur, lanes_up_to(lanes));
    for (int64_t left = 0; left < count; left += STRIP)
        sum_strip(scale, left, count - left < STRIP ? count - left : STRIP);
    memcpy(sums, scale->sums, sizeof scale->sums);
    free(scale);
    return 0;
}

/* The mean of each value, the one to its right, and the two below, less the middle. */
FOR_EACH_PROCESSOR
static void average(const uint8_t *restrict upper, const uint8_t *restrict lower, float middle, int64_t count,
                    float *restrict out) {
    for (int64_t i = 0; i < count; i++) {
        int32_t sum = upper[i] + upper[i + CHANNELS] + lower[i] + lower[i + CHANNELS];
        out[i] = (float)sum * 0.25f - middle;
    }
}

FOR_EACH_PROCESSOR
static void average_planes(const float *restrict upper, const float *restrict lower, int64_t count,
                           float *restrict out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (upper[i] + upper[i + CHANNELS] + lower[i] + lower[i + CHANNELS]) * 0.25f;
}

/* Every other pixel, from `count` values of a row. One value more is copied, which takes one instruction less, and
 * the next pixel replaces it. */
static void take_every_other(const float *row, int64_t count, float *out) {
    for (int64_t i = 0; i < count - 2 * CHANNELS; i += 2 * CHANNELS, out += CHANNELS)
        memcpy(out, row + i, (CHANNELS + 1) * sizeof(float));
    memcpy(out, row + count - 2 * CHANNELS, CHANNELS * sizeof(float));
}

/* The mean of each 2 × 2 pixels; levels less the middle, planes as they are. Both sides are even. All neighbours
 * are averaged, because that is done in vectors, and every other pixel is taken. */
void halve_pixels(const void *pixels, int64_t is_levels, int64_t height, int64_t width, float middle, float *out) {
    int64_t row = width * CHANNELS;
    float means[HALVED];
    for (int64_t y = 0; y < height; y += 2)
        for (int64_t left = 0; left < row; left += HALVED) {
            int64_t count = row - left < HALVED ? row - left : HALVED, at = y * row + left;
            const uint8_t *levels = (const uint8_t *)pixels + at;
            const float *planes = (const float *)pixels + at;
            if (is_levels)
                average(levels, levels + row, middle, count - CHANNELS, means);
            else
                average_planes(planes, planes + row, count - CHANNELS, means);
            take_every_other(means, count, out);
            out += count / 2;
        }
}
