/* Bands of frequency of a plane, by two Gaussians. Plain C, called through ctypes.
 *
 * The Gaussians are those of OpenCV with AVX2, to the bit: along each row the values one after the other, then
 * down each column in pairs at the same distance. OpenCV multiplies and adds in one step, except along the
 * columns beyond the last multiple of four, and down those beyond the last multiple of eight. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

enum { SIDE = 8, MOST_LANES = 16 }; /* of a block; the largest number of floats in a register */
enum { TOGETHER = 4 }; /* rows that are blurred down at once, a divisor of SIDE */
enum { MOST_REACH = 32 };
enum { FINE, COARSE, GAUSSIANS };

/* The weights from the middle, on both sides. */
typedef struct {
    const float *weights;
    int64_t reach;
} Gaussian;

typedef struct {
    const uint8_t *levels; /* the plane, as levels or as floats */
    const float *plane;
    int64_t height, width;
    Gaussian fine, coarse;
    double *means; /* what is made: means of blocks, or a plane of what lies between both Gaussians */
    float *out;
    int64_t pitch, kept; /* floats from one row that is kept to the next, and the number of these rows */
    float *rows[GAUSSIANS], *strip, *columns; /* rows that were blurred along; some of the plane; those turned */
} Bands;

/* A place outside the plane is that on the other side of its outermost pixel. */
static int64_t reflected(int64_t at, int64_t length) {
    while (at < 0 || at >= length)
        at = at < 0 ? -at : 2 * (length - 1) - at;
    return at;
}


static inline void transposed(const float *from, int64_t stride, float *to, int64_t to_stride) {
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            to[column * to_stride + row] = from[row * stride + column];
}

typedef float Plain __attribute__((vector_size(32), aligned(4), may_alias));

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi" /* about vectors as arguments, but all these functions are inlined */
#endif

INLINE Plain fused_in_turn(Plain x, Plain y, Plain z) {
    for (int i = 0; i < SIDE; i++)
        z[i] = __builtin_fmaf(x[i], y[i], z[i]);
    return z;
}

#define LANES 8
#define TARGET
#define FUSED fused_in_turn
#define ALIKE(value) ((Plain){0} + (value))
#define TRANSPOSE transposed
#define NAMED(name) name##_plain
#include "band_lanes.h"
#undef LANES
#undef TARGET
#undef FUSED
#undef ALIKE
#undef TRANSPOSE
#undef NAMED

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* Pairs of rows are interleaved, then pairs of pairs, then halves exchanged. */
__attribute__((target("avx2,fma")))
static inline void transposed_fast(const float *from, int64_t stride, float *to, int64_t to_stride) {
    __m256 row[SIDE], pair[SIDE], four[SIDE];
    for (int i = 0; i < SIDE; i++)
        row[i] = _mm256_loadu_ps(from + i * stride);
    for (int i = 0; i < SIDE; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < SIDE; i += 4)
        for (int j = 0; j < 2; j++) {
            four[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
            four[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
        }
    for (int i = 0; i < SIDE / 2; i++) {
        _mm256_storeu_ps(to + i * to_stride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * to_stride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x31));
    }
}

#define LANES 8
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED _mm256_fmadd_ps
#define ALIKE _mm256_set1_ps
#define TRANSPOSE transposed_fast
#define NAMED(name) name##_8
#include "band_lanes.h"
#undef LANES
#undef TARGET
#undef FUSED
#undef ALIKE
#undef NAMED

#define LANES 16
#define TARGET __attribute__((target("avx512f,avx2,fma")))
#define FUSED _mm512_fmadd_ps
#define ALIKE _mm512_set1_ps
#define NAMED(name) name##_16
#include "band_lanes.h"

static int64_t lanes(void) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 0;
    return __builtin_cpu_supports("avx512f") ? 16 : 8;
}

static void blur_strip(const Bands *by, int64_t first, int64_t lanes) {
    (lanes == 16 ? blur_strip_16 : lanes == 8 ? blur_strip_8 : blur_strip_plain)(by, first);
}

static void finish_rows(const Bands *by, int64_t top, const int64_t *slots, int64_t lanes) {
    if (by->means)
        (lanes == 16 ? measure_rows_16 : lanes == 8 ? measure_rows_8 : measure_rows_plain)(by, top, slots);
    else
        (lanes == 16 ? subtract_rows_16 : lanes == 8 ? subtract_rows_8 : subtract_rows_plain)(by, top, slots);
}

#else

static int64_t lanes(void) {
    return 0;
}

