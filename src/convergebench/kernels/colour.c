/* The mean CIEDE2000 difference of two pictures. Plain C, called through ctypes.
 *
 * Sharma, Wu and Dalal (2005), with all weights 1. As in metrics/drift/_ciede2000.py hues are vectors, so that
 * the mean hue is the direction of a sum and no angle is needed but the one to blue. */

#include <math.h>
#include <stdint.h>

#include "floats.h"

enum { BLOCK = 256, LANES = 16, CACHE_LINE = 64 };

/* In the order of `delta_e_total` in __init__.py. */
typedef struct {
    float linear[256];   /* the linear light of each level */
    float to_relative[9]; /* linear RGB to XYZ relative to white, row by row */
} Constants;

/* Lightness, a and b, each a row of BLOCK floats. */
typedef struct {
    float l[BLOCK], a[BLOCK], b[BLOCK];
} Lab;

/* Not inlined: for wider registers compilers read many levels at once and take them apart slowly. */
static __attribute__((noinline)) void linear_light(Lab *out, const uint8_t *pixels, const float *linear, int64_t length) {
    for (int64_t i = 0; i < length; i++) {
        out->l[i] = linear[pixels[CHANNELS * i]];
        out->a[i] = linear[pixels[CHANNELS * i + 1]];
        out->b[i] = linear[pixels[CHANNELS * i + 2]];
    }
}

INLINE void to_lab(Lab *lab, const float *m) {
    float *restrict l = lab->l, *restrict a = lab->a, *restrict b = lab->b;
    for (int64_t i = 0; i < BLOCK; i++) {
        float red = l[i], green = a[i], blue = b[i];
        a[i] = fused(m[0], red, fused(m[1], green, m[2] * blue));
        l[i] = fused(m[3], red, fused(m[4], green, m[5] * blue));
        b[i] = fused(m[6], red, fused(m[7], green, m[8] * blue));
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

/* Square roots to a unit of the last place or two, in half the time that processors take: a guess y from the
 * exponent, and a polynomial for (1 − r)^(−1/2), with r = 1 − x·y² and |r| < 0.07, corrects it. */
typedef struct {
    float guess, product, correction; /* y, x·y, and (1 − r)^(−1/2) − 1 */
} Root;

INLINE Root root_of(float x) {
    float y = of_bits(0x5f3759df - (bits_of(x) >> 1)), product = x * y, r = fused(-product, y, 1);
    float high = fused(r, fused(r, 0.2743324935f, 0.3139398694f), 0.374999404f);
    return (Root){y, product, r * fused(r, high, 0.4999983311f)};
}

/* For x ≥ 0. */
INLINE float square_root(float x) {
    Root root = root_of(x);
    return fused(root.product, root.correction, root.product);
}

/* For x > 0; large for 0. */
INLINE float inverse_root(float x) {
    Root root = root_of(x);
    return fused(root.guess, root.correction, root.guess);
}

/* From 0 for greys to 1 for strong colours: √(c⁷ / (c⁷ + 25⁷)). */
INLINE float saturating(float chroma) {
    float square = chroma * chroma, power = square * square * square * chroma;
    return power * inverse_root(power * (power + 6103515625.0f));
}

/* 1 for hue angles below a half turn, −1 for others: which one of two opposite hues this is. */
INLINE float side(float a, float b) {
    int32_t upper = (bits_of(b) > 0) | (is_zero(b) & (bits_of(a) > 0));
    return chosen(upper, 1, -1);
}

/* Sine of the angle by which chroma and hue are coupled, which is large for blues alone: 60° · exp(−(h / 25°)²)
 * for a hue h from blue. With u = 1 − cos h, h² is a polynomial, to 1e-8 in the exponential function. */
INLINE float blue_turn(float cosine, float sine) {
    float u = fused(sine, 0.9961946981f, fused(cosine, -0.0871557427f, 1));
    float high = fused(u, fused(u, -0.067866534f, -0.0460227989f), -0.2268797308f);
    float exponent = u * fused(u, fused(u, fused(u, high, -0.6720126271f), -2.526010990f), -15.15548134f);
    float angle = 1.04719755f * exp_2(exponent), t = angle * angle;
    return angle * fused(t, fused(t, fused(t, -0.000192452706f, 0.00832926752f), -0.166665777f), 0.99999997f);
}

/* 1 − 0.17·cos(h − 30°) + 0.24·cos 2h + 0.32·cos(3h + 6°) − 0.20·cos(4h − 63°) */
INLINE float hue_weight(float c, float s) {
    float c2 = fused(c, c, -(s * s)), s2 = 2 * s * c;
    float c3 = fused(c2, c, -(s2 * s)), s3 = fused(s2, c, c2 * s);
    float c4 = fused(c2, c2, -(s2 * s2)), s4 = 2 * s2 * c2;
    float low = fused(c, -0.17f * 0.8660254038f, fused(s, -0.17f * 0.5f, 1));
    float middle = fused(c2, 0.24f, fused(c3, 0.32f * 0.9945218954f, s3 * (-0.32f * 0.1045284633f)));
    return low + middle - fused(c4, 0.20f * 0.4539904997f, s4 * (0.20f * 0.8910065242f));
}

/* The formula in steps, each a loop over the block: a loop over all of it would be so long that a processor
 * waits for one pixel before it begins the next. */
typedef struct {
    float a1[BLOCK], a2[BLOCK], c1[BLOCK], c2[BLOCK]; /* a* stretched, and the chroma with it */
    float cosine[BLOCK], sine[BLOCK], turned[BLOCK];  /* of the mean hue, and the difference of the hues */
    float rotation[BLOCK], found[BLOCK];
} Steps;

INLINE void find_chromas(Steps *steps, const Lab *one, const Lab *other) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float a1 = one->a[i], b1 = one->b[i], a2 = other->a[i], b2 = other->b[i];
        steps->c1[i] = (sqrtf(fused(a1, a1, b1 * b1)) + sqrtf(fused(a2, a2, b2 * b2))) / 2;
    }
    for (int64_t i = 0; i < BLOCK; i++) {
        float stretch = fused(-0.5f, saturating(steps->c1[i]), 1.5f);
        float a1 = one->a[i] * stretch, b1 = one->b[i], a2 = other->a[i] * stretch, b2 = other->b[i];
        steps->a1[i] = a1;
        steps->a2[i] = a2;
        steps->c1[i] = square_root(fused(a1, a1, b1 * b1));
        steps->c2[i] = square_root(fused(a2, a2, b2 * b2));
    }
}

