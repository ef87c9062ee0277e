/* What the loops share: compiling for several processors, and elementary functions that compilers vectorise.
 *
 * Every processor gives the same digits: multiply-add is fused where `fused` says so and nowhere else, and there
 * are no functions of the C library whose digits differ between machines. */

#ifndef CONVERGEBENCH_FLOATS_H
#define CONVERGEBENCH_FLOATS_H

#include <stdint.h>
#include <string.h>

/* Both wide forms have fused multiply-add; in the last one it is a slow function of the C library. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__)
#if __GNUC__ >= 12
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "fma", "default")))
#endif
#else
#define FOR_EACH_PROCESSOR
#endif
#define INLINE static inline __attribute__((always_inline))

enum { CHANNELS = 3 };

/* The lanes of the widest registers that this processor has, of those in lanes.h, but not more than `most`. */
INLINE int64_t lanes_up_to(int64_t most) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (most >= 16 && __builtin_cpu_supports("avx512f"))
        return 16;
    if (most >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 8;
#elif defined(__aarch64__) && defined(__ARM_NEON)
    if (most >= 4)
        return 4;
#endif
    (void)most;
    return 1;
}

/* x · y + z, rounded once */
INLINE float fused(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}

/* Elementary functions, to a few units of the last place */

INLINE int32_t bits_of(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE float of_bits(int32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Floats are compared as whole numbers: those that are not negative have the order of their bits, and
 * negative ones come before them. Compilers vectorise that without leave to ignore NaN and traps. */

/* Of two that are not both negative. */
INLINE float larger(float x, float y) {
    int32_t one = bits_of(x), other = bits_of(y);
    return of_bits(one > other ? one : other);
}

/* Of two that are not negative. */
INLINE float smaller(float x, float y) {
    int32_t one = bits_of(x), other = bits_of(y);
    return of_bits(one < other ? one : other);
}

INLINE int32_t exceeds(float x, float limit) {
    return bits_of(x) > bits_of(limit);
}

INLINE float chosen(int32_t condition, float yes, float no) {
    int32_t mask = -condition;
    return of_bits((bits_of(yes) & mask) | (bits_of(no) & ~mask));
}

/* From the cube root of the reciprocal, which takes no division: a guess y from the exponent makes x·y² about
 * the root, and a polynomial for (1 − r)^(−2/3), with r = 1 − x·y³ and |r| < 0.103, corrects it. */
INLINE float cube_root(float x) {
    float y = of_bits((int32_t)fused((float)bits_of(x), -1.0f / 3, 1419900000.0f));
    float root = x * (y * y), r = fused(-root, y, 1);
    float high = fused(r, fused(r, 0.4287195218f, 0.4585278826f), 0.4938010388f);
    return fused(root, r * fused(r, fused(r, high, 0.5555366144f), 0.6666666855f), root);
}

/* For x > 0: the exponent, and the series of artanh for a mantissa between √½ and √2. */
INLINE float log_2(float x) {
    int32_t bits = bits_of(x), exponent = (bits - 0x3f3504f3) >> 23;
    float mantissa = of_bits(bits - exponent * (1 << 23));
    float s = (mantissa - 1) / (mantissa + 1), t = s * s;
    return fused(s, fused(t, fused(t, 0.5989739429f, 0.9614708071f), 2.885391289f), (float)exponent);
}

/* For −126 < x ≤ 0: a power of two, and a polynomial for the distance to the nearest whole number. */
INLINE float exp_2(float x) {
    int32_t whole = (int32_t)(x - 0.5f);
    float t = x - (float)whole;
    float high = fused(t, fused(t, 0.001326472737f, 0.009671512788f), 0.05550733744f);
    float power = fused(t, fused(t, fused(t, high, 0.2402224208f), 0.6931469776f), 1);
    return of_bits(bits_of(power) + whole * (1 << 23));
}

/* CIELAB's cube root, linear near black. */
INLINE float compressed(float x) {
    float root = cube_root(x), linear = fused(x, 841.0f / 108, 4.0f / 29);
    return chosen(exceeds(x, 216.0f / 24389), root, linear);
}

/* A loop of its own: a processor overlaps the roots of many values if little else lies between them. */
INLINE void compress(float *restrict values, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        values[i] = compressed(values[i]);
}

#endif
