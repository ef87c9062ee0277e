/* Includes the file OF_ONE_WIDTH, which has code for vectors of LANES floats, once for each width of lanes.h that
 * a processor may have here. OF_WIDTH(name, lanes) is the address of what it defines as NAMED(name) for a width. */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LANES 16
#include OF_ONE_WIDTH
#undef LANES
#define LANES 8
#include OF_ONE_WIDTH
#undef LANES
#define OF_WIDTH(name, lanes) ((lanes) == 16 ? &name##_16 : (lanes) == 8 ? &name##_8 : &name##_1)
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define LANES 4
#include OF_ONE_WIDTH
#undef LANES
#define OF_WIDTH(name, lanes) ((lanes) == 4 ? &name##_4 : &name##_1)
#else
#define OF_WIDTH(name, lanes) ((void)(lanes), &name##_1)
#endif
#define LANES 1
#include OF_ONE_WIDTH
