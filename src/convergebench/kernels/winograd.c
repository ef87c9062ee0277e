/* Convolutions with kernels of 3 × 3 and 5 × 5 by Winograd's minimal filtering (Lavin and Gray 2016). Plain C,
 * called through ctypes.
 *
 * A plane, height × width × channels, is divided into tiles of 4 × 4 or 5 × 5 outputs. A tile's inputs and the
 * kernel are transformed, their products at each of 36 to 64 points summed over the channels, and the sums
 * transformed back. With 4 × 4 outputs that is a quarter of the multiplications for kernels of 3 × 3, and a sixth
 * for 5 × 5; larger tiles need fewer and round more. */

#include "convolution.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

enum { MOST_STEP = 5, MOST_TILE = 8, MOST_POINTS = MOST_TILE * MOST_TILE };
enum { PACKED = 16 }; /* outputs of one product; channels and outputs are multiples */
enum { AT_ONCE = 16 }; /* tiles whose values and sums stay in the second cache */
enum { CHUNK = 128 };  /* channels whose weights stay in the first cache for all these tiles */
enum { AHEAD = 256 };  /* channels from the weights in use to those that are fetched */

typedef struct {
    TiledConvolution of;
    const float *zeros; /* what a pixel outside the plane holds */
    int64_t tile, columns; /* points of a tile, along and down; tiles of a row */
    float *out;
    int64_t first_row, out_height, out_width; /* `first_row`: that `out` begins with */
} Layer;

/* Floats from one point to the next; a power of two would put all points into few sets of a cache. */
static int64_t point_stride(int64_t tiles, int64_t channels) {
    return tiles * channels + PACKED;
}

/* The pixels of a tile, in rows. */
static void find_pixels(const Layer *by, int64_t number, int tile, const float **out) {
    const TiledConvolution *of = &by->of;
    int64_t top = number / by->columns * of->step - of->border;
    int64_t left = number % by->columns * of->step - of->border;
    for (int64_t y = top; y < top + tile; y++)
        for (int64_t x = left; x < left + tile; x++) {
            int is_inside = y >= 0 && y < of->height && x >= 0 && x < of->width;
            *out++ = is_inside ? of->in + (y * of->width + x) * of->channels : by->zeros;
        }
}

#define LANES 8
#define MOST_ROWS 6
#define TARGET target("avx2,fma")
#define FUSED _mm256_fmadd_ps
#define LARGER _mm256_max_ps
#define ALIKE _mm256_set1_ps
#define NAMED(name) name##_8
#define SOME_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5)
#include "winograd_lanes.h"
#undef LANES
#undef MOST_ROWS
#undef TARGET
#undef FUSED
#undef LARGER
#undef ALIKE
#undef NAMED
#undef SOME_ROWS

#define LANES 16
#define MOST_ROWS 16
#define TARGET target("avx512f")
#define FUSED _mm512_fmadd_ps
#define LARGER _mm512_max_ps
#define ALIKE _mm512_set1_ps
#define NAMED(name) name##_16
#define SOME_ROWS(CASE)                                                                                      \
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)       \
    CASE(13) CASE(14) CASE(15)
#include "winograd_lanes.h"

typedef struct {
    void (*transform_tiles)(const Layer *by, int64_t first, int64_t tiles, float *out);
    void (*multiply_tiles)(const float *in, int64_t tiles, int64_t channels, const float *weights,
                           float *out);
    void (*transform_back)(const Layer *by, const float *sums, int64_t first, int64_t tiles);
} Instructions;

static const Instructions of_8_lanes = {transform_tiles_8, multiply_tiles_8, transform_back_8};
static const Instructions of_16_lanes = {transform_tiles_16, multiply_tiles_16, transform_back_16};

/* Lanes of the widest registers of this processor. */
int64_t widest_lanes(void) {
    return __builtin_cpu_supports("avx512f") ? 16 : 8;
}

/* A row of the kernel's transform: a value at each point from `side` values. */
static void kernel_to_points(const double *kernel, int64_t stride, int64_t side, double *out, int64_t apart,
                             int64_t finite) {
    static const double points[MOST_TILE - 1] = {0, 1, -1, 2, -2, -0.5, 0.5};
    for (int64_t point = 0; point < finite; point++) {
        double sum = 0, scale = 1;
        for (int64_t i = side - 1; i >= 0; i--)
            sum = sum * points[point] + kernel[i * stride];
        for (int64_t other = 0; other < finite; other++)
            scale *= other == point ? 1 : points[point] - points[other];
        out[point * apart] = sum / scale;
    }
    out[finite * apart] = kernel[(side - 1) * stride];
}