static void blur_strip(const Bands *by, int64_t first, int64_t lanes) {
    (void)lanes;
    blur_strip_plain(by, first);
}

static void finish_rows(const Bands *by, int64_t top, const int64_t *slots, int64_t lanes) {
    (void)lanes;
    (by->means ? measure_rows_plain : subtract_rows_plain)(by, top, slots);
}

#endif

FOR_EACH_PROCESSOR
static void to_floats(const uint8_t *restrict levels, int64_t length, float *restrict out) {
    for (int64_t i = 0; i < length; i++)
        out[i] = levels[i];
}

/* Rows of the plane into the strip, as floats; below the plane the last one. */
static void fill_strip(const Bands *by, int64_t first, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) {
        int64_t y = first + i < by->height ? first + i : by->height - 1;
        if (by->levels)
            to_floats(by->levels + y * by->width, by->width, by->strip + i * by->pitch);
        else
            memcpy(by->strip + i * by->pitch, by->plane + y * by->width, by->width * sizeof(float));
    }
}

static void blur_rows(const Bands *by, int64_t lanes) {
    int64_t slots[SIDE + 2 * MOST_REACH];
    int64_t height = by->means ? by->height / SIDE * SIDE : by->height, reach = by->coarse.reach;
    int64_t strip = lanes ? lanes : SIDE, known = 0;
    for (int64_t top = 0; top < height; top += SIDE) {
        for (; known < by->height && known < top + SIDE + reach; known += strip) {
            fill_strip(by, known, strip);
            blur_strip(by, known, lanes);
        }
        for (int64_t i = 0; i < SIDE + 2 * reach; i++) {
            int64_t y = top - reach + i; /* those that only rows below the plane need are any */
            slots[i] = (y < by->height + reach ? reflected(y, by->height) : top) % by->kept * by->pitch;
        }
        if (by->means)
            fill_strip(by, top, SIDE);
        finish_rows(by, top, slots + reach, lanes);
    }
}

static void fill_weights(Gaussian *by, const float *half, float *whole) {
    for (int64_t i = 0; i <= by->reach; i++)
        whole[by->reach - i] = whole[by->reach + i] = half[i];
    by->weights = whole + by->reach;
}

/* `fine` and `coarse`: the weights from the centre outwards. At most `most_lanes` floats in a register. */
static int find_bands(Bands *by, const float *fine, const float *coarse, int64_t most_lanes) {
    float weights[GAUSSIANS][2 * MOST_REACH + 1];
    fill_weights(&by->fine, fine, weights[FINE]);
    fill_weights(&by->coarse, coarse, weights[COARSE]);
    int64_t reach = by->coarse.reach, usable = lanes();
    /* A power of two would put all rows into few sets of a cache. */
    by->pitch = ((by->width + MOST_LANES - 1) / MOST_LANES | 1) * MOST_LANES;
    by->kept = (SIDE + 2 * reach + 2 * MOST_LANES - 1) / MOST_LANES * MOST_LANES;
    int64_t rows = by->kept * by->pitch, columns = (by->pitch + 2 * reach + SIDE) * MOST_LANES;
    float *room = calloc(GAUSSIANS * rows + MOST_LANES * by->pitch + columns, sizeof(float));
    if (!room)
        return -1;
    by->rows[FINE] = room;
    by->rows[COARSE] = room + rows;
    by->strip = room + GAUSSIANS * rows;
    by->columns = by->strip + MOST_LANES * by->pitch + reach * MOST_LANES;
    blur_rows(by, usable < most_lanes ? usable : most_lanes);
    free(room);
    return 0;
}

/* Means over each block of 8 × 8 pixels: of the coarse band, and of the squares of the middle and the fine one;
 * 3 × blocks. −1 without memory. */
int block_bands(const uint8_t *levels, int64_t height, int64_t width, const float *fine, int64_t fine_reach,
                const float *coarse, int64_t coarse_reach, int64_t most_lanes, double *means) {
    Bands by = {levels, NULL, height, width, {NULL, fine_reach}, {NULL, coarse_reach}, means};
    return find_bands(&by, fine, coarse, most_lanes);
}

/* What lies between both Gaussians, of a plane of floats. −1 without memory. */
int band_pass(const float *plane, int64_t height, int64_t width, const float *fine, int64_t fine_reach,
              const float *coarse, int64_t coarse_reach, int64_t most_lanes, float *out) {
    Bands by = {NULL, plane, height, width, {NULL, fine_reach}, {NULL, coarse_reach}, NULL, out};
    return find_bands(&by, fine, coarse, most_lanes);
}
