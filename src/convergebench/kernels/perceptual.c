/* The networks of LPIPS from a picture's levels to its features, or to their distances from another's. Plain C,
 * called through ctypes.
 *
 * One call runs all layers, in memory that the caller keeps: new memory and calls between layers would take a
 * tenth of the time. Planes are height × width × channels. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include "convolution.h"
#include <immintrin.h>

#define FUSED __attribute__((target("avx2,fma")))
#define FUSED_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

enum { LANES = 8, LINE = 16 }; /* floats of a register and of a line of the cache */
enum { AHEAD = 512 }; /* floats from the features in use to those that are fetched: all else filled the caches */
enum { COLOURS = 3, MOST_FOLDED = 16 };
static const float EPSILON = 1e-10f;

/* The first plane: levels times `scale` plus `shift`, zeros around them, and each side × side pixels folded into
 * one. `reach`: the pixels that the network's first kernel sees, along and down. */
typedef struct {
    const float *scale, *shift;
    int64_t side, border, reach;
} Folding;

/* A convolution without a stride, after pooling of pooled × pooled pixels, two apart, unless that is 0. With
 * `step` its weights are those of a `TiledConvolution`, else those of `convolve`. With `gains` its outputs are
 * features. */
typedef struct {
    const float *weights, *bias, *gains;
    int64_t channels, outputs, side, border, step, pooled;
} Stage;

typedef struct {
    Folding folding;
    const Stage *stages;
    int64_t count, lanes;
} Network;

typedef struct {
    int64_t height, width;
} Size;

static Size folded_size(const Folding *by, Size picture) {
    int64_t cells = (by->reach + by->side - 1) / by->side, beyond = 2 * by->border - by->reach;
    return (Size){(picture.height + beyond) / by->side + cells, (picture.width + beyond) / by->side + cells};
}

static Size pooled_size(const Stage *stage, Size of) {
    int64_t side = stage->pooled;
    return side ? (Size){(of.height - side) / 2 + 1, (of.width - side) / 2 + 1} : of;
}

static Size convolved_size(const Stage *stage, Size of) {
    int64_t more = 2 * stage->border - stage->side + 1;
    return (Size){of.height + more, of.width + more};
}

static int64_t larger(int64_t one, int64_t other) {
    return one > other ? one : other;
}

static int64_t whole_lines(int64_t floats) {
    return (floats + LINE - 1) / LINE * LINE;
}

/* Rows of a stage's outputs that are computed at a time. Where the next stage takes the largest of them, few
 * enough that they are still in the second cache then. */
static int64_t band_rows(const Stage *stage, Size outputs, int64_t pooled) {
    if (!stage->step || !pooled)
        return outputs.height;
    int64_t rows = stage->step * tile_rows_at_once((outputs.width + stage->step - 1) / stage->step);
    return rows < outputs.height ? rows : outputs.height;
}

/* The side of the squares that the next stage takes the largest of, or 0. */
static int64_t pooled_next(const Network *network, const Stage *stage) {
    return stage + 1 < network->stages + network->count ? stage[1].pooled : 0;
}

/* Floats of the largest plane, of the largest band with what stays of the one before it, and of the largest
 * tiles. */
typedef struct {
    int64_t plane, band, tiles;
} Room;

static Room room_of(const Network *network, Size picture) {
    const Folding *by = &network->folding;
    Size size = folded_size(by, picture);
    Room room = {size.height * size.width * by->side * by->side * COLOURS, 0, 0};
    for (const Stage *stage = network->stages; stage < network->stages + network->count; stage++) {
        size = convolved_size(stage, pooled_size(stage, size));
        int64_t pooled = pooled_next(network, stage), row = size.width * stage->outputs;
        room.plane = larger(room.plane, row * size.height);
        if (pooled)
            room.band = larger(room.band, row * (band_rows(stage, size, pooled) + pooled));
        if (stage->step)
            room.tiles = larger(room.tiles, tiles_room(stage->channels, stage->outputs, stage->side, stage->step));
    }
    return (Room){whole_lines(room.plane), whole_lines(room.band), room.tiles};
}

/* Floats that a picture of this size needs during a call. */
int64_t network_room(const Network *network, int64_t height, int64_t width) {
    Room room = room_of(network, (Size){height, width});
    return 2 * room.plane + room.band + room.tiles;
}

/* The height and the width of each stage's outputs. */
void network_sizes(const Network *network, int64_t height, int64_t width, int64_t *out) {
    Size size = folded_size(&network->folding, (Size){height, width});
    for (int64_t i = 0; i < network->count; i++) {
        size = convolved_size(network->stages + i, pooled_size(network->stages + i, size));
        out[2 * i] = size.height, out[2 * i + 1] = size.width;
    }
}

