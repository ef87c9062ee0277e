/* PNG files: the `up` filter, then deflate with Huffman codes of its own for every few rows. Of all repetitions
 * only runs of zeros are sought: photographs have few others, and searching is what takes time. */

#include "png_encoding.h"

#include <string.h>

#include "floats.h"
#include "huffman.h"
#include "wide_codes.h"

enum { LITERALS = MOST_SYMBOLS, END = 256, CODE_LENGTHS = 19, LONGEST_LENGTH_CODE = 7 };
enum { ROWS_A_BLOCK = 64, SHORTEST_RUN = 8, LONGEST_MATCH = 258, BLOCK_HEADER = 512 };
enum { AT_A_TIME = 4 }; /* codes that a 64-bit word has room for beside seven bits */

typedef struct {
    uint8_t *to;
    uint64_t bits, count;
} Writer;

static inline void flush(Writer *writer) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(writer->bits >> (8 * i));
    memcpy(writer->to, bytes, 8);
    writer->to += writer->count >> 3;
    writer->bits >>= writer->count & ~7u;
    writer->count &= 7;
}

static inline void put(Writer *writer, uint64_t bits, uint64_t count) {
    writer->bits |= bits << writer->count;
    writer->count += count;
}

static inline void put_symbol(Writer *writer, const Code *code, int symbol) {
    put(writer, code->bits[symbol], code->lengths[symbol]);
}

/* Whether zeros begin here that are worth a match; there are at least SHORTEST_RUN bytes. */
static inline int is_run(const uint8_t *from) {
    uint64_t bytes;
    memcpy(&bytes, from, SHORTEST_RUN);
    return bytes == 0;
}

/* The length of a run: a zero, and no more than one match can hold. */
static inline int run_length(const uint8_t *from, const uint8_t *end) {
    int64_t most = end - from <= LONGEST_MATCH ? end - from : LONGEST_MATCH + 1, length = SHORTEST_RUN;
    while (length + SHORTEST_RUN <= most && is_run(from + length))
        length += SHORTEST_RUN;
    while (length < most && !from[length])
        length++;
    return (int)length;
}

/* The symbol of a match's length, and how many bits follow it. */
static inline int length_symbol(int length, int *extra) {
    *extra = 0;
    if (length == LONGEST_MATCH)
        return 285;
    int rest = length - 3;
    while (rest >> (*extra + 3))
        ++*extra;
    return 257 + 4 * *extra + (rest >> *extra);
}

static void count_row(const uint8_t *from, const uint8_t *end, uint32_t *counts, uint32_t (*apart)[256]) {
    while (end - from >= SHORTEST_RUN)
        if (is_run(from)) {
            int run = run_length(from, end), extra;
            counts[0]++;
            counts[length_symbol(run - 1, &extra)]++;
            from += run;
        } else
            for (int i = 0; i < AT_A_TIME; i++)
                apart[i][*from++]++;
    while (from < end)
        counts[*from++]++;
}

/* One row in four, without a rhythm that a pattern in the picture could share. The first is among them. */
static inline int is_sampled(int64_t row) {
    return (uint32_t)row * 2654435769u >> 30 == 0;
}

/* Rows resemble each other: some tell how frequent symbols are. What these lack can be in the others. */
static void estimate_counts(const uint8_t *rows, int64_t count, int64_t length, uint32_t *counts) {
    uint32_t apart[AT_A_TIME][256] = {{0}};
    for (int64_t row = 0; row < count; row++)
        if (is_sampled(row))
            count_row(rows + row * length, rows + (row + 1) * length, counts, apart);
    for (int symbol = 0; symbol < 256; symbol++)
        for (int i = 0; i < AT_A_TIME; i++)
            counts[symbol] += apart[i][symbol];
    for (int symbol = 0; symbol < LITERALS; symbol++)
        counts[symbol] += !counts[symbol];
}

/* Returns where the run ends. */
static inline const uint8_t *put_run(Writer *writer, const uint8_t *from, const uint8_t *end,
                                     const Code *code) {
    int run = run_length(from, end), extra, symbol = length_symbol(run - 1, &extra);
    put_symbol(writer, code, 0);
    put_symbol(writer, code, symbol);
    put(writer, (run - 4) & ((1 << extra) - 1), extra);
    put(writer, 0, 1); /* the only distance: one */
    flush(writer);
    return from + run;
}

/* Codes are joined before they are put, because every put waits for the one before. */
static inline void put_four(Writer *writer, const uint8_t *from, const Code *code) {
    const uint16_t *bits = code->bits;
    const uint8_t *lengths = code->lengths;
    uint32_t left = lengths[from[0]] + lengths[from[1]], right = lengths[from[2]] + lengths[from[3]];
    uint64_t first = bits[from[0]] | (uint32_t)bits[from[1]] << lengths[from[0]];
    uint64_t last = bits[from[2]] | (uint32_t)bits[from[3]] << lengths[from[2]];
    put(writer, first | last << left, left + right);
    flush(writer);
}

#ifdef HAS_WIDE_CODES

/* Writes all but the last symbols, and moves to these. */
ON_WIDE static Writer write_wide(Writer at, const uint8_t **symbols, const uint8_t *end, const Code *code) {
    Writer *writer = &at;
    const uint8_t *from = *symbols;
    Tables tables;
    Joined joined;
    fill_tables(code, &tables);
    while (end - from >= LEAST_WIDE) {
        int fours = join_fours(from, end, &tables, &joined), written = 0;
        uint64_t bits[FOURS / 2], lengths[FOURS / 2];
        for (; fours - written >= FOURS && join_eights(&joined, written, bits, lengths); written += FOURS)
            for (int i = 0; i < FOURS / 2; i++) {
                put(writer, bits[i], lengths[i]);
                flush(writer);
            }
        for (; written < fours; written++) {
            put(writer, joined.bits[written], joined.lengths[written]);
            flush(writer);
        }
        from += fours * AT_A_TIME;
        if (is_run(from))
            from = put_run(writer, from, end, code);
    }
    *symbols = from;
    return at;
}

