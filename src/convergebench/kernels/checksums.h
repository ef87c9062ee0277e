/* CRC-32 and SHA-256 by instructions that most processors of this family have. Others leave them to Python's
 * libraries. */

#ifndef CONVERGEBENCH_CHECKSUMS_H
#define CONVERGEBENCH_CHECKSUMS_H

#if defined(__x86_64__) && defined(__GNUC__)

#define HAS_CHECKSUMS

#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { SHA_INSTRUCTIONS = 1 << 29, SHA_BLOCK = 64, SHA_ROUNDS = 64 };
enum { CRC_STEP = 16, CRC_BLOCK = 64, CRC_WIDE = 4 * CRC_BLOCK };

#define ON_CRC __attribute__((target("pclmul,sse4.1")))
#define ON_WIDE_CRC __attribute__((target("avx512f,vpclmulqdq,pclmul,sse4.1")))
#define ON_SHA __attribute__((target("sha,sse4.1")))

/* Whether this processor has the instructions. */
static int has_checksums(void) {
    uint32_t a, b, c, d;
    int has_sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & SHA_INSTRUCTIONS);
    return has_sha && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

/* One byte after the other: for the few at the end. */
static uint32_t crc_by_bits(uint32_t crc, const uint8_t *data, int64_t length) {
    for (; length > 0; data++, length--) {
        crc ^= *data;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return crc;
}

ON_CRC static inline __m128i loaded(const uint8_t *data) {
    return _mm_loadu_si128((const __m128i *)data);
}

/* What stands for the remainder so far, moved on by the distance for which the factors are, and the next bytes. */
ON_CRC static inline __m128i folded(__m128i remainder, __m128i factors, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(remainder, factors, 0x00);
    __m128i high = _mm_clmulepi64_si128(remainder, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* The same for the four steps of a block. */
ON_WIDE_CRC static inline __m512i folded_block(__m512i remainder, __m128i factors, __m512i next) {
    __m512i of_each = _mm512_broadcast_i32x4(factors);
    __m512i low = _mm512_clmulepi64_epi128(remainder, of_each, 0x00);
    __m512i high = _mm512_clmulepi64_epi128(remainder, of_each, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96); /* either, or all three */
}

/* What stands for the remainder of as many bytes as four blocks at a time take; how many these are. */
ON_WIDE_CRC static int64_t fold_widely(uint32_t crc, const uint8_t *data, int64_t length, __m128i by_block,
                                       __m128i *parts) {
    const __m128i by_wide = _mm_set_epi64x(0x1322d1430, 0x11542778a);
    const uint8_t *from = data;
    __m512i blocks[4];
    for (int i = 0; i < 4; i++)
        blocks[i] = _mm512_loadu_si512(from + CRC_BLOCK * i);
    __m512i first = _mm512_inserti32x4(_mm512_setzero_si512(), _mm_cvtsi32_si128((int)crc), 0);
    blocks[0] = _mm512_xor_si512(blocks[0], first);
    for (from += CRC_WIDE, length -= CRC_WIDE; length >= CRC_WIDE; from += CRC_WIDE, length -= CRC_WIDE)
        for (int i = 0; i < 4; i++)
            blocks[i] = folded_block(blocks[i], by_wide, _mm512_loadu_si512(from + CRC_BLOCK * i));
    for (int i = 1; i < 4; i++)
        blocks[0] = folded_block(blocks[0], by_block, blocks[i]);
    _mm512_storeu_si512(parts, blocks[0]);
    return from - data;
}

static int folds_widely(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
}

/* By products without carries: V. Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ,
 * Intel 2009. The factors are powers of x modulo the polynomial, bits reversed. */
ON_CRC static uint32_t crc_of_steps(uint32_t crc, const uint8_t *data, int64_t length) {
    const __m128i by_block = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_step = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i by_half = _mm_set_epi64x(0, 0x163cd6124), reduction = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i lower = _mm_setr_epi32(-1, 0, -1, 0);
    __m128i parts[4];
    int64_t done = CRC_BLOCK;
    for (int i = 0; i < 4; i++)
        parts[i] = loaded(data + CRC_STEP * i);
    parts[0] = _mm_xor_si128(parts[0], _mm_cvtsi32_si128((int)crc));
    if (length >= CRC_WIDE && folds_widely())
        done = fold_widely(crc, data, length, by_block, parts);
    for (data += done, length -= done; length >= CRC_BLOCK; data += CRC_BLOCK, length -= CRC_BLOCK)
        for (int i = 0; i < 4; i++)
            parts[i] = folded(parts[i], by_block, loaded(data + CRC_STEP * i));
    __m128i all = parts[0];
    for (int i = 1; i < 4; i++)
        all = folded(all, by_step, parts[i]);
    for (; length >= CRC_STEP; data += CRC_STEP, length -= CRC_STEP)
        all = folded(all, by_step, loaded(data));
    all = _mm_xor_si128(_mm_clmulepi64_si128(all, by_step, 0x10), _mm_srli_si128(all, 8));
    all = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(all, lower), by_half, 0x00), _mm_srli_si128(all, 4));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(all, lower), reduction, 0x10);
    __m128i product = _mm_clmulepi64_si128(_mm_and_si128(quotient, lower), reduction, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(product, all), 1);
}

