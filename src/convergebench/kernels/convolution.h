/* Layers of networks that other files use; see convolution.c and winograd.c. */

#include <stdint.h>

int64_t tiles_room(int64_t channels, int64_t outputs, int64_t side, int64_t step);
void convolve_by_tiles(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
                       const float *bias, int64_t outputs, int64_t side, int64_t border, int64_t step,
                       int64_t lanes, float *room, float *out);
int convolve(const float *in, int64_t height, int64_t width, int64_t channels, const float *weights,
             const float *bias, int64_t outputs, int64_t side, int64_t stride, int64_t border, float *out);
void pool_largest(const float *in, int64_t height, int64_t width, int64_t channels, int64_t side, float *out);
