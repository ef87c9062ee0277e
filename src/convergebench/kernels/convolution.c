/* What the networks of LPIPS and DISTS consist of: convolutions, pooling, sums over channels. Plain C, called through ctypes.
 *
 * Planes are height × width × channels. Kernels of 3 × 3 and 5 × 5 use Winograd's minimal filtering (Lavin and
 * Gray 2016) on tiles of 6 × 6, which multiplies a quarter as often: a tile and a kernel are transformed, their
 * products at each of 36 points summed over the channels, and the sums transformed back. For processors with
 * AVX2 and fused multiply-add, like the libraries that are used on others: the last digits differ. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define FUSED __attribute__((target("avx2,fma")))
#define FUSED_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

enum { LANES = 8, PACKED = 2 * LANES }; /* channels of a register, and those that one product makes */
enum { TILE = 6, POINTS = TILE * TILE, MOST_ROWS = 6 };
enum { AT_ONCE = 3 * MOST_ROWS }; /* tiles whose sums stay in the cache */
enum { CHUNK = 64 }; /* channels whose weights stay in the first cache until all these tiles are multiplied */

int convolution_is_fast(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* What a product is made of: `rows` rows of `in`, `stride` apart, each of `parts` parts of `length` values,
 * `part_stride` apart. It may continue an earlier product: then it is added to what is there. */
typedef struct {
    const float *in;
    int64_t stride, parts, part_stride, length;
    int continues;
} Operand;

/* Rows times weights, which hold PACKED outputs for each value; `rows` is constant wherever it is inlined. The
 * weights behind them are next: networks have more of them than the caches hold, so they are fetched ahead. */
FUSED_INLINE void multiply_rows(Operand by, const float *weights, float *out, int64_t out_stride, int rows) {
    __m256 low[MOST_ROWS], high[MOST_ROWS];
    for (int row = 0; row < rows; row++) {
        const float *sums = out + row * out_stride;
        low[row] = by.continues ? _mm256_loadu_ps(sums) : _mm256_setzero_ps();
        high[row] = by.continues ? _mm256_loadu_ps(sums + LANES) : _mm256_setzero_ps();
    }
    for (int64_t part = 0; part < by.parts; part++) {
        const float *in = by.in + part * by.part_stride;
        for (int64_t i = 0; i < by.length; i++, weights += PACKED) {
            __m256 first = _mm256_loadu_ps(weights), second = _mm256_loadu_ps(weights + LANES);
            _mm_prefetch((const char *)(weights + CHUNK * PACKED), _MM_HINT_T0);
            for (int row = 0; row < rows; row++) {
                __m256 value = _mm256_broadcast_ss(in + row * by.stride + i);
                low[row] = _mm256_fmadd_ps(value, first, low[row]);
                high[row] = _mm256_fmadd_ps(value, second, high[row]);
            }
        }
    }
    for (int row = 0; row < rows; row++) {
        _mm256_storeu_ps(out + row * out_stride, low[row]);
        _mm256_storeu_ps(out + row * out_stride + LANES, high[row]);
    }
}

FUSED
static void multiply(Operand by, int64_t rows, const float *weights, float *out, int64_t out_stride) {
    for (; rows >= 6; rows -= 6, by.in += 6 * by.stride, out += 6 * out_stride)
        multiply_rows(by, weights, out, out_stride, 6);
    switch (rows) {
    case 5: multiply_rows(by, weights, out, out_stride, 5); break;
    case 4: multiply_rows(by, weights, out, out_stride, 4); break;
    case 3: multiply_rows(by, weights, out, out_stride, 3); break;
    case 2: multiply_rows(by, weights, out, out_stride, 2); break;
    case 1: multiply_rows(by, weights, out, out_stride, 1); break;
    }
}

/* The plane with zeros around it. */
static float *padded(const float *in, int64_t height, int64_t width, int64_t channels, int64_t border,
                     int64_t rows, int64_t columns) {
    float *out = calloc(rows * columns * channels, sizeof(float));
    for (int64_t y = 0; out && y < height; y++)
        memcpy(out + ((y + border) * columns + border) * channels, in + y * width * channels,
               width * channels * sizeof(float));
    return out;
}

FUSED
static void add_bias_and_rectify(float *values, const float *bias, int64_t pixels, int64_t channels) {
    for (int64_t pixel = 0; pixel < pixels; pixel++, values += channels)
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 sum = _mm256_add_ps(_mm256_loadu_ps(values + i), _mm256_loadu_ps(bias + i));
            _mm256_storeu_ps(values + i, _mm256_max_ps(sum, _mm256_setzero_ps()));
        }
}

/* A kernel of any side and stride. `weights`: outputs / PACKED × side × side × channels × PACKED. −1 without
 * memory. */