INLINE void find_hues(Steps *steps, const Lab *one, const Lab *other) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float a1 = steps->a1[i], b1 = one->b[i], a2 = steps->a2[i], b2 = other->b[i];
        float c1 = steps->c1[i], c2 = steps->c2[i], product = c1 * c2;
        float dot = fused(a1, a2, b1 * b2), cross = a1 * b2 - b1 * a2; /* 0 for equal colours, so not fused */
        /* Where hues are more than a quarter turn apart, sums of vectors lose their digits: then the mean hue
         * is perpendicular to the difference, and the distance comes from the other half angle. */
        int32_t is_grey = is_zero(product), is_far = bits_of(dot) < 0;
        float turn = chosen(is_zero(cross), side(a1, b1), chosen(bits_of(cross) > 0, 1, -1));
        float a = chosen(is_far, turn * (b2 * c1 - b1 * c2), a1 * c2 + a2 * c1);
        float b = chosen(is_far, turn * (a1 * c2 - a2 * c1), b1 * c2 + b2 * c1);
        a = chosen(is_grey, a1 + a2, a); /* the hue of the other colour where one has none */
        b = chosen(is_grey, b1 + b2, b);
        float per_length = 1 / larger(sqrtf(fused(a, a, b * b)), 1e-30f);
        steps->cosine[i] = a * per_length;
        steps->sine[i] = b * per_length;
        /* 2·√(C₁·C₂)·sin(Δh / 2), where 2·C₁·C₂·(1 ± cos Δh) is the square of twice the half angle's cosine or
         * sine: the distance is that root itself, or twice the cross product over it. */
        float doubled = 2 * chosen(is_far, product - dot, larger(product + dot, 0));
        steps->turned[i] = chosen(is_far, turn * doubled, 2 * cross) * inverse_root(doubled);
    }
}

INLINE void find_rotations(Steps *steps) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float mean_c = (steps->c1[i] + steps->c2[i]) / 2;
        steps->rotation[i] = -2 * saturating(mean_c) * blue_turn(steps->cosine[i], steps->sine[i]);
    }
}

INLINE void find_differences(Steps *steps, const Lab *one, const Lab *other) {
    for (int64_t i = 0; i < BLOCK; i++) {
        float l1 = one->l[i], l2 = other->l[i], c1 = steps->c1[i], c2 = steps->c2[i];
        float mean_c = (c1 + c2) / 2, from_middle = (l1 + l2) / 2 - 50, squared = from_middle * from_middle;
        float lightness = (l2 - l1) / fused(0.015f * squared, inverse_root(20 + squared), 1);
        float chroma = (c2 - c1) / fused(0.045f, mean_c, 1);
        float weight = hue_weight(steps->cosine[i], steps->sine[i]);
        float hue = steps->turned[i] / fused(0.015f * mean_c, weight, 1);
        float sum = fused(lightness, lightness, chroma * chroma) + hue * fused(steps->rotation[i], chroma, hue);
        steps->found[i] = sqrtf(larger(sum, 0));
    }
}

