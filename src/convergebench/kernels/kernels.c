/* Loops over pixels for which NumPy and OpenCV need many passes. Plain C, called through ctypes.
 *
 * Pictures are rows of interleaved RGB without gaps. It is compiled without fused multiply-add, so that every
 * processor gives the same digits. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

/* Structural similarity */

enum { WINDOW = 7, COUNT = WINDOW * WINDOW, REACH = (WINDOW - 1) * CHANNELS };
enum { LANES = 16, STRIP = 768 }; /* the sums of a strip of columns stay in the first cache */

/* Of each column of seven rows: the sums of x, of y, of x² + y², and of x·y. */
typedef struct {
    int32_t *x, *y, *squares, *products;
} Columns;

FOR_EACH_PROCESSOR
static void add_row(Columns sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t length) {
    int32_t *restrict sx = sums.x, *restrict sy = sums.y;
    int32_t *restrict ss = sums.squares, *restrict sp = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i];
        sx[i] += a;
        sy[i] += b;
        ss[i] += a * a + b * b;
        sp[i] += a * b;
    }
}

FOR_EACH_PROCESSOR
static void move_down(Columns sums, const uint8_t *restrict x, const uint8_t *restrict y, int64_t down,
                      int64_t length) {
    int32_t *restrict sx = sums.x, *restrict sy = sums.y;
    int32_t *restrict ss = sums.squares, *restrict sp = sums.products;
    for (int64_t i = 0; i < length; i++) {
        int32_t a = x[i], b = y[i], c = x[i + down], d = y[i + down];
        sx[i] += c - a;
        sy[i] += d - b;
        ss[i] += c * c + d * d - a * a - b * b;
        sp[i] += c * d - a * b;
    }
}

static inline int32_t across(const int32_t *column) {
    return column[0] + column[3] + column[6] + column[9] + column[12] + column[15] + column[18];
}

/* All sums are whole numbers below 2³¹, so variances are exact before they become floats. */
static inline float similarity(Columns sums, int64_t i, float c1, float c2) {
    int32_t x = across(sums.x + i), y = across(sums.y + i);
    int32_t both = x * y, squared = x * x + y * y;
    int32_t covariance = COUNT * across(sums.products + i) - both;
    int32_t variances = COUNT * across(sums.squares + i) - squared;
    return ((float)(2 * both) + c1) * ((float)(2 * covariance) + c2) /
           (((float)squared + c1) * ((float)variances + c2));
}

