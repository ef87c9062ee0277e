/* How a plane changes with the parameters of a similarity transform. Plain C, called through ctypes.
 *
 * What metrics/drift/_registration.py does with NumPy, to the bit, in one pass. */

#include <stdint.h>

#include "floats.h"

/* Half the difference of the neighbours, or at an end the difference to the only one. `before` and `after` are
 * the rows around the row, or the row itself at the plane's border. */
FOR_EACH_PROCESSOR
static void slope_row(const float *restrict before, const float *restrict row, const float *restrict after,
                      float per_step, const float *restrict x, float y, float side, int64_t width, int64_t stride,
                      float *restrict out) {
    float *restrict stretch = out, *restrict turn = out + stride, *restrict right = out + 2 * stride,
                    *restrict down = out + 3 * stride;
    for (int64_t i = 1; i + 1 < width; i++)
        right[i] = (row[i + 1] - row[i - 1]) * 0.5f;
    right[0] = row[1] - row[0];
    right[width - 1] = row[width - 1] - row[width - 2];
    for (int64_t i = 0; i < width; i++) {
        float across = right[i], along = (after[i] - before[i]) * per_step;
        stretch[i] = (across * x[i] + along * y) * side;
        turn[i] = (along * x[i] - across * y) * side;
        right[i] = across * side;
        down[i] = along * side;
    }
}

/* Four planes: the slope by zoom, by turn, to the right and down. `x` and `y` are the places of columns and rows
 * from the centre, in units of the longer side. Both sides are at least 2. */
void plane_slopes(const float *plane, int64_t height, int64_t width, const float *x, const float *y, float side,
                  float *slopes) {
    for (int64_t row = 0; row < height; row++) {
        const float *at = plane + row * width;
        const float *before = row > 0 ? at - width : at, *after = row + 1 < height ? at + width : at;
        slope_row(before, at, after, before < at && at < after ? 0.5f : 1, x, y[row], side, width, height * width,
                  slopes + row * width);
    }
}
