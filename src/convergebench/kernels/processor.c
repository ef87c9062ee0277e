/* What the processor can do. */

#include "floats.h"

/* Whether x · y + z is one instruction in the loops of FOR_EACH_PROCESSOR. Where it is a function of the C
 * library, they give the same digits, but take many times as long as NumPy and OpenCV. */
int fuses_multiply_add(void) {
#if defined(__FMA__) || defined(__aarch64__)
    return 1;
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__)
#if __GNUC__ >= 12
    return __builtin_cpu_supports("x86-64-v3") != 0;
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#else
    return 0;
#endif
}
