/* The mean of a map over the window around each pixel, and the sum of a map. Plain C, called through ctypes.
 *
 * As OpenCV's boxFilter makes it, to the bit: running sums in doubles along each row, and then down. A running
 * sum waits for the one before it, so that a few rows are summed at once. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

enum { ROWS = 8, SUMS = 32 };

/* Of the values that begin and end to lie in the window, the differences. */
FOR_EACH_PROCESSOR
static void subtract_ends(const float *restrict row, int64_t window, int64_t count, double *restrict out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (double)row[i + window] - (double)row[i];
}

/* Running sums of ROWS rows, which are `pitch` apart, in place; the first value of each is its first sum. */
static void accumulate(double *rows, int64_t pitch, int64_t count) {
    double sums[ROWS];
    for (int row = 0; row < ROWS; row++)
        sums[row] = rows[row * pitch];
    for (int64_t i = 1; i < count; i++)
        for (int row = 0; row < ROWS; row++)
            rows[row * pitch + i] = sums[row] += rows[row * pitch + i];
}

/* `out`: the sums of the windows along a row of the map. Short ones have no running sum. */
static void begin_row(const float *padded, int64_t window, int64_t width, double *out) {
    double sum = 0;
    for (int64_t i = 0; i < window; i++)
        sum += (double)padded[i];
    out[0] = sum;
    subtract_ends(padded, window, width - 1, out + 1);
}

FOR_EACH_PROCESSOR
static void sum_short(const float *restrict padded, int64_t window, int64_t width, double *restrict out) {
    for (int64_t i = 0; i < width; i++) {
        double sum = (double)padded[i] + (double)padded[i + 1] + (double)padded[i + 2];
        out[i] = window == 3 ? sum : sum + (double)padded[i + 3] + (double)padded[i + 4];
    }
}

/* One row of means, scaled and limited to 0 to 1; `sums` are those of the rows above. */
FOR_EACH_PROCESSOR
static void finish_row(double *restrict sums, const double *restrict entering, const double *restrict leaving,
                       double scale, float down, const float *restrict along, int64_t width,
                       float *restrict out) {
    for (int64_t i = 0; i < width; i++) {
        double sum = sums[i] + entering[i];
        float mean = (float)(sum * scale) * down * along[i];
        out[i] = smaller(larger(mean, 0), 1);
        sums[i] = sum - leaving[i];
    }
}

typedef struct {
    const float *map;
    int64_t height, width, window;
    int64_t pitch, kept; /* the places from one row of sums to the next, and the rows of them that are kept */
    double *rows, *none, *sums;
    float *padded;
} Smoothing;

/* The sums along ROWS rows of the map from `first` on; there are none below the map. */
static void sum_along(const Smoothing *by, int64_t first) {
    double *rows = by->rows + first % by->kept * by->pitch;
    for (int64_t row = 0; row < ROWS; row++) {
        double *to = rows + row * by->pitch;
        if (first + row >= by->height) {
            memset(to, 0, by->width * sizeof(double));
            continue;
        }
        memcpy(by->padded + by->window / 2, by->map + (first + row) * by->width, by->width * sizeof(float));
        if (by->window <= 5)
            sum_short(by->padded, by->window, by->width, to);
        else
            begin_row(by->padded, by->window, by->width, to);
    }
    if (by->window > 5)
        accumulate(rows, by->pitch, by->width);
}

static const double *row_sums(const Smoothing *by, int64_t row) {
    return row < 0 || row >= by->height ? by->none : by->rows + row % by->kept * by->pitch;
}

static void add_to_sums(const Smoothing *by, const double *row) {
    for (int64_t i = 0; i < by->width; i++)
        by->sums[i] += row[i];
}

/* The mean of the map over each window, times the factors of its row and column, from 0 to 1. The window is odd
 * and at least 3; beyond the map all is 0. −1 without memory. */
int smooth_map(const float *map, int64_t height, int64_t width, int64_t window, const float *down,
               const float *along, float *out) {
    int64_t pitch = width + CHANNELS * ROWS, kept = (window / ROWS + 2) * ROWS, reach = window / 2;
    double *room = calloc((kept + 2) * pitch, sizeof(double));
    float *padded = calloc(width + window, sizeof(float));
    Smoothing by = {map, height, width, window, pitch, kept, room, room + kept * pitch,
                    room + (kept + 1) * pitch, padded};
    int64_t summed = 0;
    for (int64_t row = -reach; room && padded && row < height; row++) {
        int64_t entering = row + reach;
        if (entering == summed && entering < height) {
            sum_along(&by, entering);
            summed += ROWS;
        }
        if (row < 0)
            add_to_sums(&by, row_sums(&by, entering));
        else
            finish_row(by.sums, row_sums(&by, entering), row_sums(&by, row - reach),
                       1.0 / (double)(window * window), down[row], along, width, out + row * width);
    }
    int is_there = room && padded;
    free(room);
    free(padded);
    return is_there ? 0 : -1;
}

/* Each of SUMS sums takes the values that are SUMS apart, which all processors add in the same order. */
FOR_EACH_PROCESSOR
static void add_values(const float *restrict values, int64_t count, double *restrict sums) {
    for (int64_t i = 0; i + SUMS <= count; i += SUMS)
        for (int each = 0; each < SUMS; each++)
            sums[each] += (double)values[i + each];
}

/* The sum of a map's values, in doubles. */
double map_sum(const float *map, int64_t count) {
    double sums[SUMS] = {0}, total = 0;
    add_values(map, count, sums);
    for (int64_t i = count - count % SUMS; i < count; i++)
        total += (double)map[i];
    for (int each = 0; each < SUMS; each++)
        total += sums[each];
    return total;
}