/* The points of one kernel of side × side, `stride` apart. */
static void transform_one(const float *kernel, int64_t side, int64_t tile, float *out, int64_t stride) {
    double given[MOST_POINTS], rows[MOST_POINTS], points[MOST_POINTS];
    for (int64_t i = 0; i < side * side; i++)
        given[i] = kernel[i];
    for (int64_t y = 0; y < side; y++)
        kernel_to_points(given + y * side, 1, side, rows + y * tile, 1, tile - 1);
    for (int64_t x = 0; x < tile; x++)
        kernel_to_points(rows + x, tile, side, points + x, tile, tile - 1);
    for (int64_t point = 0; point < tile * tile; point++)
        out[point * stride] = (float)points[point];
}

/* The weights of a `TiledConvolution` from kernels of outputs × channels × side × side. */
void transform_kernel(const float *kernel, int64_t outputs, int64_t channels, int64_t side, int64_t step,
                      float *out) {
    for (int64_t block = 0; block < outputs; block += PACKED)
        for (int64_t channel = 0; channel < channels; channel++)
            for (int64_t lane = 0; lane < PACKED; lane++)
                transform_one(kernel + ((block + lane) * channels + channel) * side * side, side,
                              step + side - 1, out + block * channels + channel * PACKED + lane,
                              outputs * channels);
}

/* Tiles from `first` to `end`, AT_ONCE together. */
static void convolve_tiles(const Layer *by, const Instructions *with, int64_t first, int64_t end,
                           float *transformed, float *sums) {
    int64_t channels = by->of.channels, outputs = by->of.outputs;
    for (; first < end; first += AT_ONCE) {
        int64_t tiles = end - first < AT_ONCE ? end - first : AT_ONCE;
        with->transform_tiles(by, first, tiles, transformed);
        for (int64_t point = 0; point < by->tile * by->tile; point++) {
            const float *in = transformed + point * point_stride(tiles, channels);
            float *out = sums + point * point_stride(tiles, outputs);
            for (int64_t block = 0; block < outputs; block += PACKED)
                with->multiply_tiles(in, tiles, channels,
                                     by->of.weights + (point * outputs + block) * channels, out + block * tiles);
        }
        with->transform_back(by, sums, first, tiles);
    }
}

/* Floats that a convolution needs for what lies between its transforms. */
int64_t tiles_room(int64_t channels, int64_t outputs, int64_t side, int64_t step) {
    int64_t tile = step + side - 1;
    return tile * tile * (point_stride(AT_ONCE, channels) + point_stride(AT_ONCE, outputs)) + channels;
}

/* Rows of so many tiles that are best computed in one call. */
int64_t tile_rows_at_once(int64_t columns) {
    return columns < AT_ONCE ? AT_ONCE / columns : 1;
}

/* Some rows of tiles, with their bias; what is negative becomes 0. `lanes`: 8 or 16, of the registers. `room`:
 * aligned to 64 bytes. */
void convolve_tile_rows(const TiledConvolution *by, int64_t first, int64_t rows, int64_t lanes, float *room,
                        float *out) {
    int64_t tile = by->step + by->side - 1, more = 2 * by->border - by->side + 1;
    int64_t columns = (by->width + more + by->step - 1) / by->step;
    float *sums = room + tile * tile * point_stride(AT_ONCE, by->channels);
    float *zeros = sums + tile * tile * point_stride(AT_ONCE, by->outputs);
    memset(zeros, 0, by->channels * sizeof(float));
    Layer layer = {*by, zeros, tile, columns, out, first * by->step, by->height + more, by->width + more};
    convolve_tiles(&layer, lanes == 16 ? &of_16_lanes : &of_8_lanes, first * columns, (first + rows) * columns,
                   room, sums);
}

/* All of them. */
void convolve_by_tiles(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
                       const float *bias, int64_t outputs, int64_t side, int64_t border, int64_t step,
                       int64_t lanes, float *room, float *out) {
    TiledConvolution by = {in, height, width, channels, weights, bias, outputs, side, border, step};
    int64_t rows = (height + 2 * border - side + step) / step;
    convolve_tile_rows(&by, 0, rows, lanes, room, out);
}

#endif