/* Four pixels of a row, 8 and then 4 values at a time: compilers do not find this. */
FUSED_INLINE void fold_twelve(const uint8_t *levels, const float *scales, const float *shifts, float *out) {
    int32_t rest;
    memcpy(&rest, levels + LANES, sizeof rest);
    __m256 most = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)levels)));
    __m128 last = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(rest)));
    _mm256_storeu_ps(out, _mm256_mul_ps(most, _mm256_loadu_ps(scales)) + _mm256_loadu_ps(shifts));
    _mm_storeu_ps(out + LANES, _mm_mul_ps(last, _mm_loadu_ps(scales + LANES)) + _mm_loadu_ps(shifts + LANES));
}

/* The part of a cell that lies in one row, which begins with `left` pixels before the picture if negative. */
FUSED_INLINE void fold_run(const uint8_t *row, int64_t width, int64_t left, const float *scales,
                           const float *shifts, int64_t run, float *out) {
    for (int64_t i = 0; i < run; i++) {
        int64_t at = left * COLOURS + i;
        out[i] = at >= 0 && at < width * COLOURS ? row[at] * scales[i] + shifts[i] : 0;
    }
}

FUSED_INLINE void fold_row(const uint8_t *row, int64_t width, const Folding *by, int64_t columns,
                           const float *scales, const float *shifts, float *out) {
    int64_t run = by->side * COLOURS;
    for (int64_t column = 0; column < columns; column++, out += by->side * run) {
        int64_t left = column * by->side - by->border;
        if (by->side == 4 && left >= 0 && left + 4 <= width)
            fold_twelve(row + left * COLOURS, scales, shifts, out);
        else
            fold_run(row, width, left, scales, shifts, run, out);
    }
}

/* Rows of cells from `first` to `end`. */
FUSED
static void fold_levels(const uint8_t *pixels, Size picture, const Folding *by, int64_t first, int64_t end,
                        float *out) {
    float scales[COLOURS * MOST_FOLDED], shifts[COLOURS * MOST_FOLDED];
    int64_t side = by->side, run = side * COLOURS, columns = folded_size(by, picture).width;
    for (int64_t i = 0; i < run; i++)
        scales[i] = by->scale[i % COLOURS], shifts[i] = by->shift[i % COLOURS];
    for (int64_t y = first * side; y < end * side; y++) {
        int64_t at = y - by->border;
        float *to = out + (y / side * columns * side + y % side) * run;
        if (at >= 0 && at < picture.height)
            fold_row(pixels + at * picture.width * COLOURS, picture.width, by, columns, scales, shifts, to);
        else
            for (int64_t column = 0; column < columns; column++)
                memset(to + column * side * run, 0, run * sizeof(float));
    }
}

FUSED_INLINE float sum_of(__m256 values) {
    __m128 halves = _mm_add_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
    __m128 pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)));
}

/* What brings a pixel's channels to unit length. */
FUSED_INLINE __m256 unit_factor(const float *in, int64_t channels) {
    __m256 even = _mm256_setzero_ps(), odd = even;
    for (int64_t i = 0; i < channels; i += 2 * LANES) {
        __m256 one = _mm256_loadu_ps(in + i), other = _mm256_loadu_ps(in + i + LANES);
        even = _mm256_fmadd_ps(one, one, even);
        odd = _mm256_fmadd_ps(other, other, odd);
    }
    return _mm256_set1_ps(1 / (sqrtf(sum_of(_mm256_add_ps(even, odd))) + EPSILON));
}

/* Each pixel's channels at unit length, times the gain of each channel. */
FUSED
static void take_features(const float *in, int64_t pixels, int64_t channels, const float *gains, float *out) {
    for (int64_t pixel = 0; pixel < pixels; pixel++, in += channels, out += channels) {
        __m256 factor = unit_factor(in, channels);
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 unit = _mm256_mul_ps(_mm256_loadu_ps(in + i), factor);
            _mm256_storeu_ps(out + i, _mm256_mul_ps(unit, _mm256_loadu_ps(gains + i)));
        }
    }
}

/* Of each pixel, the mean squared difference of its features from others; the sum over all pixels. */
FUSED
static double compare_features(const float *in, int64_t pixels, int64_t channels, const float *gains,
                               const float *others, float *out) {
    double sum = 0;
    for (int64_t pixel = 0; pixel < pixels; pixel++, in += channels, others += channels) {
        __m256 factor = unit_factor(in, channels), even = _mm256_setzero_ps(), odd = even;
        for (int64_t i = 0; i < channels; i += 2 * LANES) {
            _mm_prefetch((const char *)(others + i + AHEAD), _MM_HINT_T0);
            __m256 one = _mm256_mul_ps(_mm256_loadu_ps(in + i), factor);
            __m256 other = _mm256_mul_ps(_mm256_loadu_ps(in + i + LANES), factor);
            one = _mm256_mul_ps(one, _mm256_loadu_ps(gains + i)) - _mm256_loadu_ps(others + i);
            other = _mm256_mul_ps(other, _mm256_loadu_ps(gains + i + LANES)) - _mm256_loadu_ps(others + i + LANES);
            even = _mm256_fmadd_ps(one, one, even);
            odd = _mm256_fmadd_ps(other, other, odd);
        }
        out[pixel] = sum_of(_mm256_add_ps(even, odd)) / channels;
        sum += out[pixel];
    }
    return sum;
}

