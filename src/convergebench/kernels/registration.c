/* Registering a picture to another. Plain C, called through ctypes.
 *
 * What metrics/drift/_registration.py does with OpenCV and NumPy, in three passes over the plane instead of
 * twenty: lay the result on the source, weigh the differences, sum the normal equations. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "equations.h"
#include "floats.h"

enum { EQUATIONS = PRODUCTS + PARAMETERS + 2, LANES = 16 };
enum { STEPS = 32, STEP_BITS = 5, SCALE = 1024 }; /* OpenCV's places between two pixels, and its fixed point */
enum { POINT_BITS = 10, PIECE = 32 }; /* of that fixed point; places that are laid at once */
enum { FARTHEST = 1 << 20 }; /* in pixels: a plane moved further reaches nothing */

/* A plane of the result laid on the source: 0 where it does not reach, and whether it does. */
typedef struct {
    float *plane, *inside;
} Laid;

/* To the nearest, as OpenCV rounds: adding 1.5 · 2⁵² leaves no room for a fraction. */
static inline int64_t rounded(double x) {
    return (int64_t)((x + 6755399441055744.0) - 6755399441055744.0);
}

/* Of a row, the first and last place at which all four pixels around a point lie inside. Points move evenly
 * along a row, so that those inside follow one another. */
typedef struct {
    int64_t first, end;
} Span;

/* The span of places where start + across[x] stays within [0, end), both in 1/1024 of a pixel. */
static Span within(Span span, int64_t start, const int32_t *across, int64_t end) {
    while (span.first < span.end && (start + across[span.first] < 0 || start + across[span.first] >= end))
        span.first++;
    while (span.end > span.first && (start + across[span.end - 1] < 0 || start + across[span.end - 1] >= end))
        span.end--;
    return span;
}

/* Where the points of a row come from, in 1/1024 of a pixel: those of the row's start and of each place. */
typedef struct {
    int32_t x, y;
    const int32_t *across, *across_down;
} Points;

/* Whether all places of a piece, which lie inside, are moved by the same whole pixels; `begin` is its first. */
FOR_EACH_PROCESSOR
static int is_even(Points from, int64_t begin) {
    int32_t right = ((from.x + from.across[begin]) >> POINT_BITS) - (int32_t)begin;
    int32_t down = (from.y + from.across_down[begin]) >> POINT_BITS, differing = 0;
    for (int32_t i = (int32_t)begin; i < (int32_t)begin + PIECE; i++)
        differing |= ((((from.x + from.across[i]) >> POINT_BITS) - i) ^ right) |
                     (((from.y + from.across_down[i]) >> POINT_BITS) ^ down);
    return !differing;
}

/* Bilinear between places 1/32 of a pixel apart, as OpenCV's warpAffine has it. `upper` are the pixels around
 * the first of the places. */
INLINE float between(const float *upper, int64_t width, int32_t at_x, int32_t at_y) {
    float u = (float)(at_x & (STEPS - 1)) * (1.0f / STEPS), v = (float)(at_y & (STEPS - 1)) * (1.0f / STEPS);
    return (1 - v) * ((1 - u) * upper[0] + u * upper[1]) + v * ((1 - u) * upper[width] + u * upper[width + 1]);
}

/* A piece whose pixels follow one another: gathering them takes several times as long. */
FOR_EACH_PROCESSOR
static void lay_evenly(float *restrict out, const float *restrict plane, int64_t width, int64_t begin,
                       Points from) {
    int64_t left = (from.x + from.across[begin]) >> POINT_BITS;
    int64_t top = (from.y + from.across_down[begin]) >> POINT_BITS;
    const float *upper = plane + top * width + left;
    const int32_t *across = from.across + begin, *across_down = from.across_down + begin;
    for (int64_t i = 0; i < PIECE; i++)
        out[begin + i] = between(upper + i, width, (from.x + across[i]) >> STEP_BITS,
                                 (from.y + across_down[i]) >> STEP_BITS);
}