/* As PNG and zlib have it, continued from that of the bytes before. */
static uint32_t crc32_of(uint32_t before, const uint8_t *data, int64_t length) {
    uint32_t crc = ~before;
    if (length >= CRC_BLOCK) {
        int64_t steps = length & -(int64_t)CRC_STEP;
        crc = crc_of_steps(crc, data, steps);
        data += steps;
        length -= steps;
    }
    return ~crc_by_bits(crc, data, length);
}

/* FIPS 180-4: the first bits of the fractions of cube roots of primes. */
static const uint32_t sha_constants[SHA_ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The state in the order of the instructions: A, B, E, F and C, D, G, H, each from the highest word on. */
typedef struct {
    __m128i abef, cdgh;
} ShaState;

ON_SHA static inline __m128i big_endian(__m128i words) {
    return _mm_shuffle_epi8(words, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

/* Four rounds. `words` holds sixteen; those that are of no further use become the words sixteen rounds later. */
ON_SHA static inline __attribute__((always_inline)) void four_rounds(ShaState *state, __m128i *words, int four) {
    __m128i constants = _mm_loadu_si128((const __m128i *)sha_constants + four);
    __m128i these = words[four & 3], with = _mm_add_epi32(these, constants);
    state->cdgh = _mm_sha256rnds2_epu32(state->cdgh, state->abef, with);
    state->abef = _mm_sha256rnds2_epu32(state->abef, state->cdgh, _mm_shuffle_epi32(with, 0x0e));
    if (four < SHA_ROUNDS / 4 - 4) {
        __m128i last = words[(four + 3) & 3], middle = _mm_alignr_epi8(last, words[(four + 2) & 3], 4);
        __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(these, words[(four + 1) & 3]), middle);
        words[four & 3] = _mm_sha256msg2_epu32(sum, last);
    }
}

/* The same number of blocks to each of several states: a round waits for the one before, and the processor does those
 * of another state meanwhile. */
ON_SHA static inline __attribute__((always_inline)) void add_blocks(ShaState *states, const uint8_t *const *data,
                                                                    int64_t blocks, int count) {
    ShaState now[2];
    for (int i = 0; i < count; i++)
        now[i] = states[i];
    for (int64_t block = 0; block < blocks; block++) {
        __m128i words[2][4];
        ShaState before[2];
        for (int i = 0; i < count; i++) {
            before[i] = now[i];
            for (int word = 0; word < 4; word++)
                words[i][word] = big_endian(_mm_loadu_si128((const __m128i *)(data[i] + block * SHA_BLOCK) + word));
        }
#pragma GCC unroll 16
        for (int four = 0; four < SHA_ROUNDS / 4; four++)
            for (int i = 0; i < count; i++)
                four_rounds(&now[i], words[i], four);
        for (int i = 0; i < count; i++) {
            now[i].abef = _mm_add_epi32(now[i].abef, before[i].abef);
            now[i].cdgh = _mm_add_epi32(now[i].cdgh, before[i].cdgh);
        }
    }
    for (int i = 0; i < count; i++)
        states[i] = now[i];
}

ON_SHA static ShaState first_state(void) {
    return (ShaState){_mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c),
                      _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19)};
}

/* What is to be hashed, and the place of its digest. */
typedef struct {
    const uint8_t *data;
    int64_t length;
    uint8_t *digest;
} Hashed;

/* Adds all blocks from this one on, and the end. */
ON_SHA static void finish(ShaState state, const Hashed *hashed, int64_t block) {
    uint8_t end[2 * SHA_BLOCK] = {0};
    int64_t length = hashed->length, whole = length / SHA_BLOCK, rest = length % SHA_BLOCK;
    int64_t blocks = rest + 9 > SHA_BLOCK ? 2 : 1;
    const uint8_t *from = hashed->data + block * SHA_BLOCK, *padded = end;
    add_blocks(&state, &from, whole - block, 1);
    memcpy(end, hashed->data + whole * SHA_BLOCK, (size_t)rest);
    end[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        end[blocks * SHA_BLOCK - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    add_blocks(&state, &padded, blocks, 1);
    uint32_t words[8] = {
        (uint32_t)_mm_extract_epi32(state.abef, 3), (uint32_t)_mm_extract_epi32(state.abef, 2),
        (uint32_t)_mm_extract_epi32(state.cdgh, 3), (uint32_t)_mm_extract_epi32(state.cdgh, 2),
        (uint32_t)_mm_extract_epi32(state.abef, 1), (uint32_t)_mm_extract_epi32(state.abef, 0),
        (uint32_t)_mm_extract_epi32(state.cdgh, 1), (uint32_t)_mm_extract_epi32(state.cdgh, 0),
    };
    for (int i = 0; i < 32; i++)
        hashed->digest[i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
}

ON_SHA static void sha256(const Hashed *hashed) {
    finish(first_state(), hashed, 0);
}

/* In less time than one after the other. */
ON_SHA static void sha256_of_two(const Hashed *hashed) {
    ShaState states[2] = {first_state(), first_state()};
    const uint8_t *const data[2] = {hashed[0].data, hashed[1].data};
    int64_t shorter = hashed[0].length < hashed[1].length ? hashed[0].length : hashed[1].length;
    add_blocks(states, data, shorter / SHA_BLOCK, 2);
    finish(states[0], &hashed[0], shorter / SHA_BLOCK);
    finish(states[1], &hashed[1], shorter / SHA_BLOCK);
}

#endif
#endif
