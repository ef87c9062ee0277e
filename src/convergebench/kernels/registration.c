/* Registering a picture to another. Plain C, called through ctypes.
 *
 * What metrics/drift/_registration.py does with OpenCV and NumPy, in three passes over the plane instead of
 * twenty: lay the result on the source, weigh the differences, sum the normal equations. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "equations.h"
#include "floats.h"
#include "median.h"

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

/* Whether all places of a piece, which lie inside, are moved by the same whole pixels. What they are moved by
 * either grows or shrinks along a row, so that the ends tell. */
static int is_even(Points from, Span piece) {
    int32_t first = (int32_t)piece.first, last = (int32_t)piece.end - 1;
    return ((from.x + from.across[first]) >> POINT_BITS) - first ==
               ((from.x + from.across[last]) >> POINT_BITS) - last &&
           (from.y + from.across_down[first]) >> POINT_BITS == (from.y + from.across_down[last]) >> POINT_BITS;
}

/* Bilinear between places 1/32 of a pixel apart, as OpenCV's warpAffine has it. `upper` are the pixels around
 * the first of the places. */
INLINE float between(const float *upper, int64_t width, int32_t at_x, int32_t at_y) {
    float u = (float)(at_x & (STEPS - 1)) * (1.0f / STEPS), v = (float)(at_y & (STEPS - 1)) * (1.0f / STEPS);
    return (1 - v) * ((1 - u) * upper[0] + u * upper[1]) + v * ((1 - u) * upper[width] + u * upper[width + 1]);
}

