/* The mean CIEDE2000 difference of two pictures. Plain C, called through ctypes.
 *
 * Sharma, Wu and Dalal (2005), with all weights 1. As in metrics/drift/_ciede2000.py hues are vectors, so that
 * the mean hue is the direction of a sum and no angle is needed but the one to blue. */

#include <math.h>
#include <stdint.h>

#include "floats.h"

enum { BLOCK = 256, LANES = 16 };

/* In the order of `delta_e_total` in __init__.py. */
typedef struct {
    float linear[256];   /* the linear light of each level */
    float to_relative[9]; /* linear RGB to XYZ relative to white, row by row */
} Constants;

/* Lightness, a and b, each a row of BLOCK floats. */
typedef struct {
    float l[BLOCK], a[BLOCK], b[BLOCK];
} Lab;

static void linear_light(Lab *out, const uint8_t *pixels, const float *linear, int64_t length) {
    for (int64_t i = 0; i < length; i++) {
        out->l[i] = linear[pixels[CHANNELS * i]];
        out->a[i] = linear[pixels[CHANNELS * i + 1]];
        out->b[i] = linear[pixels[CHANNELS * i + 2]];
    }
}

FOR_EACH_PROCESSOR
static void to_lab(Lab *lab, const float *m) {
    float *restrict l = lab->l, *restrict a = lab->a, *restrict b = lab->b;
    for (int64_t i = 0; i < BLOCK; i++) {
        float red = l[i], green = a[i], blue = b[i];
        a[i] = m[0] * red + m[1] * green + m[2] * blue;
        l[i] = m[3] * red + m[4] * green + m[5] * blue;
        b[i] = m[6] * red + m[7] * green + m[8] * blue;
    }
    compress(l, BLOCK);
    compress(a, BLOCK);
    compress(b, BLOCK);
    for (int64_t i = 0; i < BLOCK; i++) {
        float x = a[i], y = l[i], z = b[i];
        l[i] = 116 * y - 16;
        a[i] = 500 * (x - y);
        b[i] = 200 * (y - z);
    }
}

INLINE int32_t is_zero(float x) {
    return (bits_of(x) & 0x7fffffff) == 0;
}

/* From 0 for greys to 1 for strong colours. */
INLINE float saturating(float chroma) {
    float square = chroma * chroma, power = square * square * square * chroma;
    return sqrtf(power / (power + 6103515625.0f));
}

/* 1 for hue angles below a half turn, −1 for others: which one of two opposite hues this is. */
INLINE float side(float a, float b) {
    int32_t upper = (bits_of(b) > 0) | (is_zero(b) & (bits_of(a) > 0));
    return chosen(upper, 1, -1);
}

/* For 0 ≤ x ≤ 1 to 7e-7, and by symmetry about 1 for larger ones. */
INLINE float arc_tangent(float x) {
    int32_t is_large = exceeds(x, 1);
    float y = chosen(is_large, 1 / larger(x, 1), x), t = y * y;
    float high = -0.13480401f + t * (0.08374148f + t * (-0.03689857f + t * 0.00782546f));
    float angle = y * (0.99999933f + t * (-0.33326374f + t * (0.19879871f + t * high)));
    return chosen(is_large, 1.57079633f - angle, angle);
}

/* Sine of the angle by which chroma and hue are coupled, which is large for blues alone. The angle to blue is
 * capped at 127°, where the sine is below 1e-11. */
INLINE float blue_turn(float cosine, float sine) {
    float turned_cosine = cosine * 0.0871557427f - sine * 0.9961946981f;
    float turned_sine = fabsf(sine * 0.0871557427f + cosine * 0.9961946981f);
    float half = smaller(turned_sine / larger(1 + turned_cosine, 1e-12f), 2);
    float from_blue = 2 * arc_tangent(half) * 2.29183118f;
    float angle = 1.04719755f * exp_2(-1.44269504f * from_blue * from_blue), t = angle * angle;
    return angle * (0.99999997f + t * (-0.166665777f + t * (0.00832926752f + t * -0.000192452706f)));
}

/* 1 − 0.17·cos(h − 30°) + 0.24·cos 2h + 0.32·cos(3h + 6°) − 0.20·cos(4h − 63°) */
INLINE float hue_weight(float c, float s) {
    float c2 = c * c - s * s, s2 = 2 * s * c;
    float c3 = c2 * c - s2 * s, s3 = s2 * c + c2 * s;
    float c4 = c2 * c2 - s2 * s2, s4 = 2 * s2 * c2;
    return 1 - 0.17f * (c * 0.8660254038f + s * 0.5f) + 0.24f * c2 +
           0.32f * (c3 * 0.9945218954f - s3 * 0.1045284633f) -
           0.20f * (c4 * 0.4539904997f + s4 * 0.8910065242f);
}

/* The formula in steps, each a loop over the block: a loop over all of it would be so long that a processor
 * waits for one pixel before it begins the next. */
typedef struct {
    float a1[BLOCK], a2[BLOCK], c1[BLOCK], c2[BLOCK]; /* a* stretched, and the chroma with it */
    float cosine[BLOCK], sine[BLOCK], turned[BLOCK];  /* of the mean hue, and the difference of the hues */
    float rotation[BLOCK], found[BLOCK];
} Steps;

FOR_EACH_PROCESSOR
static void stretch_a(Steps *steps, const Lab *one, const Lab *other) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float a1 = one->a[i], b1 = one->b[i], a2 = other->a[i], b2 = other->b[i];
        float mean = (sqrtf(a1 * a1 + b1 * b1) + sqrtf(a2 * a2 + b2 * b2)) / 2;
        float stretch = 1.5f - 0.5f * saturating(mean);
        steps->a1[i] = a1 *= stretch;
        steps->a2[i] = a2 *= stretch;
        steps->c1[i] = sqrtf(a1 * a1 + b1 * b1);
        steps->c2[i] = sqrtf(a2 * a2 + b2 * b2);
    }
}

