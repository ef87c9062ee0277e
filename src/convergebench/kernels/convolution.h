/* Layers of networks that other files use; see convolution.c and winograd.c. Planes are height × width ×
 * channels. */

#include <stdint.h>

/* A kernel of `side` × `side` at every pixel of a plane with a border of zeros, by tiles of `step` × `step`
 * outputs. A side of 3 has steps of 4 or 5, a side of 5 has steps of 4. `weights`: points × outputs / 16 ×
 * channels × 16, transformed. */
typedef struct {
    const float *in;
    int64_t height, width, channels;
    const float *weights, *bias;
    int64_t outputs, side, border, step;
} TiledConvolution;

int64_t tiles_room(int64_t channels, int64_t outputs, int64_t side, int64_t step);
int64_t tile_rows_at_once(int64_t columns);
void convolve_tile_rows(const TiledConvolution *by, int64_t first, int64_t rows, int64_t lanes, float *room,
                        float *out);
int convolve(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
             const float *bias, int64_t outputs, int64_t side, int64_t stride, int64_t border, float *out);
void pool_largest(const float *in, int64_t height, int64_t width, int64_t channels, int64_t side, float *out);
