/* What measures by region need of footprints. Plain C, called through ctypes. */

#include <stdint.h>
#include <string.h>

#include "floats.h"

FOR_EACH_PROCESSOR
static void enlarge_row(const uint8_t *restrict mask, int64_t width, int64_t factor, uint8_t *restrict out) {
    if (factor == 2)
        for (int64_t x = 0; x < width; x++)
            out[2 * x] = out[2 * x + 1] = mask[x];
    else if (factor == 4)
        for (int64_t x = 0; x < width; x++)
            out[4 * x] = out[4 * x + 1] = out[4 * x + 2] = out[4 * x + 3] = mask[x];
    else
        for (int64_t x = 0; x < width; x++)
            memset(out + x * factor, mask[x], factor);
}

/* Each place of a mask as factor × factor places. */
void enlarge_mask(const uint8_t *mask, int64_t height, int64_t width, int64_t factor, uint8_t *out) {
    int64_t length = width * factor;
    for (int64_t y = 0; y < height; y++, out += factor * length) {
        enlarge_row(mask + y * width, width, factor, out);
        for (int64_t copy = 1; copy < factor; copy++)
            memcpy(out + copy * length, out, length);
    }
}

/* Four pictures of one size, as levels. */
typedef struct {
    const uint8_t *returned, *source, *forward, *input;
} Pictures;

enum { LEVELS = 256, APART = 4 }; /* every so many rows and columns are enough for a median */

/* Of each channel the median of returned − source outside the mask `edited`; 0 if nothing lies outside. */
static void find_cast(Pictures of, const uint8_t *edited, int64_t height, int64_t width, double *cast) {
    int32_t counts[CHANNELS][2 * LEVELS] = {{0}};
    int64_t count = 0;
    for (int64_t y = 0; y < height; y += APART)
        for (int64_t x = 0; x < width; x += APART) {
            int64_t i = y * width + x;
            if (edited[i])
                continue;
            count++;
            for (int channel = 0; channel < CHANNELS; channel++)
                counts[channel][LEVELS + of.returned[CHANNELS * i + channel] - of.source[CHANNELS * i + channel]]++;
        }
    for (int channel = 0; channel < CHANNELS; channel++) {
        int64_t below = 0, lower = 0, upper = 0;
        for (int64_t value = 0; value < 2 * LEVELS && below <= count / 2; value++) {
            below += counts[channel][value];
            lower += below <= (count - 1) / 2;
            upper += below <= count / 2;
        }
        cast[channel] = count ? (double)(lower + upper - 2 * LEVELS) / 2 : 0;
    }
}

/* Over the core of an edit, with `left` = returned − source − cast and `edit` = forward − input: the sums of
 * left · edit, edit · edit and left · left. All are multiples of a quarter, so that no order changes them. */
void trace_products(const uint8_t *returned, const uint8_t *source, const uint8_t *forward, const uint8_t *input,
                    const uint8_t *core, const uint8_t *edited, int64_t height, int64_t width, double *products) {
    double cast[CHANNELS];
    find_cast((Pictures){returned, source, forward, input}, edited, height, width, cast);
    memset(products, 0, 3 * sizeof(double));
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *first = memchr(core + y * width, 1, width);
        for (int64_t i = first ? first - core : width * (y + 1); i < width * (y + 1); i++)
            for (int64_t at = CHANNELS * i; core[i] && at < CHANNELS * (i + 1); at++) {
                double left = returned[at] - source[at] - cast[at - CHANNELS * i], edit = forward[at] - input[at];
                products[0] += left * edit;
                products[1] += edit * edit;
                products[2] += left * left;
            }
    }
}