FOR_EACH_PROCESSOR
static void find_hues(Steps *steps, const Lab *one, const Lab *other) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float a1 = steps->a1[i], b1 = one->b[i], a2 = steps->a2[i], b2 = other->b[i];
        float c1 = steps->c1[i], c2 = steps->c2[i], product = c1 * c2;
        float dot = a1 * a2 + b1 * b2, cross = a1 * b2 - b1 * a2;
        /* Where hues are more than a quarter turn apart, sums of vectors lose their digits: then the mean hue
         * is perpendicular to the difference, and the distance comes from the other half angle. */
        int32_t is_grey = is_zero(product), is_far = bits_of(dot) < 0;
        float turn = chosen(is_zero(cross), side(a1, b1), chosen(bits_of(cross) > 0, 1, -1));
        float a = chosen(is_far, turn * (b2 * c1 - b1 * c2), a1 * c2 + a2 * c1);
        float b = chosen(is_far, turn * (a1 * c2 - a2 * c1), b1 * c2 + b2 * c1);
        a = chosen(is_grey, a1 + a2, a); /* the hue of the other colour where one has none */
        b = chosen(is_grey, b1 + b2, b);
        float length = sqrtf(a * a + b * b);
        length = chosen(is_zero(length), 1, length);
        steps->cosine[i] = a / length;
        steps->sine[i] = b / length;
        float half_cosine = sqrtf(larger(product + dot, 0) / 2);
        float near = cross / chosen(is_zero(half_cosine), 1, half_cosine);
        steps->turned[i] = chosen(is_far, turn * sqrtf(2 * (product - dot)), near);
    }
}

FOR_EACH_PROCESSOR
static void find_rotations(Steps *steps) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float mean_c = (steps->c1[i] + steps->c2[i]) / 2;
        steps->rotation[i] = -2 * saturating(mean_c) * blue_turn(steps->cosine[i], steps->sine[i]);
    }
}

FOR_EACH_PROCESSOR
static void find_differences(Steps *steps, const Lab *one, const Lab *other) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float l1 = one->l[i], l2 = other->l[i], c1 = steps->c1[i], c2 = steps->c2[i];
        float mean_c = (c1 + c2) / 2, from_middle = (l1 + l2) / 2 - 50, squared = from_middle * from_middle;
        float lightness = (l2 - l1) / (1 + 0.015f * squared / sqrtf(20 + squared));
        float chroma = (c2 - c1) / (1 + 0.045f * mean_c);
        float hue = steps->turned[i] / (1 + 0.015f * mean_c * hue_weight(steps->cosine[i], steps->sine[i]));
        float rotation = steps->rotation[i];
        float sum = lightness * lightness + chroma * chroma + hue * hue + rotation * chroma * hue;
        steps->found[i] = sqrtf(larger(sum, 0));
    }
}

FOR_EACH_PROCESSOR
static double total_of(const float *found) {
    double lanes[LANES] = {0}, total = 0;
    for (int64_t i = 0; i < BLOCK; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += found[i + lane];
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

static double block_total(const Lab *one, const Lab *other) {
    Steps steps;
    stretch_a(&steps, one, other);
    find_hues(&steps, one, other);
    find_rotations(&steps);
    find_differences(&steps, one, other);
    return total_of(steps.found);
}

/* 255 where a channel is 0 or 255, and 0 elsewhere. */
FOR_EACH_PROCESSOR
void mark_clipped(const uint8_t *restrict pixels, int64_t count, uint8_t *restrict out) {
    for (int64_t i = 0; i < count; i++) {
        uint8_t red = pixels[CHANNELS * i] + 1, green = pixels[CHANNELS * i + 1] + 1;
        uint8_t blue = pixels[CHANNELS * i + 2] + 1, least = red < green ? red : green;
        out[i] = (least < blue ? least : blue) < 2 ? 255 : 0;
    }
}

/* One block of pixels; the rest of the last one is black, which differs from black by nothing. */
static void block_lab(Lab *out, const uint8_t *pixels, int64_t count, const Constants *by) {
    linear_light(out, pixels, by->linear, count);
    for (int64_t i = count; i < BLOCK; i++)
        out->l[i] = out->a[i] = out->b[i] = 0;
    to_lab(out, by->to_relative);
}

/* CIELAB of a picture, in blocks: of each the lightness, a and b of BLOCK pixels. */
void lab_blocks(const uint8_t *pixels, int64_t count, const Constants *by, Lab *blocks) {
    for (int64_t start = 0; start < count; start += BLOCK)
        block_lab(blocks++, pixels + CHANNELS * start, count - start < BLOCK ? count - start : BLOCK, by);
}

/* The sum over all pixels of two pictures of one size; `blocks` are those of the first. */
double delta_e_total(const uint8_t *x, const Lab *blocks, const uint8_t *y, int64_t pixels, const Constants *by) {
    Lab other;
    double total = 0;
    for (int64_t start = 0; start < pixels; start += BLOCK, blocks++) {
        int64_t here = pixels - start < BLOCK ? pixels - start : BLOCK;
        if (!memcmp(x + CHANNELS * start, y + CHANNELS * start, CHANNELS * here))
            continue;
        block_lab(&other, y + CHANNELS * start, here, by);
        total += block_total(blocks, &other);
    }
    return total;
}