/* A piece whose pixels follow one another: gathering them takes several times as long. */
FOR_EACH_PROCESSOR
static void lay_evenly(float *restrict out, const float *restrict plane, int64_t width, Span piece, Points from) {
    int64_t left = (from.x + from.across[piece.first]) >> POINT_BITS;
    int64_t top = (from.y + from.across_down[piece.first]) >> POINT_BITS;
    const float *upper = plane + top * width + left;
    const int32_t *across = from.across + piece.first, *across_down = from.across_down + piece.first;
    out += piece.first;
    for (int64_t i = 0; i < piece.end - piece.first; i++)
        out[i] = between(upper + i, width, (from.x + across[i]) >> STEP_BITS,
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
    int64_t length = span.first < span.end && is_even(from, span) ? span.end - span.first : PIECE;
    for (int64_t x = span.first; x < span.end; x += length) {
        Span piece = {x, x + length < span.end ? x + length : span.end};
        if (is_even(from, piece))
            lay_evenly(out, plane, width, piece, from);
        else
            lay_places(out, plane, width, piece, from);
    }
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

/* Adds x·x, y·y and x·y. */
typedef struct {
    double xx[LANES], yy[LANES], xy[LANES];
} Products;

INLINE void add_products(Products *to, int lane, float x, float y) {
    to->xx[lane] += x * x;
    to->yy[lane] += y * y;
    to->xy[lane] += x * y;
}

/* Sums of x·x, y·y and x·y, where x is the source inside the laid plane y. Without `inside` that is everywhere. */
INLINE void sum_products_of(const float *restrict source, const float *restrict plane,
                            const float *restrict inside, int64_t count, double *sums) {
    Products lanes = {{0}, {0}, {0}};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            add_products(&lanes, lane, inside ? source[i + lane] * inside[i + lane] : source[i + lane],
                         plane[i + lane]);
    for (; i < count; i++)
        add_products(&lanes, 0, inside ? source[i] * inside[i] : source[i], plane[i]);
    sums[0] = sums[1] = sums[2] = 0;
    for (int lane = 0; lane < LANES; lane++) {
        sums[0] += lanes.xx[lane];
        sums[1] += lanes.yy[lane];
        sums[2] += lanes.xy[lane];
    }
}

FOR_EACH_PROCESSOR
static void sum_products(const float *source, Laid laid, int64_t count, double *sums) {
    sum_products_of(source, laid.plane, laid.inside, count, sums);
}

/* Of a plane that did not move. */
FOR_EACH_PROCESSOR
static void sum_unmoved(const float *source, const float *result, int64_t count, double *sums) {
    sum_products_of(source, result, NULL, count, sums);
}

typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define LOADED(from) (*(const Lanes *)(from))

/* The source and its four slopes, the laid result and where it reaches. */
typedef struct {
    const float *source, *laid, *inside, *slopes;
    int64_t stride; /* from one slope to the next */
} Row;

/* LANES places from i on. */
INLINE void add_equations(Row row, int64_t i, float amplitude, float per_spread, Lanes *sums) {
    Lanes a = LOADED(row.slopes + i), b = LOADED(row.slopes + row.stride + i);
    Lanes c = LOADED(row.slopes + 2 * row.stride + i), d = LOADED(row.slopes + 3 * row.stride + i);
    Lanes inside = LOADED(row.inside + i);
    Lanes e = LOADED(row.laid + i) * amplitude - LOADED(row.source + i) * inside;
    Lanes scaled = e * per_spread, weight = inside / (1.0f + scaled * scaled);
    Lanes wa = weight * a, wb = weight * b, wc = weight * c, wd = weight * d;
    sums[0] += wa * a, sums[1] += wa * b, sums[2] += wa * c, sums[3] += wa * d;
    sums[4] += wb * b, sums[5] += wb * c, sums[6] += wb * d;
    sums[7] += wc * c, sums[8] += wc * d, sums[9] += wd * d;
    sums[10] += wa * e, sums[11] += wb * e, sums[12] += wc * e, sums[13] += wd * e;
    sums[14] += weight * e * e;
    sums[15] += weight;
}

/* Products of the slopes (upper triangle, row by row), slopes · difference, squared differences and the
 * weights themselves, each weighted. A row of the plane is summed in floats, rows in doubles. */
FOR_EACH_PROCESSOR
static void sum_row(Row row, float amplitude, float per_spread, int64_t count, double *sums) {
    Lanes lanes[EQUATIONS] = {{0}};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        add_equations(row, i, amplitude, per_spread, lanes);
    if (i < count) {
        float rest[PARAMETERS + 3][LANES] = {{0}}; /* beyond the row all is 0, and adds nothing */
        size_t bytes = (count - i) * sizeof(float);
        memcpy(rest[0], row.source + i, bytes);
        memcpy(rest[1], row.laid + i, bytes);
        memcpy(rest[2], row.inside + i, bytes);
        for (int slope = 0; slope < PARAMETERS; slope++)
            memcpy(rest[3 + slope], row.slopes + slope * row.stride + i, bytes);
        add_equations((Row){rest[0], rest[1], rest[2], rest[3], LANES}, 0, amplitude, per_spread, lanes);
    }
    for (int sum = 0; sum < EQUATIONS; sum++)
        for (int lane = 0; lane < LANES; lane++)
            sums[sum] += lanes[sum][lane];
}

/* Room for a laid plane, a copy of the result with a row and a pixel behind it, samples of differences, as many
 * to order them, and how far points move along a row. */
typedef struct {
    Laid laid;
    float *result, *samples, *ordered;
    int32_t *across;
} Room;

static void free_room(Room room) {
    free(room.laid.plane);
}

/* One piece of memory, which is slow to get. */
static int make_room(Room *room, const float *result, int64_t height, int64_t width, int64_t sampled) {
    int64_t count = height * width, samples = count / sampled + 2;
    float *memory = malloc((3 * count + 3 * width + 1 + 2 * samples) * sizeof(float));
    if (!memory)
        return 0;
    float *copy = memory + 2 * count, *behind = copy + count;
    *room = (Room){{memory, memory + count}, copy, behind + width + 1, behind + width + 1 + samples,
                   (int32_t *)(behind + width + 1 + 2 * samples)};
    memcpy(copy, result, count * sizeof(float));
    memset(behind, 0, (width + 1) * sizeof(float));
    return 1;
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
    if (!make_room(&room, result, height, width, height * width))
        return -1;
    lay_result(room, height, width, affine);
    sum_products(source, room.laid, height * width, sums);
    free_room(room);
    return 0;
}

/* The source at one size: its plane, and four planes of slopes, one for each parameter. */
typedef struct {
    const float *plane, *slopes;
    int64_t height, width;
} Level;

/* Median of the absolute values of every `sampled`-th difference. */
static float typical(Room room, const float *source, float amplitude, int64_t count, int64_t sampled) {
    int64_t samples = 0;
    for (int64_t i = 0; i < count; i += sampled)
        room.samples[samples++] = fabsf(room.laid.plane[i] * amplitude - source[i] * room.laid.inside[i]);
    return median(room.samples, samples, room.ordered);
}

/* The 16 sums of `sum_row` over the plane, and the three of `sum_products`. */
static void sum_equations(Room room, Level level, const double *affine, int64_t sampled, double *sums) {
    int64_t count = level.height * level.width;
    double *products = sums + EQUATIONS;
    lay_result(room, level.height, level.width, affine);
    sum_products(level.plane, room.laid, count, products);
    /* contrast and sharpness must not look like zoom */
    float amplitude = products[1] > 0 ? (float)sqrt(products[0] / products[1]) : 1;
    float spread = 3 * typical(room, level.plane, amplitude, count, sampled) + 1e-3f;
    memset(sums, 0, EQUATIONS * sizeof(double));
    for (int64_t at = 0; at < count; at += level.width) {
        Row row = {level.plane + at, room.laid.plane + at, room.laid.inside + at, level.slopes + at, count};
        sum_row(row, amplitude, 1 / spread, level.width, sums);
    }
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

/* When steps end: after so many, when one moves no corner further than `settled`, in pixels, or when the smallest
 * eigenvalue of the equations is at most `least` of the largest. */
typedef struct {
    int64_t most_steps;
    double settled, least;
    int64_t sampled;
} Rule;

/* Improve a similarity step by step. 1 if the equations became singular, which ends the search. */
static int refine(Room room, Level level, Rule rule, Similarity *found) {
    double side = level.width > level.height ? level.width : level.height;
    double affine[6], sums[EQUATIONS + 3], step[PARAMETERS];
    for (int64_t number = 0; number < rule.most_steps; number++) {
        to_pixels(*found, level.height, level.width, affine);
        sum_equations(room, level, affine, rule.sampled, sums);
        if (is_singular(sums, rule.least))
            return 1;
        solve(sums, sums + PRODUCTS, step);
        *found = after_inverse(*found, (Similarity){1 + step[0], step[1], step[2], step[3]});
        double size = fabs(step[0]) + fabs(step[1]) + fabs(step[2]) + fabs(step[3]);
        if (size * side < rule.settled)
            break;
    }
    return 0;
}

/* Improve a similarity; 1 if the equations became singular, −1 without memory. With `sums`, also those of
 * `sum_equations` at the end, the products of both planes as they are, and the diagonal of the inverse of the
 * equations at the end. */
int registration_improved(const float *source, const float *slopes, const float *result, int64_t height,
                          int64_t width, int64_t most_steps, double settled, double least, int64_t sampled,
                          double *similarity, double *sums) {
    Level level = {source, slopes, height, width};
    Similarity found = {similarity[0], similarity[1], similarity[2], similarity[3]};
    double affine[6];
    Room room;
    if (!make_room(&room, result, height, width, sampled))
        return -1;
    int ended = refine(room, level, (Rule){most_steps, settled, least, sampled}, &found);
    if (sums) {
        to_pixels(found, height, width, affine);
        sum_equations(room, level, affine, sampled, sums);
        sum_unmoved(source, result, height * width, sums + EQUATIONS + 3);
        invert_diagonal(sums, least, sums + EQUATIONS + 6);
    }
    free_room(room);
    memcpy(similarity, (double[]){found.p, found.q, found.right, found.down}, PARAMETERS * sizeof(double));
    return ended;
}