int convolve(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
             const float *bias, int64_t outputs, int64_t side, int64_t stride, int64_t border, float *out) {
    int64_t rows = (height + 2 * border - side) / stride + 1, columns = (width + 2 * border - side) / stride + 1;
    int64_t wide = width + 2 * border;
    float *room = padded(in, height, width, channels, border, height + 2 * border, wide);
    if (!room)
        return -1;
    for (int64_t block = 0; block < outputs; block += PACKED)
        for (int64_t y = 0; y < rows; y++) {
            Operand by = {room + y * stride * wide * channels, stride * channels, side, wide * channels,
                          side * channels, 0};
            multiply(by, columns, weights + block * side * side * channels, out + y * columns * outputs + block,
                     outputs);
        }
    add_bias_and_rectify(out, bias, rows * columns, outputs);
    free(room);
    return 0;
}

/* Winograd's transforms of six values for the points 0, 1, −1, 2, −2 and infinity, of LANES channels. */

FUSED_INLINE __m256 times(float factor, __m256 x) {
    return _mm256_mul_ps(_mm256_set1_ps(factor), x);
}

FUSED_INLINE void to_points(__m256 *d, int64_t step) {
    __m256 a = d[0], b = d[step], c = d[2 * step], e = d[3 * step], f = d[4 * step], g = d[5 * step];
    d[0] = times(4, a) - times(5, c) + f;
    d[step] = f + e - times(4, b + c);
    d[2 * step] = f - e + times(4, b - c);
    d[3 * step] = f - c + times(2, e - b);
    d[4 * step] = f - c - times(2, e - b);
    d[5 * step] = times(4, b) - times(5, e) + g;
}

/* Four values for kernels of three, two for kernels of five. */
FUSED_INLINE void from_points(__m256 *d, int64_t step, int values) {
    __m256 sum = d[step] + d[2 * step], difference = d[step] - d[2 * step];
    __m256 far_sum = d[3 * step] + d[4 * step], far_difference = d[3 * step] - d[4 * step], last = d[5 * step];
    d[0] = d[0] + sum + far_sum;
    d[step] = difference + times(2, far_difference);
    if (values == 2) {
        d[step] = d[step] + last;
        return;
    }
    d[2 * step] = sum + times(4, far_sum);
    d[3 * step] = difference + times(8, far_difference) + last;
}

/* A row of the kernel's transform: six values for three or five, with the same points. */
static void kernel_to_points(const double *kernel, int64_t stride, int64_t side, double *out, int64_t step) {
    static const double at[TILE - 1] = {0, 1, -1, 2, -2};
    static const double scale[TILE - 1] = {1.0 / 4, -1.0 / 6, -1.0 / 6, 1.0 / 24, 1.0 / 24};
    for (int point = 0; point < TILE - 1; point++) {
        double sum = 0;
        for (int64_t i = side - 1; i >= 0; i--)
            sum = sum * at[point] + kernel[i * stride];
        out[point * step] = scale[point] * sum;
    }
    out[(TILE - 1) * step] = kernel[(side - 1) * stride];
}

/* The 36 points of one kernel of side × side, `stride` apart. */
static void transform_one(const float *kernel, int64_t side, float *out, int64_t stride) {
    enum { MOST = 5 };
    double given[MOST * MOST], rows[MOST * TILE], points[POINTS];
    for (int64_t i = 0; i < side * side; i++)
        given[i] = kernel[i];
    for (int64_t y = 0; y < side; y++)
        kernel_to_points(given + y * side, 1, side, rows + y * TILE, 1);
    for (int64_t x = 0; x < TILE; x++)
        kernel_to_points(rows + x, TILE, side, points + x, TILE);
    for (int64_t point = 0; point < POINTS; point++)
        out[point * stride] = (float)points[point];
}

/* The weights of `convolve_by_tiles` from kernels of outputs × channels × side × side. */
void transform_kernel(const float *kernel, int64_t outputs, int64_t channels, int64_t side, float *out) {
    for (int64_t block = 0; block < outputs; block += PACKED)
        for (int64_t channel = 0; channel < channels; channel++)
            for (int64_t lane = 0; lane < PACKED; lane++)
                transform_one(kernel + ((block + lane) * channels + channel) * side * side, side,
                              out + block * channels + channel * PACKED + lane, outputs * channels);
}

/* How a plane is divided: tiles of `step` × `step` outputs. */
typedef struct {
    int64_t step, rows, columns, wide; /* `wide`: pixels of a padded row */
} Tiling;