FOR_EACH_PROCESSOR
static void lay_places(float *restrict out, const float *restrict plane, int64_t width, Span span, Points from) {
    for (int64_t x = span.first; x < span.end; x++) {
        int32_t at_x = (from.x + from.across[x]) >> STEP_BITS, at_y = (from.y + from.across_down[x]) >> STEP_BITS;
        out[x] = between(plane + (int64_t)(at_y >> STEP_BITS) * width + (at_x >> STEP_BITS), width, at_x, at_y);
    }
}

/* Where any of the four pixels that count lies outside, the result does not reach. A row below and a column
 * beyond the plane are not read: their weight is 0 where the span ends, and the plane has room for them. */
static void lay_row(float *out, const float *plane, int64_t width, Span span, Points from) {
    for (int64_t x = span.first; x < span.end; x += PIECE)
        if (x + PIECE <= span.end && is_even(from, x))
            lay_evenly(out, plane, width, x, from);
        else
            lay_places(out, plane, width, (Span){x, x + PIECE < span.end ? x + PIECE : span.end}, from);
}

FOR_EACH_PROCESSOR
static void mark_inside(float *inside, Span span, int64_t width) {
    memset(inside, 0, span.first * sizeof(float));
    for (int64_t x = span.first; x < span.end; x++)
        inside[x] = 1;
    memset(inside + span.end, 0, (width - span.end) * sizeof(float));
}

static void lay(Laid to, const float *plane, int64_t height, int64_t width, const double *affine,
                const int32_t *across) {
    int32_t half_step = SCALE / STEPS / 2;
    /* a point counts as inside up to the last pixel itself, within the step that it is rounded to */
    int64_t right = (width - 1) * SCALE + SCALE / STEPS, bottom = (height - 1) * SCALE + SCALE / STEPS;
    for (int64_t y = 0; y < height; y++) {
        float *out = to.plane + y * width, *inside = to.inside + y * width;
        double start_x = affine[1] * y + affine[2], start_y = affine[4] * y + affine[5];
        Span span = {0, 0};
        if (fabs(start_x) <= FARTHEST && fabs(start_y) <= FARTHEST) {
            Points from = {(int32_t)rounded(start_x * SCALE) + half_step,
                           (int32_t)rounded(start_y * SCALE) + half_step, across, across + width};
            span = within(within((Span){0, width}, from.x, from.across, right), from.y, from.across_down, bottom);
            lay_row(out, plane, width, span, from);
        }
        memset(out, 0, span.first * sizeof(float));
        memset(out + span.end, 0, (width - span.end) * sizeof(float));
        mark_inside(inside, span, width);
    }
}

/* Sums of x·x, y·y and x·y, where x is the source inside the laid plane y. */
FOR_EACH_PROCESSOR
static void sum_products(const float *restrict source, Laid laid, int64_t count, double *sums) {
    const float *restrict plane = laid.plane, *restrict inside = laid.inside;
    double xx[LANES] = {0}, yy[LANES] = {0}, xy[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            float x = source[i + lane] * inside[i + lane], y = plane[i + lane];
            xx[lane] += x * x;
            yy[lane] += y * y;
            xy[lane] += x * y;
        }
    for (; i < count; i++) {
        float x = source[i] * inside[i], y = plane[i];
        xx[0] += x * x;
        yy[0] += y * y;
        xy[0] += x * y;
    }
    sums[0] = sums[1] = sums[2] = 0;
    for (int lane = 0; lane < LANES; lane++) {
        sums[0] += xx[lane];
        sums[1] += yy[lane];
        sums[2] += xy[lane];
    }
}

FOR_EACH_PROCESSOR
static void subtract(const float *restrict source, Laid laid, float amplitude, int64_t count) {
    float *restrict plane = laid.plane;
    const float *restrict inside = laid.inside;
    for (int64_t i = 0; i < count; i++)
        plane[i] = plane[i] * amplitude - source[i] * inside[i];
}

/* The k-th smallest; the values are reordered. */
static float nth(float *values, int64_t count, int64_t k) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                float swapped = values[i];
                values[i++] = values[j];
                values[j--] = swapped;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return values[k];
}