FOR_EACH_PROCESSOR
static double row_similarity(Columns sums, int64_t windows, float c1, float c2) {
    double lanes[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= windows; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += similarity(sums, i + lane, c1, c2);
    for (; i < windows; i++)
        total += similarity(sums, i, c1, c2);
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

/* One strip of columns, from top to bottom; rows are `length` apart. */
static double strip_similarity(const uint8_t *x, const uint8_t *y, int64_t height, int64_t length,
                               int64_t windows, float c1, float c2) {
    int32_t room[4][STRIP + REACH] = {0};
    Columns sums = {room[0], room[1], room[2], room[3]};
    for (int row = 0; row < WINDOW; row++)
        add_row(sums, x + row * length, y + row * length, windows + REACH);
    double total = row_similarity(sums, windows, c1, c2);
    for (int64_t row = 0; row + WINDOW < height; row++) {
        move_down(sums, x + row * length, y + row * length, WINDOW * length, windows + REACH);
        total += row_similarity(sums, windows, c1, c2);
    }
    return total;
}

/* The sum over all windows and channels. c1 and c2 are SSIM's constants, scaled as the sums are. */
double ssim_total(const uint8_t *x, const uint8_t *y, int64_t height, int64_t width, float c1, float c2) {
    int64_t length = width * CHANNELS, windows = length - REACH;
    double total = 0;
    for (int64_t left = 0; left < windows; left += STRIP) {
        int64_t here = windows - left < STRIP ? windows - left : STRIP;
        total += strip_similarity(x + left, y + left, height, length, here, c1, c2);
    }
    return total;
}

/* PNG: reading */

static inline uint8_t paeth(int left, int above, int corner) {
    int to_left = abs(above - corner), to_above = abs(left - corner);
    int to_corner = abs(left + above - 2 * corner);
    int nearest = to_above < to_left ? above : left, distance = to_above < to_left ? to_above : to_left;
    return (uint8_t)(to_corner < distance ? corner : nearest);
}

/* Undoes the filters: each row is a filter's number and 3·width bytes. 0 if all numbers are known. */
int png_unfilter(const uint8_t *filtered, uint8_t *pixels, int64_t height, int64_t width) {
    int64_t length = width * CHANNELS;
    uint8_t *nothing = calloc(length, 1);
    if (!nothing)
        return -1;
    const uint8_t *above = nothing;
    for (int64_t row = 0; row < height; row++, filtered += length + 1, above = pixels, pixels += length) {
        const uint8_t *in = filtered + 1;
        int left[CHANNELS] = {0}, corner[CHANNELS] = {0};
        switch (filtered[0]) {
        case 0:
            memcpy(pixels, in, length);
            break;
        case 1:
            for (int64_t i = 0; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; c++)
                    pixels[i + c] = left[c] = (uint8_t)(in[i + c] + left[c]);
            break;
        case 2:
            for (int64_t i = 0; i < length; i++)
                pixels[i] = in[i] + above[i];
            break;
        case 3:
            for (int64_t i = 0; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; c++)
                    pixels[i + c] = left[c] = (uint8_t)(in[i + c] + ((left[c] + above[i + c]) >> 1));
            break;
        case 4:
            for (int64_t i = 0; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; c++) {
                    int up = above[i + c];
                    pixels[i + c] = left[c] = (uint8_t)(in[i + c] + paeth(left[c], up, corner[c]));
                    corner[c] = up;
                }
            break;
        default:
            free(nothing);
            return -1;
        }
    }
    free(nothing);
    return 0;
}

/* PNG: writing. The `up` filter, then deflate with Huffman codes of its own for every few rows. Of all
 * repetitions only runs of zeros are sought: photographs have few others, and searching is what takes time. */

enum { LITERALS = 286, END = 256, CODE_LENGTHS = 19, LONGEST_CODE = 14, LONGEST_LENGTH_CODE = 7 };
enum { ROWS_A_BLOCK = 64, LONGEST_MATCH = 258, BLOCK_HEADER = 512 };
enum { AT_A_TIME = 4 }; /* codes that a 64-bit word has room for beside seven bits */

enum { LENGTH_AT = 16 };

typedef struct {
    uint8_t *to;
    uint64_t bits;
    int count;
} Writer;

static inline void flush(Writer *writer) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(writer->bits >> (8 * i));
    memcpy(writer->to, bytes, 8);
    writer->to += writer->count >> 3;
    writer->bits >>= writer->count & ~7;
    writer->count &= 7;
}

static inline void put(Writer *writer, uint32_t bits, int count) {
    writer->bits |= (uint64_t)bits << writer->count;
    writer->count += count;
}

static inline void put_word(Writer *writer, uint32_t word) {
    put(writer, word & ((1 << LENGTH_AT) - 1), word >> LENGTH_AT);
}

typedef struct {
    uint8_t lengths[LITERALS];
    uint32_t words[LITERALS]; /* a symbol's bits, and from LENGTH_AT on how many they are */
} Code;

/* Lengths of an optimal code, none above the limit: while one is, rare symbols are taken for more frequent. */
static void choose_lengths(const uint32_t *counts, int symbols, int limit, uint8_t *lengths) {
    uint32_t weights[2 * LITERALS];
    uint16_t order[LITERALS], parents[2 * LITERALS];
    uint8_t depths[2 * LITERALS];
    int used = 0, longest;
    memset(lengths, 0, symbols);
    for (int symbol = 0; symbol < symbols; symbol++)
        if (counts[symbol]) {
            int place = used++;
            for (; place > 0 && counts[order[place - 1]] > counts[symbol]; place--)
                order[place] = order[place - 1];
            order[place] = (uint16_t)symbol;
        }
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

static void choose_code(const uint32_t *counts, int symbols, int limit, Code *code) {
    uint32_t next = 0;
    choose_lengths(counts, symbols, limit, code->lengths);
    for (int length = 1; length <= limit; length++, next <<= 1)
        for (int symbol = 0; symbol < symbols; symbol++)
            if (code->lengths[symbol] == length) {
                uint32_t reversed = 0;
                for (int bit = 0; bit < length; bit++)
                    reversed |= (next >> bit & 1) << (length - 1 - bit);
                code->words[symbol] = reversed | (uint32_t)length << LENGTH_AT;
                next++;
            }
}

/* How many zeros begin here, if at least eight and there is room to look; no more than one match can hold. */
static inline int zeros(const uint8_t *from, const uint8_t *end) {
    static const uint8_t none[8];
    int count = 8;
    if (end - from < 8 || memcmp(from, none, 8))
        return 0;
    while (count <= LONGEST_MATCH && from + count < end && !from[count])
        count++;
    return count;
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

static void count_row(const uint8_t *from, const uint8_t *end, uint32_t *counts,
                      uint32_t (*apart)[256]) {
    while (from < end) {
        int run = zeros(from, end), extra;
        if (run) {
            counts[0]++;
            counts[length_symbol(run - 1, &extra)]++;
            from += run;
        } else if (end - from >= AT_A_TIME) {
            for (int i = 0; i < AT_A_TIME; i++)
                apart[i][*from++]++;
        } else
            counts[*from++]++;
    }
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

static Writer write_symbols(Writer at, const uint8_t *from, const uint8_t *end, const Code *code) {
    Writer *writer = &at; /* a copy, which stays in registers */
    while (from < end) {
        int run = zeros(from, end), extra;
        if (run) {
            int symbol = length_symbol(run - 1, &extra);
            put_word(writer, code->words[0]);
            put_word(writer, code->words[symbol]);
            put(writer, (run - 4) & ((1 << extra) - 1), run - 1 == LONGEST_MATCH ? 0 : extra);
            put(writer, 0, 1); /* the only distance: one */
            from += run;
        } else if (end - from >= AT_A_TIME)
            for (int i = 0; i < AT_A_TIME; i++)
                put_word(writer, code->words[*from++]);
        else
            put_word(writer, code->words[*from++]);
        flush(writer);
    }
    put_word(writer, code->words[END]);
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
        int length = symbol < LITERALS ? code.lengths[symbol] : 1;
        put_word(writer, lengths_code.words[length]);
        flush(writer);
    }
    *writer = write_symbols(*writer, rows, rows + count * length, &code);
}

FOR_EACH_PROCESSOR
static void adler(const uint8_t *restrict data, int64_t length, uint32_t *low, uint32_t *high) {
    while (length > 0) {
        int32_t part = length < 2048 ? (int32_t)length : 2048, sum = 0, weighted = 0;
        for (int32_t i = 0; i < part; i++) {
            sum += data[i];
            weighted += (part - i) * data[i];
        }
        *high = (uint32_t)((*high + (uint64_t)part * *low + (uint32_t)weighted) % 65521);
        *low = (*low + (uint32_t)sum) % 65521;
        data += part;
        length -= part;
    }
}

FOR_EACH_PROCESSOR
static void subtract(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict out,
                     int64_t length) {
    for (int64_t i = 0; i < length; i++)
        out[i] = row[i] - above[i];
}

/* The room that png_deflate needs: the longest code for every byte, and a header for every block. */
int64_t png_room(int64_t height, int64_t width) {
    int64_t bytes = height * (width * CHANNELS + 1);
    return bytes * LONGEST_CODE / 8 + (height / ROWS_A_BLOCK + 2) * BLOCK_HEADER;
}

/* The body of a PNG file of RGB with eight bits, as zlib has it; its length, or −1 without memory. */
int64_t png_deflate(const uint8_t *pixels, int64_t height, int64_t width, uint8_t *out) {
    int64_t length = width * CHANNELS;
    uint8_t *room = calloc(ROWS_A_BLOCK + 1, length + 1);
    if (!room)
        return -1;
    uint8_t *filtered = room + length + 1;
    Writer writer = {out + 2, 0, 0};
    uint32_t low = 1, high = 0;
    out[0] = 0x78;
    out[1] = 0x01;
    for (int64_t top = 0; top < height; top += ROWS_A_BLOCK) {
        int64_t rows = height - top < ROWS_A_BLOCK ? height - top : ROWS_A_BLOCK;
        for (int64_t row = 0; row < rows; row++) {
            const uint8_t *here = pixels + (top + row) * length;
            uint8_t *to = filtered + row * (length + 1);
            to[0] = 2;
            subtract(here, top + row ? here - length : room, to + 1, length);
        }
        adler(filtered, rows * (length + 1), &low, &high);
        write_block(&writer, filtered, rows, length + 1, top + rows == height);
    }
    writer.count = (writer.count + 7) & ~7;
    flush(&writer);
    for (int shift = 24; shift >= 0; shift -= 8)
        *writer.to++ = (uint8_t)((high << 16 | low) >> shift);
    free(room);
    return writer.to - out;
}