/* points × tiles × channels, from the padded plane. */
FUSED
static void transform_tiles(const float *in, Tiling by, int64_t first, int64_t tiles, int64_t channels,
                            float *out) {
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t row = (first + tile) / by.columns, column = (first + tile) % by.columns;
        const float *corner = in + (row * by.wide + column) * by.step * channels;
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 d[POINTS];
            for (int64_t y = 0; y < TILE; y++)
                for (int64_t x = 0; x < TILE; x++)
                    d[y * TILE + x] = _mm256_loadu_ps(corner + (y * by.wide + x) * channels + i);
            for (int64_t y = 0; y < TILE; y++)
                to_points(d + y * TILE, 1);
            for (int64_t x = 0; x < TILE; x++)
                to_points(d + x, TILE);
            for (int64_t point = 0; point < POINTS; point++)
                _mm256_storeu_ps(out + (point * tiles + tile) * channels + i, d[point]);
        }
    }
}

/* At one point: tiles × channels times the weights of PACKED outputs. */
static void multiply_tiles(const float *in, int64_t tiles, int64_t channels, const float *weights, float *out,
                           int64_t out_stride) {
    for (int64_t from = 0; from < channels; from += CHUNK) {
        int64_t length = channels - from < CHUNK ? channels - from : CHUNK;
        Operand by = {in + from, channels, 1, 0, length, from > 0};
        multiply(by, tiles, weights + from * PACKED, out, out_stride);
    }
}

FUSED
static void transform_back(const float *sums, Tiling by, int64_t first, int64_t tiles, int64_t height,
                           int64_t width, int64_t outputs, float *out) {
    int values = (int)by.step;
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t top = (first + tile) / by.columns * by.step, left = (first + tile) % by.columns * by.step;
        int64_t below = height - top < by.step ? height - top : by.step;
        int64_t beside = width - left < by.step ? width - left : by.step;
        for (int64_t i = 0; i < outputs; i += LANES) {
            __m256 d[POINTS];
            for (int64_t point = 0; point < POINTS; point++)
                d[point] = _mm256_loadu_ps(sums + (point * tiles + tile) * outputs + i);
            for (int64_t y = 0; y < TILE; y++)
                from_points(d + y * TILE, 1, values);
            for (int64_t x = 0; x < values; x++)
                from_points(d + x, TILE, values);
            for (int64_t y = 0; y < below; y++)
                for (int64_t x = 0; x < beside; x++)
                    _mm256_storeu_ps(out + ((top + y) * width + left + x) * outputs + i, d[y * TILE + x]);
        }
    }
}

/* A kernel of side 3 or 5 whose output has the plane's size. `weights`: points × outputs / PACKED × channels ×
 * PACKED, transformed. −1 without memory. */
int convolve_by_tiles(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
                      const float *bias, int64_t outputs, int64_t side, float *out) {
    int64_t step = TILE + 1 - side;
    Tiling by = {step, (height + step - 1) / step, (width + step - 1) / step, 0};
    int64_t all = by.rows * by.columns;
    by.wide = by.columns * step + side - 1;
    float *room = padded(in, height, width, channels, side / 2, by.rows * step + side - 1, by.wide);
    float *transformed = malloc(POINTS * AT_ONCE * channels * sizeof(float));
    float *sums = malloc(POINTS * AT_ONCE * outputs * sizeof(float));
    int is_there = room && transformed && sums;
    for (int64_t first = 0; is_there && first < all; first += AT_ONCE) {
        int64_t tiles = all - first < AT_ONCE ? all - first : AT_ONCE;
        transform_tiles(room, by, first, tiles, channels, transformed);
        for (int64_t point = 0; point < POINTS; point++)
            for (int64_t block = 0; block < outputs; block += PACKED)
                multiply_tiles(transformed + point * tiles * channels, tiles, channels,
                               weights + (point * outputs + block) * channels,
                               sums + point * tiles * outputs + block, outputs);
        transform_back(sums, by, first, tiles, height, width, outputs, out);
    }
    if (is_there)
        add_bias_and_rectify(out, bias, height * width, outputs);
    free(room);
    free(transformed);
    free(sums);
    return is_there ? 0 : -1;
}

/* Levels of three channels, each times its scale, plus its shift. */
void scale_levels(const uint8_t *pixels, int64_t count, const float *scale, const float *shift, float *out) {
    for (int64_t i = 0; i < count; i++)
        for (int64_t channel = 0; channel < 3; channel++)
            out[3 * i + channel] = pixels[3 * i + channel] * scale[channel] + shift[channel];
}

/* The largest of each side × side pixels, two apart. */
FUSED
void pool_largest(const float *in, int64_t height, int64_t width, int64_t channels, int64_t side, float *out) {
    for (int64_t y = 0; y + side <= height; y += 2)
        for (int64_t x = 0; x + side <= width; x += 2, out += channels)
            for (int64_t i = 0; i < channels; i += LANES) {
                const float *corner = in + (y * width + x) * channels + i;
                __m256 largest = _mm256_loadu_ps(corner);
                for (int64_t place = 1; place < side * side; place++) {
                    const float *at = corner + (place / side * width + place % side) * channels;
                    largest = _mm256_max_ps(largest, _mm256_loadu_ps(at));
                }
                _mm256_storeu_ps(out + i, largest);
            }
}