/* Median of the absolute values of every `sampled`-th difference. */
static float typical(const float *differences, float *room, int64_t count, int64_t sampled) {
    int64_t samples = 0;
    for (int64_t i = 0; i < count; i += sampled)
        room[samples++] = fabsf(differences[i]);
    float upper = nth(room, samples, samples / 2);
    return samples % 2 ? upper : (upper + nth(room, samples, samples / 2 - 1)) / 2;
}

/* Products of the slopes (upper triangle, row by row), slopes · difference, squared differences and the
 * weights themselves, each weighted. A row of the plane is summed in floats, rows in doubles. */
FOR_EACH_PROCESSOR
static void sum_row(const float *restrict slopes, int64_t stride, const float *restrict difference,
                    const float *restrict inside, float per_spread, int64_t count, double *sums) {
    float lanes[EQUATIONS][LANES] = {{0}};
    const float *restrict a = slopes, *restrict b = slopes + stride, *restrict c = slopes + 2 * stride,
                *restrict d = slopes + 3 * stride;
    for (int64_t start = 0; start < count; start += LANES) {
        int64_t here = count - start < LANES ? count - start : LANES;
        for (int64_t lane = 0; lane < here; lane++) {
            int64_t i = start + lane;
            float e = difference[i], scaled = e * per_spread, weight = inside[i] / (1 + scaled * scaled);
            float wa = weight * a[i], wb = weight * b[i], wc = weight * c[i], wd = weight * d[i];
            lanes[0][lane] += wa * a[i];
            lanes[1][lane] += wa * b[i];
            lanes[2][lane] += wa * c[i];
            lanes[3][lane] += wa * d[i];
            lanes[4][lane] += wb * b[i];
            lanes[5][lane] += wb * c[i];
            lanes[6][lane] += wb * d[i];
            lanes[7][lane] += wc * c[i];
            lanes[8][lane] += wc * d[i];
            lanes[9][lane] += wd * d[i];
            lanes[10][lane] += wa * e;
            lanes[11][lane] += wb * e;
            lanes[12][lane] += wc * e;
            lanes[13][lane] += wd * e;
            lanes[14][lane] += weight * e * e;
            lanes[15][lane] += weight;
        }
    }
    for (int sum = 0; sum < EQUATIONS; sum++)
        for (int lane = 0; lane < LANES; lane++)
            sums[sum] += lanes[sum][lane];
}

/* Room for a laid plane, a copy of the result with a row and a pixel behind it, samples of differences, and how
 * far points move along a row. */
typedef struct {
    Laid laid;
    float *result, *samples;
    int32_t *across;
} Room;

static void free_room(Room room) {
    free(room.laid.plane);
    free(room.laid.inside);
    free(room.result);
    free(room.samples);
    free(room.across);
}

static int make_room(Room *room, const float *result, int64_t height, int64_t width, int64_t sampled) {
    int64_t count = height * width;
    *room = (Room){{malloc(count * sizeof(float)), malloc(count * sizeof(float))},
                   calloc(count + width + 1, sizeof(float)),
                   malloc((count / sampled + 1) * sizeof(float)),
                   malloc(2 * width * sizeof(int32_t))};
    if (room->result)
        memcpy(room->result, result, count * sizeof(float));
    return room->laid.plane && room->laid.inside && room->result && room->samples && room->across;
}

static void lay_result(Room room, int64_t height, int64_t width, const double *affine) {
    for (int64_t x = 0; x < width; x++) {
        room.across[x] = (int32_t)rounded(affine[0] * x * SCALE);
        room.across[width + x] = (int32_t)rounded(affine[3] * x * SCALE);
    }
    lay(room.laid, room.result, height, width, affine, room.across);
}

/* The sums x·x, y·y, x·y of the source and the result laid on it, where it reaches. −1 without memory. */
int registration_products(const float *source, const float *result, int64_t height, int64_t width,
                          const double *affine, double *sums) {
    Room room;
    int is_there = make_room(&room, result, height, width, height * width);
    if (is_there) {
        lay_result(room, height, width, affine);
        sum_products(source, room.laid, height * width, sums);
    }
    free_room(room);
    return is_there ? 0 : -1;
}