#endif

static Writer write_symbols(Writer at, const uint8_t *from, const uint8_t *end, const Code *code) {
    Writer *writer = &at; /* a copy, which stays in registers */
#ifdef HAS_WIDE_CODES
    if (is_wide())
        at = write_wide(at, &from, end, code);
#endif
    while (end - from >= SHORTEST_RUN)
        if (is_run(from))
            from = put_run(writer, from, end, code);
        else {
            put_four(writer, from, code);
            from += AT_A_TIME;
        }
    while (from < end) {
        put_symbol(writer, code, *from++);
        flush(writer);
    }
    put_symbol(writer, code, END);
    flush(writer);
    return at;
}

static void write_block(Writer *writer, const uint8_t *rows, int64_t count, int64_t length, int is_last) {
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint32_t counts[LITERALS] = {0}, of_lengths[CODE_LENGTHS] = {0};
    Code code, lengths_code;
    estimate_counts(rows, count, length, counts);
    choose_code(counts, LITERALS, LONGEST_CODE, &code);
    for (int symbol = 0; symbol < LITERALS; symbol++)
        of_lengths[code.lengths[symbol]]++;
    of_lengths[1]++; /* the distance */
    choose_code(of_lengths, CODE_LENGTHS, LONGEST_LENGTH_CODE, &lengths_code);
    put(writer, is_last | 2 << 1 | (LITERALS - 257) << 3 | 0 << 8 | (CODE_LENGTHS - 4) << 13, 17);
    flush(writer);
    for (int i = 0; i < CODE_LENGTHS; i++) {
        put(writer, lengths_code.lengths[order[i]], 3);
        flush(writer);
    }
    for (int symbol = 0; symbol <= LITERALS; symbol++) {
        put_symbol(writer, &lengths_code, symbol < LITERALS ? code.lengths[symbol] : 1);
        flush(writer);
    }
    *writer = write_symbols(*writer, rows, rows + count * length, &code);
}

enum { LANES = 64, LINES = 16 }; /* 16 bits have room for the weighted sums of so many lines */

/* A byte's weight is the number of bytes from it on: that of lines, less its place in its line. */
FOR_EACH_PROCESSOR
static void adler(const uint8_t *restrict data, int64_t length, uint32_t *low, uint32_t *high) {
    for (; length >= LANES * LINES; data += LANES * LINES, length -= LANES * LINES) {
        uint16_t sums[LANES] = {0}, weighted_sums[LANES] = {0};
        for (int line = 0; line < LINES; line++)
            for (int lane = 0; lane < LANES; lane++) {
                sums[lane] += data[line * LANES + lane];
                weighted_sums[lane] += sums[lane];
            }
        uint32_t sum = 0, weighted = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            sum += sums[lane];
            weighted += LANES * weighted_sums[lane] - lane * sums[lane];
        }
        *high = (*high + LANES * LINES * *low + weighted) % 65521;
        *low = (*low + sum) % 65521;
    }
    for (; length > 0; data++, length--) {
        *low += *data;
        *high += *low;
    }
    *low %= 65521;
    *high %= 65521;
}

FOR_EACH_PROCESSOR
static void subtract(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict out,
                     int64_t length) {
    for (int64_t i = 0; i < length; i++)
        out[i] = row[i] - above[i];
}

/* The longest code for every byte, and a header for every block. */
static int64_t body_room(int64_t height, int64_t width) {
    int64_t bytes = height * (width * CHANNELS + 1);
    return bytes * LONGEST_CODE / 8 + (height / ROWS_A_BLOCK + 2) * BLOCK_HEADER;
}

/* Behind the body the filtered rows of a block, and a row of zeros before them: memory of their own would be taken
 * from the system and given back for every picture, for which all threads are interrupted. */
int64_t png_room(int64_t height, int64_t width) {
    return body_room(height, width) + (ROWS_A_BLOCK + 1) * (width * CHANNELS + 1);
}

int64_t png_deflate(const uint8_t *pixels, int64_t height, int64_t width, uint8_t *out) {
    int64_t length = width * CHANNELS;
    uint8_t *zeros = out + body_room(height, width), *filtered = zeros + length + 1;
    Writer writer = {out + 2, 0, 0};
    uint32_t low = 1, high = 0;
    memset(zeros, 0, (size_t)length);
    out[0] = 0x78;
    out[1] = 0x01;
    for (int64_t top = 0; top < height; top += ROWS_A_BLOCK) {
        int64_t rows = height - top < ROWS_A_BLOCK ? height - top : ROWS_A_BLOCK;
        for (int64_t row = 0; row < rows; row++) {
            const uint8_t *here = pixels + (top + row) * length;
            uint8_t *to = filtered + row * (length + 1);
            to[0] = 2;
            subtract(here, top + row ? here - length : zeros, to + 1, length);
        }
        adler(filtered, rows * (length + 1), &low, &high);
        write_block(&writer, filtered, rows, length + 1, top + rows == height);
    }
    writer.count = (writer.count + 7) & ~7;
    flush(&writer);
    for (int shift = 24; shift >= 0; shift -= 8)
        *writer.to++ = (uint8_t)((high << 16 | low) >> shift);
    return writer.to - out;
}
