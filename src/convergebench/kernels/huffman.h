/* Huffman codes as deflate has them. */

#ifndef CONVERGEBENCH_HUFFMAN_H
#define CONVERGEBENCH_HUFFMAN_H

#include <stdint.h>
#include <string.h>

enum { MOST_SYMBOLS = 286, LONGEST_CODE = 14 };

/* Bits of each symbol, and how many they are. */
typedef struct {
    uint16_t bits[MOST_SYMBOLS];
    uint8_t lengths[MOST_SYMBOLS];
} Code;

/* Symbols that occur, from the rarest on, by Shell's method; how many they are. */
static int sort_symbols(const uint32_t *counts, int symbols, uint16_t *order) {
    uint64_t keys[MOST_SYMBOLS];
    int used = 0;
    for (int symbol = 0; symbol < symbols; symbol++)
        if (counts[symbol])
            keys[used++] = (uint64_t)counts[symbol] << 16 | (uint64_t)symbol;
    for (int gap = 121; gap; gap /= 3)
        for (int i = gap; i < used; i++) {
            uint64_t key = keys[i];
            int place = i;
            for (; place >= gap && keys[place - gap] > key; place -= gap)
                keys[place] = keys[place - gap];
            keys[place] = key;
        }
    for (int i = 0; i < used; i++)
        order[i] = (uint16_t)keys[i];
    return used;
}

/* Lengths of an optimal code, none above the limit: while one is, rare symbols are taken for more frequent. */
static void choose_lengths(const uint32_t *counts, int symbols, int limit, uint8_t *lengths) {
    uint32_t weights[2 * MOST_SYMBOLS];
    uint16_t order[MOST_SYMBOLS], parents[2 * MOST_SYMBOLS];
    uint8_t depths[2 * MOST_SYMBOLS];
    int used = sort_symbols(counts, symbols, order), longest;
    memset(lengths, 0, symbols);
    if (used == 1)
        lengths[order[0]] = 1;
    if (used < 2)
        return;
    for (int i = 0; i < used; i++)
        weights[i] = counts[order[i]];
    do {
        int leaf = 0, inner = used, next = used;
        for (; next < 2 * used - 1; next++) {
            weights[next] = 0;
            for (int child = 0; child < 2; child++) {
                int is_leaf = leaf < used && (inner == next || weights[leaf] <= weights[inner]);
                int lightest = is_leaf ? leaf++ : inner++;
                weights[next] += weights[lightest];
                parents[lightest] = (uint16_t)next;
            }
        }
        depths[2 * used - 2] = 0;
        longest = 0;
        for (int node = 2 * used - 3; node >= 0; node--) {
            depths[node] = depths[parents[node]] + 1;
            if (depths[node] > longest)
                longest = depths[node];
        }
        for (int i = 0; i < used; i++) {
            lengths[order[i]] = depths[i];
            weights[i] = weights[i] / 2 + 1;
        }
    } while (longest > limit);
}

/* Sixteen bits in reverse: neighbours change places, then pairs of them, and so on. */
static inline uint32_t reversed_bits(uint32_t bits) {
    bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
    bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
    bits = (bits & 0x0f0f) << 4 | (bits >> 4 & 0x0f0f);
    return (bits & 0x00ff) << 8 | bits >> 8;
}

/* Codes of one length are consecutive numbers, written from their highest bit on. */
static void choose_code(const uint32_t *counts, int symbols, int limit, Code *code) {
    uint32_t of_length[LONGEST_CODE + 1] = {0}, next[LONGEST_CODE + 1] = {0};
    choose_lengths(counts, symbols, limit, code->lengths);
    for (int symbol = 0; symbol < symbols; symbol++)
        of_length[code->lengths[symbol]]++;
    of_length[0] = 0; /* symbols that do not occur */
    for (int length = 1; length <= limit; length++)
        next[length] = (next[length - 1] + of_length[length - 1]) << 1;
    for (int symbol = 0; symbol < symbols; symbol++) {
        uint32_t length = code->lengths[symbol];
        code->bits[symbol] = (uint16_t)(reversed_bits(next[length]++) >> (16 - length));
    }
}

#endif