/* What becomes of features: they are stored, or, where there are `maps`, compared with those that are there. */
typedef struct {
    float *const *features, *const *maps;
    double *means;
} Taps;

/* What a call works on. `in`: the plane in use, `out`: the next. */
typedef struct {
    const Network *network;
    const uint8_t *pixels;
    Size picture;
    float *in, *out, *band, *tiles;
} Pass;

/* Some rows of a stage's outputs, as features. */
static void tap_rows(const Stage *stage, Size size, int64_t first, int64_t rows, const float *plane,
                     const Taps *taps) {
    int64_t before = first * size.width, count = rows * size.width;
    float *features = *taps->features + before * stage->outputs;
    if (taps->maps)
        *taps->means += compare_features(plane, count, stage->outputs, stage->gains, features,
                                         *taps->maps + before) /
                        (size.height * size.width);
    else
        take_features(plane, count, stage->outputs, stage->gains, features);
}

/* Some rows of a stage's outputs; `size`: of all its inputs. −1 without memory. */
static int convolve_rows(const Pass *pass, const Stage *stage, Size size, int64_t first, int64_t rows,
                         float *out) {
    if (!stage->step)
        return convolve(pass->in, size.height, size.width, stage->channels, stage->weights, stage->bias,
                        stage->outputs, stage->side, 1, stage->border, out);
    TiledConvolution by = {pass->in,    size.height,    size.width,  stage->channels, stage->weights,
                           stage->bias, stage->outputs, stage->side, stage->border,   stage->step};
    convolve_tile_rows(&by, first / stage->step, (rows + stage->step - 1) / stage->step, pass->network->lanes,
                       pass->tiles, out);
    return 0;
}

/* A stage's outputs, or, if the next stage takes the largest of them, these; they are features on the way. −1
 * without memory. */
static int run_stage(const Pass *pass, const Stage *stage, Size in, const Taps *taps) {
    Size size = convolved_size(stage, in);
    int64_t pooled = pooled_next(pass->network, stage), row = size.width * stage->outputs;
    int64_t at_once = band_rows(stage, size, pooled), kept = 0, folded = 0;
    float *pooled_to = pass->out;
    for (int64_t first = 0; first < size.height; first += at_once) {
        int64_t rows = size.height - first < at_once ? size.height - first : at_once;
        float *band = pooled ? pass->band + kept * row : pass->out;
        if (stage == pass->network->stages) {
            int64_t end = first + rows == size.height ? in.height : first + rows + stage->side - 1;
            fold_levels(pass->pixels, pass->picture, &pass->network->folding, folded, end, pass->in);
            folded = end;
        }
        if (convolve_rows(pass, stage, in, first, rows, band))
            return -1;
        if (stage->gains)
            tap_rows(stage, size, first, rows, band, taps);
        if (!pooled)
            continue;
        kept += rows;
        int64_t done = kept >= pooled ? (kept - pooled) / 2 + 1 : 0;
        pool_largest(pass->band, kept, size.width, stage->outputs, pooled, pooled_to);
        pooled_to += done * ((size.width - pooled) / 2 + 1) * stage->outputs;
        kept -= 2 * done;
        memmove(pass->band, pass->band + 2 * done * row, kept * row * sizeof(float));
    }
    return 0;
}

/* The features of a picture at each stage that has gains: into `features`, or, where there are `maps`, their
 * distances from these features at each pixel, and their means. `room`: as many floats as `network_room` says,
 * aligned to 64 bytes. −1 without memory. */
int run_network(const Network *network, const uint8_t *pixels, int64_t height, int64_t width, float *room,
                float *const *features, float *const *maps, double *means) {
    Size picture = {height, width}, size = folded_size(&network->folding, picture);
    Room floats = room_of(network, picture);
    float *other = room + floats.plane, *band = other + floats.plane;
    Pass pass = {network, pixels, picture, room, other, band, band + floats.band};
    Taps taps = {features, maps, means};
    for (const Stage *stage = network->stages; stage < network->stages + network->count; stage++) {
        size = pooled_size(stage, size);
        if (maps && stage->gains)
            *taps.means = 0;
        if (run_stage(&pass, stage, size, &taps))
            return -1;
        size = convolved_size(stage, size);
        float *next = pass.out;
        pass.out = pass.in, pass.in = next;
        if (stage->gains)
            taps = (Taps){taps.features + 1, maps ? taps.maps + 1 : NULL, maps ? taps.means + 1 : NULL};
    }
    return 0;
}

#endif