INLINE double total_of(const float *found) {
    double lanes[LANES] = {0}, total = 0;
    for (int64_t i = 0; i < BLOCK; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += found[i + lane];
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

INLINE double block_total(const Lab *one, const Lab *other) {
    Steps steps;
    find_chromas(&steps, one, other);
    find_hues(&steps, one, other);
    find_rotations(&steps);
    find_differences(&steps, one, other);
    return total_of(steps.found);
}

FOR_EACH_PROCESSOR
static void mark(const uint8_t *restrict pixels, int64_t count, uint8_t *restrict out) {
    for (int64_t i = 0; i < count; i++) {
        uint8_t red = pixels[CHANNELS * i] + 1, green = pixels[CHANNELS * i + 1] + 1;
        uint8_t blue = pixels[CHANNELS * i + 2] + 1, least = red < green ? red : green;
        out[i] = (least < blue ? least : blue) < 2 ? 255 : 0;
    }
}

/* 255 where a channel is 0 or 255, and 0 elsewhere. Clang gives another name to a function of several forms. */
void mark_clipped(const uint8_t *pixels, int64_t count, uint8_t *out) {
    mark(pixels, count, out);
}

/* One block of pixels; the rest of the last one is black, which differs from black by nothing. */
INLINE void block_lab(Lab *out, const uint8_t *pixels, int64_t count, const Constants *by) {
    linear_light(out, pixels, by->linear, count);
    for (int64_t i = count; i < BLOCK; i++)
        out->l[i] = out->a[i] = out->b[i] = 0;
    to_lab(out, by->to_relative);
}

/* Two pictures of one size; `blocks` are those of the first. */
typedef struct {
    const uint8_t *x, *y;
    Lab *blocks;
    int64_t pixels;
} Pair;

INLINE void fill_blocks(Pair pair, const Constants *by) {
    for (int64_t start = 0; start < pair.pixels; start += BLOCK) {
        int64_t here = pair.pixels - start < BLOCK ? pair.pixels - start : BLOCK;
        block_lab(pair.blocks++, pair.x + CHANNELS * start, here, by);
    }
}

INLINE double total_difference(Pair pair, const Constants *by) {
    Lab other;
    double total = 0;
    for (int64_t start = 0; start < pair.pixels; start += BLOCK, pair.blocks++) {
        int64_t here = pair.pixels - start < BLOCK ? pair.pixels - start : BLOCK;
        if (!memcmp(pair.x + CHANNELS * start, pair.y + CHANNELS * start, CHANNELS * here))
            continue;
        for (size_t i = 0; start + BLOCK < pair.pixels && i < sizeof(Lab); i += CACHE_LINE)
            __builtin_prefetch((const char *)(pair.blocks + 1) + i);
        block_lab(&other, pair.y + CHANNELS * start, here, by);
        total += block_total(pair.blocks, &other);
    }
    return total;
}

/* The sum over all pixels, or without a second picture the blocks of the first. */
INLINE double compared(Pair pair, const Constants *by) {
    if (pair.y)
        return total_difference(pair, by);
    fill_blocks(pair, by);
    return 0;
}

static double compared_plain(Pair pair, const Constants *by) {
    return compared(pair, by);
}

/* `most_lanes`: the floats of the widest registers that may be used. All give the same digits. */
#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("avx2,fma")))
static double compared_8(Pair pair, const Constants *by) {
    return compared(pair, by);
}

__attribute__((target("avx512f,avx2,fma")))
static double compared_16(Pair pair, const Constants *by) {
    return compared(pair, by);
}

static double compare(Pair pair, const Constants *by, int64_t most_lanes) {
    if (most_lanes < 8 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return compared_plain(pair, by);
    return (most_lanes >= 16 && __builtin_cpu_supports("avx512f") ? compared_16 : compared_8)(pair, by);
}

#else

static double compare(Pair pair, const Constants *by, int64_t most_lanes) {
    (void)most_lanes;
    return compared_plain(pair, by);
}

#endif

/* CIELAB of a picture, in blocks: of each the lightness, a and b of BLOCK pixels. */
void lab_blocks(const uint8_t *pixels, int64_t count, const Constants *by, int64_t most_lanes, Lab *blocks) {
    compare((Pair){pixels, NULL, blocks, count}, by, most_lanes);
}

/* The sum over all pixels of two pictures of one size; `blocks` are those of the first. */
double delta_e_total(const uint8_t *x, Lab *blocks, const uint8_t *y, int64_t pixels, const Constants *by,
                     int64_t most_lanes) {
    return compare((Pair){x, y, blocks, pixels}, by, most_lanes);
}
