/* The two ends of a network that makes pictures comparable; see feature_planes.c. */

#include <stdint.h>

enum { COLOURS = 3 };

typedef struct {
    int64_t height, width;
} Size;

/* The first plane: levels times `scale` plus `shift`, zeros around them, and each side × side pixels folded into
 * one. `reach`: the pixels that the network's first kernel sees, along and down. */
typedef struct {
    const float *scale, *shift;
    int64_t side, border, reach;
} Folding;

Size folded_size(const Folding *by, Size picture);
void fold_levels(const uint8_t *pixels, Size picture, const Folding *by, int64_t first, int64_t end, float *out);
void take_features(const float *in, int64_t pixels, int64_t channels, const float *gains, float *out);
double compare_features(const float *in, int64_t pixels, int64_t channels, const float *gains,
                        const float *others, float *out);
