/* Vectors of LANES floats, for code that is included once for each width: 16 and 8 for processors with AVX-512 and
 * AVX2, 4 with Neon, 1 for all others. The same operations in the same order give the same digits in all widths. */

#undef TARGET
#undef NAMED
#undef VECTOR
#undef LOAD
#undef STORE
#undef ALIKE
#undef FUSED
#undef LOADED_ONCE

#if LANES == 16
#define TARGET __attribute__((target("avx512f")))
#define NAMED(name) name##_16
#define VECTOR __m512
#define LOAD(from) _mm512_loadu_ps(from)
#define STORE(to, vector) _mm512_storeu_ps(to, vector)
#define ALIKE(value) _mm512_set1_ps(value)
#define FUSED(x, y, z) _mm512_fmadd_ps(x, y, z)
#define LOADED_ONCE(vector) __asm__("" : "+v"(vector)) /* GCC would load it again for each use */
#elif LANES == 8
#define TARGET __attribute__((target("avx2,fma")))
#define NAMED(name) name##_8
#define VECTOR __m256
#define LOAD(from) _mm256_loadu_ps(from)
#define STORE(to, vector) _mm256_storeu_ps(to, vector)
#define ALIKE(value) _mm256_set1_ps(value)
#define FUSED(x, y, z) _mm256_fmadd_ps(x, y, z)
#define LOADED_ONCE(vector) __asm__("" : "+x"(vector))
#elif LANES == 4
#define TARGET
#define NAMED(name) name##_4
#define VECTOR float32x4_t
#define LOAD(from) vld1q_f32(from)
#define STORE(to, vector) vst1q_f32(to, vector)
#define ALIKE(value) vdupq_n_f32(value)
#define FUSED(x, y, z) vfmaq_f32(z, x, y)
#define LOADED_ONCE(vector) (void)0
#else
#define TARGET
#define NAMED(name) name##_1
#define VECTOR float
#define LOAD(from) (*(from))
#define STORE(to, vector) (*(to) = (vector))
#define ALIKE(value) (value)
#define FUSED(x, y, z) fused(x, y, z)
#define LOADED_ONCE(vector) (void)0
#endif
