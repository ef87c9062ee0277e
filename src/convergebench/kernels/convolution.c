/* What the networks of LPIPS and DISTS consist of, apart from winograd.c: convolutions of any kind, pooling, sums
 * over channels. Plain C, called through ctypes.
 *
 * Planes are height × width × channels. For processors with AVX2 and fused multiply-add, like the libraries
 * that are used on others: the last digits differ. */

#include "convolution.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define FUSED __attribute__((target("avx2,fma")))
#define FUSED_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

enum { LANES = 8, PACKED = 2 * LANES }; /* channels of a register, and those that one product makes */
enum { MOST_ROWS = 6 };

int convolution_is_fast(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* What a product is made of: `rows` rows of `in`, `stride` apart, each of `parts` parts of `length` values,
 * `part_stride` apart. */
typedef struct {
    const float *in;
    int64_t stride, parts, part_stride, length;
} Operand;

/* What becomes of it: PACKED outputs for each row, `stride` apart, with their bias. */
typedef struct {
    float *out;
    int64_t stride;
    const float *bias;
} Product;

FUSED_INLINE void store_rectified(float *out, __m256 sum, const float *bias) {
    _mm256_storeu_ps(out, _mm256_max_ps(_mm256_add_ps(sum, _mm256_loadu_ps(bias)), _mm256_setzero_ps()));
}

/* Rows times weights, which hold PACKED outputs for each value; `rows` is constant wherever it is inlined. */
FUSED_INLINE void multiply_rows(Operand by, const float *weights, Product to, int rows) {
    __m256 low[MOST_ROWS], high[MOST_ROWS];
    for (int row = 0; row < rows; row++)
        low[row] = high[row] = _mm256_setzero_ps();
    for (int64_t part = 0; part < by.parts; part++) {
        const float *in = by.in + part * by.part_stride;
        for (int64_t i = 0; i < by.length; i++, weights += PACKED) {
            __m256 first = _mm256_loadu_ps(weights), second = _mm256_loadu_ps(weights + LANES);
            for (int row = 0; row < rows; row++) {
                __m256 value = _mm256_broadcast_ss(in + row * by.stride + i);
                low[row] = _mm256_fmadd_ps(value, first, low[row]);
                high[row] = _mm256_fmadd_ps(value, second, high[row]);
            }
        }
    }
    for (int row = 0; row < rows; row++) {
        store_rectified(to.out + row * to.stride, low[row], to.bias);
        store_rectified(to.out + row * to.stride + LANES, high[row], to.bias + LANES);
    }
}

FUSED
static void multiply(Operand by, int64_t rows, const float *weights, Product to) {
    for (; rows >= 6; rows -= 6, by.in += 6 * by.stride, to.out += 6 * to.stride)
        multiply_rows(by, weights, to, 6);
    switch (rows) {
    case 5: multiply_rows(by, weights, to, 5); break;
    case 4: multiply_rows(by, weights, to, 4); break;
    case 3: multiply_rows(by, weights, to, 3); break;
    case 2: multiply_rows(by, weights, to, 2); break;
    case 1: multiply_rows(by, weights, to, 1); break;
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

/* A kernel of any side and stride. `weights`: outputs / PACKED × side × side × channels × PACKED. −1 without
 * memory. */
int convolve(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
             const float *bias, int64_t outputs, int64_t side, int64_t stride, int64_t border, float *out) {
    int64_t rows = (height + 2 * border - side) / stride + 1, columns = (width + 2 * border - side) / stride + 1;
    int64_t wide = width + 2 * border;
    float *room = padded(in, height, width, channels, border, height + 2 * border, wide);
    if (!room)
        return -1;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t block = 0; block < outputs; block += PACKED) {
            Operand by = {room + y * stride * wide * channels, stride * channels, side, wide * channels,
                          side * channels};
            Product to = {out + y * columns * outputs + block, outputs, bias + block};
            multiply(by, columns, weights + block * side * side * channels, to);
        }
    free(room);
    return 0;
}

/* Levels of three channels, each times its scale, plus its shift. */
FUSED
void scale_levels(const uint8_t *pixels, int64_t count, const float *scale, const float *shift, float *out) {
    enum { CHANNELS = 3 };
    float scales[CHANNELS * LANES], shifts[CHANNELS * LANES]; /* of as many pixels as there are lanes */
    for (int i = 0; i < CHANNELS * LANES; i++)
        scales[i] = scale[i % CHANNELS], shifts[i] = shift[i % CHANNELS];
    int64_t at = 0;
    for (; at + CHANNELS * LANES <= CHANNELS * count; at += CHANNELS * LANES)
        for (int i = 0; i < CHANNELS * LANES; i += LANES) {
            __m256i levels = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(pixels + at + i)));
            __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(levels), _mm256_loadu_ps(scales + i));
            _mm256_storeu_ps(out + at + i, _mm256_add_ps(scaled, _mm256_loadu_ps(shifts + i)));
        }
    for (; at < CHANNELS * count; at++)
        out[at] = pixels[at] * scale[at % CHANNELS] + shift[at % CHANNELS];
}

FUSED_INLINE void pool_squares(const float *in, int64_t height, int64_t width, int64_t channels, int side,
                               float *out) {
    for (int64_t y = 0; y + side <= height; y += 2)
        for (int64_t x = 0; x + side <= width; x += 2, out += channels)
            for (int64_t i = 0; i < channels; i += LANES) {
                const float *corner = in + (y * width + x) * channels + i;
                __m256 largest = _mm256_loadu_ps(corner);
                for (int place = 1; place < side * side; place++) {
                    const float *at = corner + (place / side * width + place % side) * channels;
                    largest = _mm256_max_ps(largest, _mm256_loadu_ps(at));
                }
                _mm256_storeu_ps(out + i, largest);
            }
}

/* The largest of each side × side pixels, two apart. A constant side saves divisions. */
FUSED
void pool_largest(const float *in, int64_t height, int64_t width, int64_t channels, int64_t side, float *out) {
    if (side == 2)
        pool_squares(in, height, width, channels, 2, out);
    else if (side == 3)
        pool_squares(in, height, width, channels, 3, out);
    else
        pool_squares(in, height, width, channels, (int)side, out);
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
    memset(sums, 0, channels * sizeof(double));
    for (int64_t start = 0; start < pixels; start += ROWS) {
        int64_t end = pixels - start < ROWS ? pixels : start + ROWS;
        for (int64_t i = 0; i < channels; i += LANES) {
            __m256 mean = means ? _mm256_loadu_ps(means + i) : _mm256_setzero_ps();
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

#else

int convolution_is_fast(void) {
    return 0;
}

#endif