/* The root mean square under a window of 3 × 3 pixels around every second one, zeros outside; plus epsilon
 * under the root. */
FUSED
void pool_smoothly(const float *in, int64_t height, int64_t width, int64_t channels, const float *window,
                   float epsilon, float *out) {
    for (int64_t y = 0; y < height; y += 2)
        for (int64_t x = 0; x < width; x += 2, out += channels)
            for (int64_t i = 0; i < channels; i += LANES) {
                __m256 sum = _mm256_set1_ps(epsilon);
                for (int64_t place = 0; place < 9; place++) {
                    int64_t row = y + place / 3 - 1, column = x + place % 3 - 1;
                    if (row < 0 || row >= height || column < 0 || column >= width)
                        continue;
                    __m256 value = _mm256_loadu_ps(in + (row * width + column) * channels + i);
                    sum = _mm256_fmadd_ps(_mm256_set1_ps(window[place]), value * value, sum);
                }
                _mm256_storeu_ps(out + i, _mm256_sqrt_ps(sum));
            }
}

enum { ROWS = 256 }; /* pixels that are summed as floats; their sums are added as doubles */

/* Of each channel, the sum over all pixels of x, or of x², where x is one less the other, or less the mean of
 * its channel. Without another and without means it is `one` itself. */
FUSED
static void sum_channels(const float *one, const float *other, const float *means, int64_t pixels,
                         int64_t channels, int squared, double *sums) {
    for (int64_t i = 0; i < channels; i += LANES) {
        __m256 mean = means ? _mm256_loadu_ps(means + i) : _mm256_setzero_ps();
        for (int lane = 0; lane < LANES; lane++)
            sums[i + lane] = 0;
        for (int64_t start = 0; start < pixels; start += ROWS) {
            int64_t end = pixels - start < ROWS ? pixels : start + ROWS;
            __m256 sum = _mm256_setzero_ps();
            for (int64_t at = start * channels + i; at < end * channels; at += channels) {
                __m256 value = _mm256_loadu_ps(one + at) - mean;
                if (other)
                    value = value - _mm256_loadu_ps(other + at);
                sum = squared ? _mm256_fmadd_ps(value, value, sum) : _mm256_add_ps(sum, value);
            }
            float lanes[LANES];
            _mm256_storeu_ps(lanes, sum);
            for (int lane = 0; lane < LANES; lane++)
                sums[i + lane] += lanes[lane];
        }
    }
}

/* Subtracts from each channel its mean; the means and the variances. */
FUSED
void centre_channels(float *values, int64_t pixels, int64_t channels, float *means, double *variances) {
    sum_channels(values, NULL, NULL, pixels, channels, 0, variances);
    for (int64_t i = 0; i < channels; i++)
        means[i] = (float)(variances[i] / pixels);
    sum_channels(values, NULL, means, pixels, channels, 1, variances);
    for (int64_t i = 0; i < channels; i++)
        variances[i] /= pixels;
    for (int64_t pixel = 0; pixel < pixels; pixel++, values += channels)
        for (int64_t i = 0; i < channels; i += LANES)
            _mm256_storeu_ps(values + i, _mm256_loadu_ps(values + i) - _mm256_loadu_ps(means + i));
}

/* Of each channel, the mean squared difference of two planes. */
FUSED
void channel_distances(const float *one, const float *other, int64_t pixels, int64_t channels, double *out) {
    sum_channels(one, other, NULL, pixels, channels, 1, out);
    for (int64_t i = 0; i < channels; i++)
        out[i] /= pixels;
}

/* Each pixel's channels at unit length, times the gain of each channel. */
FUSED
void normalise_channels(const float *in, int64_t pixels, int64_t channels, const float *gains, float epsilon,
                        float *out) {
    for (int64_t pixel = 0; pixel < pixels; pixel++, in += channels, out += channels) {
        __m256 squares = _mm256_setzero_ps();
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 value = _mm256_loadu_ps(in + i);
            squares = _mm256_fmadd_ps(value, value, squares);
        }
        float lanes[LANES], sum = 0;
        _mm256_storeu_ps(lanes, squares);
        for (int lane = 0; lane < LANES; lane++)
            sum += lanes[lane];
        __m256 length = _mm256_set1_ps(sqrtf(sum) + epsilon);
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 unit = _mm256_div_ps(_mm256_loadu_ps(in + i), length);
            _mm256_storeu_ps(out + i, _mm256_mul_ps(unit, _mm256_loadu_ps(gains + i)));
        }
    }
}

#else

int convolution_is_fast(void) {
    return 0;
}

#endif