/* The source at one size: its plane, and four planes of slopes, one for each parameter. */
typedef struct {
    const float *plane, *slopes;
    int64_t height, width;
} Level;

/* The 16 sums of `sum_row` over the plane, and the three of `sum_products`. */
static void sum_equations(Room room, Level level, const double *affine, int64_t sampled, double *sums) {
    int64_t count = level.height * level.width;
    float *plane = room.laid.plane, *inside = room.laid.inside;
    double *products = sums + EQUATIONS;
    lay_result(room, level.height, level.width, affine);
    sum_products(level.plane, room.laid, count, products);
    /* contrast and sharpness must not look like zoom */
    subtract(level.plane, room.laid, products[1] > 0 ? (float)sqrt(products[0] / products[1]) : 1, count);
    float spread = 3 * typical(plane, room.samples, count, sampled) + 1e-3f;
    memset(sums, 0, EQUATIONS * sizeof(double));
    for (int64_t at = 0; at < count; at += level.width)
        sum_row(level.slopes + at, count, plane + at, inside + at, 1 / spread, level.width, sums);
}

/* The sums of `sum_equations`; slopes are four planes. −1 without memory. */
int registration_sums(const float *source, const float *slopes, const float *result, int64_t height,
                      int64_t width, const double *affine, int64_t sampled, double *sums) {
    Room room;
    int is_there = make_room(&room, result, height, width, sampled);
    if (is_there)
        sum_equations(room, (Level){source, slopes, height, width}, affine, sampled, sums);
    free_room(room);
    return is_there ? 0 : -1;
}

/* A similarity transform as its first column and its shift, in units of the longer side from the centre:
 * x' = p·x − q·y + right, y' = q·x + p·y + down. */
typedef struct {
    double p, q, right, down;
} Similarity;

/* Of a picture of this size, in pixels from the first one; two rows of three. */
static void to_pixels(Similarity s, int64_t height, int64_t width, double *affine) {
    double side = width > height ? width : height, x = (width - 1) / 2.0, y = (height - 1) / 2.0;
    double rows[6] = {s.p,  -s.q, side * s.right + x - s.p * x + s.q * y,
                      s.q, s.p, side * s.down + y - s.q * x - s.p * y};
    memcpy(affine, rows, sizeof rows);
}

/* First the inverse of the other, then this one. */
static Similarity after_inverse(Similarity s, Similarity other) {
    double length = other.p * other.p + other.q * other.q;
    double p = other.p / length, q = -other.q / length;
    double right = -(p * other.right - q * other.down), down = -(q * other.right + p * other.down);
    return (Similarity){s.p * p - s.q * q, s.q * p + s.p * q, s.p * right - s.q * down + s.right,
                        s.q * right + s.p * down + s.down};
}

/* Improve a similarity step by step, until a step moves no corner further than `settled`, in pixels. 1 if the
 * equations became singular, which ends the search; −1 without memory. */
int registration_refined(const float *source, const float *slopes, const float *result, int64_t height,
                         int64_t width, int64_t most_steps, double settled, double least, int64_t sampled,
                         double *similarity) {
    Level level = {source, slopes, height, width};
    Similarity found = {similarity[0], similarity[1], similarity[2], similarity[3]};
    double side = width > height ? width : height;
    double affine[6], sums[EQUATIONS + 3], step[PARAMETERS];
    int ended = 0;
    Room room;
    int is_there = make_room(&room, result, height, width, sampled);
    for (int64_t number = 0; is_there && number < most_steps; number++) {
        to_pixels(found, height, width, affine);
        sum_equations(room, level, affine, sampled, sums);
        ended = is_singular(sums, least);
        if (ended)
            break;
        solve(sums, sums + PRODUCTS, step);
        found = after_inverse(found, (Similarity){1 + step[0], step[1], step[2], step[3]});
        double size = fabs(step[0]) + fabs(step[1]) + fabs(step[2]) + fabs(step[3]);
        if (size * side < settled)
            break;
    }
    free_room(room);
    memcpy(similarity, (double[]){found.p, found.q, found.right, found.down}, PARAMETERS * sizeof(double));
    return is_there ? ended : -1;
}
