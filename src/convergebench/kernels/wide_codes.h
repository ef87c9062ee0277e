/* Joins Huffman codes of bytes, four to a word, for many bytes at once: on processors that look up 64 bytes in a
 * table together. */

#ifndef CONVERGEBENCH_WIDE_CODES_H
#define CONVERGEBENCH_WIDE_CODES_H

#include "huffman.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define HAS_WIDE_CODES

enum { WIDE = 64, FOURS = WIDE / 4 };
enum { LEAST_WIDE = WIDE + 8 }; /* bytes: behind those that are joined, as many as may be a run */
enum { MOST_FOURS = 16 * FOURS }; /* joined before the first is put: the processor overlaps their steps */

#define ON_WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi2")))

static int is_wide(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("bmi2");
}

typedef uint16_t Pairs __attribute__((vector_size(WIDE)));
typedef uint32_t Quads __attribute__((vector_size(WIDE)));

/* One code in each lane: the lower and the upper half of its bits, and how many they are. */
typedef struct {
    __m512i lower, upper, lengths;
} Codes;

/* The bytes of a table of 256. */
ON_WIDE static inline __m512i looked_up(const uint8_t *table, __m512i places) {
    __m512i quarters[4];
    memcpy(quarters, table, sizeof quarters);
    __m512i low = _mm512_permutex2var_epi8(quarters[0], places, quarters[1]);
    __m512i high = _mm512_permutex2var_epi8(quarters[2], places, quarters[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(places), low, high);
}

/* Joins codes of neighbours: from lanes of 8 bits to lanes of 16. No code is empty, so no shift is too far. */
ON_WIDE static inline Codes joined_pairs(Codes codes) {
    Pairs lower = (Pairs)codes.lower, upper = (Pairs)codes.upper, lengths = (Pairs)codes.lengths;
    Pairs left = (lower & 0xff) | upper << 8, right = lower >> 8 | (upper & 0xff00), shift = lengths & 0xff;
    return (Codes){(__m512i)(left | right << shift), (__m512i)(right >> (16 - shift)),
                   (__m512i)(shift + (lengths >> 8))};
}

/* From lanes of 16 bits to lanes of 32. */
ON_WIDE static inline Codes joined_quads(Codes codes) {
    Quads lower = (Quads)codes.lower, upper = (Quads)codes.upper, lengths = (Quads)codes.lengths;
    Quads left = (lower & 0xffff) | upper << 16, right = lower >> 16 | (upper & 0xffff0000);
    Quads shift = lengths & 0xffff;
    return (Codes){(__m512i)(left | right << shift), (__m512i)(right >> (32 - shift)),
                   (__m512i)(shift + (lengths >> 16))};
}

/* What of a code is looked up by bytes. */
typedef struct {
    uint8_t lower[256], upper[256], lengths[256];
} Tables;

static void fill_tables(const Code *code, Tables *tables) {
    for (int symbol = 0; symbol < 256; symbol++) {
        tables->lower[symbol] = (uint8_t)code->bits[symbol];
        tables->upper[symbol] = (uint8_t)(code->bits[symbol] >> 8);
        tables->lengths[symbol] = code->lengths[symbol];
    }
}

typedef struct {
    uint64_t bits[MOST_FOURS];
    uint32_t lengths[MOST_FOURS];
} Joined;

/* Joins codes up to eight zeros, or until there is no room; how many fours. */
ON_WIDE static inline int join_fours(const uint8_t *from, const uint8_t *end, const Tables *tables,
                                     Joined *joined) {
    __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    __m512i last = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    int fours = 0;
    for (; fours < MOST_FOURS && end - from >= LEAST_WIDE; fours += FOURS, from += WIDE) {
        __m512i symbols = _mm512_loadu_si512(from), next = _mm512_loadu_si512(from + 4);
        uint32_t runs = _mm512_testn_epi32_mask(symbols, symbols) & _mm512_testn_epi32_mask(next, next);
        Codes codes = {looked_up(tables->lower, symbols), looked_up(tables->upper, symbols),
                       looked_up(tables->lengths, symbols)};
        codes = joined_quads(joined_pairs(codes));
        _mm512_storeu_si512(joined->bits + fours, _mm512_permutex2var_epi32(codes.lower, first, codes.upper));
        _mm512_storeu_si512(joined->bits + fours + FOURS / 2,
                            _mm512_permutex2var_epi32(codes.lower, last, codes.upper));
        _mm512_storeu_si512(joined->lengths + fours, codes.lengths);
        if (runs)
            return fours + __builtin_ctz(runs);
    }
    return fours;
}

enum { MOST_BITS = 56 }; /* that a 64-bit word has room for beside seven bits, and is not full */

/* Joins neighbours of sixteen fours; whether all have room. */
ON_WIDE static inline int join_eights(const Joined *joined, int at, uint64_t *bits, uint64_t *lengths) {
    __m512i first = _mm512_loadu_si512(joined->bits + at), last = _mm512_loadu_si512(joined->bits + at + FOURS / 2);
    __m512i both = _mm512_loadu_si512(joined->lengths + at); /* neighbours in the lower and the upper half of a lane */
    __m512i left = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), last);
    __m512i right = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), last);
    __m512i shift = _mm512_and_si512(both, _mm512_set1_epi64(UINT32_MAX));
    __m512i all = _mm512_add_epi64(shift, _mm512_srli_epi64(both, 32));
    _mm512_storeu_si512(bits, _mm512_or_si512(left, _mm512_sllv_epi64(right, shift)));
    _mm512_storeu_si512(lengths, all);
    return !_mm512_cmpgt_epu64_mask(all, _mm512_set1_epi64(MOST_BITS));
}

#endif
#endif
