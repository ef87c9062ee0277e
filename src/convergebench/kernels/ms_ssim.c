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
enum { STRIP = 384, ROW = STRIP + 16, INPUT_ROW = STRIP + 2 * REACH * CHANNELS + WIDEST };
/* Rows that are blurred along before they are blurred down, and those that are blurred down together. */
enum { BATCH = 32, AT_ONCE = 4, DEPTH = WINDOW - 1 + BATCH };

typedef struct Blur Blur;

typedef struct {
    const float *planes, *means, *variances; /* of the source */
    const float *result;
    const uint8_t *levels; /* the result if it is not given as planes */
    int64_t height, stride; /* from one row of a plane to the next */
    const float *weights;
    float c1, c2, middle;
    int with_light;
    const Blur *blur;
    float along[KINDS][DEPTH][ROW];
    float source_row[INPUT_ROW], result_row[INPUT_ROW];
    double sums[CHANNELS];
} Scale;

struct Blur {
    void (*along)(const float *source, const float *result, const float *weights, int64_t count,
                  float *const *out);
    void (*add_ratios)(const Scale *by, int64_t slot, int64_t at, int64_t rows, int64_t begin, int64_t end,
                       float *sums);
};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LANES 16
#include "ms_ssim_blur.h"
#undef LANES
#define LANES 8
#include "ms_ssim_blur.h"
#undef LANES
#endif
#define LANES 1
#include "ms_ssim_blur.h"

static const Blur *blur_by(int64_t lanes) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (lanes == 16)
        return &blur_16;
    if (lanes == 8)
        return &blur_8;
#endif
    (void)lanes;
    return &blur_1;
}

FOR_EACH_PROCESSOR
static void subtract_middle(const uint8_t *restrict levels, float middle, int64_t count, float *restrict out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (float)levels[i] - middle;
}

static void prefetch(const void *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const char *)from + i);
}

static int64_t rounded(int64_t count) {
    return (count + WIDEST - 1) / WIDEST * WIDEST;
}

/* Blurs a row of a strip of `count` windows along. Whole vectors are read, which may go beyond the end of a
 * plane: then the row is copied first. */
static void blur_row(Scale *scale, int64_t row, int64_t left, int64_t count, int64_t slot) {
    int64_t at = row * scale->stride + left, length = count + (WINDOW - 1) * CHANNELS;
    const float *source = scale->planes + at, *result = scale->result + at;
        int is_whole = rounded(count) == count;
    if (row + 1 < scale->height) {
        prefetch(source + scale->stride, length * sizeof(float));
        if (scale->levels)
            prefetch(scale->levels + at + scale->stride, length);
        else
            prefetch(result + scale->stride, length * sizeof(float));
    }
    if (scale->levels)
        subtract_middle(scale->levels + at, scale->middle, length, scale->result_row);
    else if (!is_whole)
        memcpy(scale->result_row, result, length * sizeof(float));
    if (!is_whole)
        memcpy(scale->source_row, source, length * sizeof(float));
    float *out[] = {scale->along[VALUE][slot], scale->along[SQUARE][slot], scale->along[PRODUCT][slot]};
    scale->blur->along(is_whole ? source : scale->source_row,
                       scale->levels || !is_whole ? scale->result_row : result, scale->weights, rounded(count),
                       out);
}

/* Adds the windows of a few rows; that of the first is kept in `slot`. */
static void sum_rows(Scale *scale, int64_t top, int64_t slot, int64_t rows, int64_t left, int64_t count) {
    int64_t at = (top + REACH) * scale->stride + REACH * CHANNELS + left, whole = count / WIDEST * WIDEST;
    float sums[SUMS] = {0};
    for (int64_t row = 0; row < AT_ONCE; row++) {
        prefetch(scale->means + at + (rows + row) * scale->stride, count * sizeof(float));
        prefetch(scale->variances + at + (rows + row) * scale->stride, count * sizeof(float));
    }
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

/* The sums over all windows that lie inside, per channel; planes, means and variances of the source, and the
 * result, are height × width × 3. The result is given as levels, or if these are NULL, as planes. Vectors have
 * at most `lanes`. −1 without memory. */
int ms_ssim_sums(const float *planes, const float *means, const float *variances, const float *result,
                 const uint8_t *levels, int64_t height, int64_t width, const float *weights, float c1, float c2,
                 float middle, int64_t with_light, int64_t lanes, double *sums) {
    int64_t count = (width - 2 * REACH) * CHANNELS;
    Scale *scale = calloc(1, sizeof(Scale));
    if (!scale)
        return -1;
    scale->planes = planes;
    scale->means = means;
    scale->variances = variances;
    scale->result = result;
    scale->levels = levels;
    scale->height = height;
    scale->stride = width * CHANNELS;
    scale->weights = weights;
    scale->c1 = c1;
    scale->c2 = c2;
    scale->middle = middle;
    scale->with_light = with_light != 0;
    scale->blur = blur_by(lanes_up_to(lanes));
    for (int64_t left = 0; left < count; left += STRIP)
        sum_strip(scale, left, count - left < STRIP ? count - left : STRIP);
    memcpy(sums, scale->sums, sizeof scale->sums);
    free(scale);
    return 0;
}

/* The mean of each 2 × 2 pixels less the middle; both sides are even. */
void halve_levels(const uint8_t *pixels, int64_t height, int64_t width, float middle, float *out) {
    int64_t row = width * CHANNELS;
    for (int64_t y = 0; y < height; y += 2) {
        const uint8_t *upper = pixels + y * row, *lower = upper + row;
        for (int64_t x = 0; x < width; x += 2, upper += 2 * CHANNELS, lower += 2 * CHANNELS)
            for (int channel = 0; channel < CHANNELS; channel++) {
                int32_t sum = upper[channel] + upper[channel + CHANNELS] + lower[channel] +
                              lower[channel + CHANNELS];
                *out++ = (float)sum * 0.25f - middle;
            }
    }
}
