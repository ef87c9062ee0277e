/* Winograd's transforms, and the products between them, for registers of one width. winograd.c includes this
 * once for each width, with these macros: LANES (floats of a register), MOST_ROWS (tiles of one product, as many
 * as there are registers for), SOME_ROWS (all smaller numbers), TARGET (the instructions), FUSED (multiply and
 * add), LARGER, ALIKE (one value in all lanes) and NAMED (the name of a function for this width). Each lane is
 * computed by the same operations in the same order at every width, so that all give the same digits. */

#define INLINED static inline __attribute__((always_inline, TARGET))
#define Lanes NAMED(Lanes)

typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

INLINED Lanes NAMED(loaded)(const float *from) {
    return *(const Lanes *)from;
}

/* Six values at the points 0, 1, −1, 2, −2 and infinity. */
INLINED void NAMED(to_six)(Lanes *d, int64_t step) {
    Lanes four = ALIKE(4), minus_five = ALIKE(-5), two = ALIKE(2), minus_four = -four;
    Lanes a = d[0], b = d[step], c = d[2 * step], e = d[3 * step], f = d[4 * step], g = d[5 * step];
    d[0] = FUSED(minus_five, c, FUSED(four, a, f));
    d[step] = FUSED(minus_four, b + c, f + e);
    d[2 * step] = FUSED(four, b - c, f - e);
    d[3 * step] = FUSED(two, e - b, f - c);
    d[4 * step] = FUSED(-two, e - b, f - c);
    d[5 * step] = FUSED(minus_five, e, FUSED(four, b, g));
}

/* Eight values at the points 0, 1, −1, 2, −2, 1/2, −1/2 and infinity. */
INLINED void NAMED(to_eight)(Lanes *d, int64_t step) {
    Lanes far = ALIKE(-5.25f), middle = ALIKE(-4.25f), near = ALIKE(-1.25f);
    Lanes quarter = ALIKE(0.25f), four = ALIKE(4), two = ALIKE(2), half = ALIKE(0.5f);
    Lanes b = d[step], c = d[2 * step], e = d[3 * step], f = d[4 * step], g = d[5 * step], h = d[6 * step];
    d[0] = FUSED(far, f - c, h - d[0]);
    d[7 * step] = FUSED(far, g - e, d[7 * step] - b);
    Lanes even = FUSED(middle, f, h + c), odd = FUSED(middle, e, g + b);
    d[step] = even + odd;
    d[2 * step] = even - odd;
    even = FUSED(quarter, c, FUSED(near, f, h)), odd = FUSED(quarter, b, FUSED(near, e, g));
    d[3 * step] = FUSED(two, odd, even);
    d[4 * step] = FUSED(-two, odd, even);
    even = FUSED(four, FUSED(near, f, c), h), odd = FUSED(four, FUSED(near, e, b), g);
    d[5 * step] = FUSED(half, odd, even);
    d[6 * step] = FUSED(-half, odd, even);
}

/* STEP values from those at the points. */
INLINED void NAMED(from_points)(Lanes *d, int64_t step, int tile) {
    Lanes sum = d[step] + d[2 * step], difference = d[step] - d[2 * step], last = d[(tile - 1) * step];
    Lanes far_sum = d[3 * step] + d[4 * step], far_difference = d[3 * step] - d[4 * step];
    Lanes first = d[0] + sum + far_sum, second = FUSED(ALIKE(2), far_difference, difference);
    Lanes third = FUSED(ALIKE(4), far_sum, sum), fourth = FUSED(ALIKE(8), far_difference, difference);
    if (tile == 8) {
        Lanes near_sum = d[5 * step] + d[6 * step], near_difference = d[5 * step] - d[6 * step];
        first += near_sum;
        second = FUSED(ALIKE(0.5f), near_difference, second);
        third = FUSED(ALIKE(0.25f), near_sum, third);
        fourth = FUSED(ALIKE(0.125f), near_difference, fourth);
    }
    d[0] = first, d[step] = second, d[2 * step] = third, d[3 * step] = fourth + last;
}

INLINED void NAMED(to_points)(Lanes *d, int64_t step, int tile) {
    if (tile == 6)
        NAMED(to_six)(d, step);
    else
        NAMED(to_eight)(d, step);
}

INLINED void NAMED(transform_tiles_of)(const Layer *by, int64_t first, int64_t tiles, float *out, int tile) {
    int64_t between = point_stride(tiles, by->channels);
    for (int64_t at = 0; at < tiles; at++) {
        const float *pixels[MOST_POINTS];
        find_pixels(by, first + at, tile, pixels);
        for (int64_t i = 0; i < by->channels; i += LANES) {
            Lanes d[MOST_POINTS];
            for (int point = 0; point < tile * tile; point++) {
                d[point] = NAMED(loaded)(pixels[point] + i);
                if (point % tile >= tile - STEP) /* what the next tile has and this one has not */
                    _mm_prefetch((const char *)(pixels[point] + STEP * by->channels + i), _MM_HINT_T0);
            }
            for (int y = 0; y < tile; y++)
                NAMED(to_points)(d + y * tile, 1, tile);
            for (int x = 0; x < tile; x++)
                NAMED(to_points)(d + x, tile, tile);
            float *to = out + (i / PACKED * tiles + at) * PACKED + i % PACKED;
            for (int point = 0; point < tile * tile; point++)
                *(Lanes *)(to + point * between) = d[point];
        }
    }
}

/* points × channels / PACKED × tiles × PACKED. */
__attribute__((TARGET))
static void NAMED(transform_tiles)(const Layer *by, int64_t first, int64_t tiles, float *out) {
    if (by->tile == 6)
        NAMED(transform_tiles_of)(by, first, tiles, out, 6);
    else
        NAMED(transform_tiles_of)(by, first, tiles, out, 8);
}

INLINED void NAMED(transform_back_of)(const Layer *by, const float *sums, int64_t first, int64_t tiles,
                                      int tile) {
    int64_t between = point_stride(tiles, by->outputs);
    for (int64_t at = 0; at < tiles; at++) {
        int64_t top = (first + at) / by->columns * STEP, left = (first + at) % by->columns * STEP;
        int64_t below = by->out_height - top < STEP ? by->out_height - top : STEP;
        int64_t beside = by->out_width - left < STEP ? by->out_width - left : STEP;
        for (int64_t i = 0; i < by->outputs; i += LANES) {
            const float *from = sums + (i / PACKED * tiles + at) * PACKED + i % PACKED;
            Lanes d[MOST_POINTS], bias = NAMED(loaded)(by->bias + i);
            for (int point = 0; point < tile * tile; point++)
                d[point] = NAMED(loaded)(from + point * between);
            for (int y = 0; y < tile; y++)
                NAMED(from_points)(d + y * tile, 1, tile);
            for (int x = 0; x < STEP; x++)
                NAMED(from_points)(d + x, tile, tile);
            for (int64_t y = 0; y < below; y++)
                for (int64_t x = 0; x < beside; x++) {
                    Lanes sum = d[y * tile + x] + bias;
                    float *to = by->out + ((top + y) * by->out_width + left + x) * by->outputs + i;
                    *(Lanes *)to = LARGER(sum, (Lanes){0});
                }
        }
    }
}

/* The outputs of these tiles, with their bias; what is negative becomes 0. */
__attribute__((TARGET))
static void NAMED(transform_back)(const Layer *by, const float *sums, int64_t first, int64_t tiles) {
    if (by->tile == 6)
        NAMED(transform_back_of)(by, sums, first, tiles, 6);
    else
        NAMED(transform_back_of)(by, sums, first, tiles, 8);
}

/* `rows` tiles times the weights of PACKED outputs, over some channels; `rows` is constant wherever it is
 * inlined. The weights behind them are next: networks have more of them than the caches hold, so they are
 * fetched ahead, into the second cache, since the first would lose them before their turn. */
INLINED void NAMED(multiply_rows)(const float *in, int64_t tiles, int64_t channels, const float *weights,
                                  float *out, int continues, int rows) {
    enum { PARTS = PACKED / LANES };
    Lanes sums[MOST_ROWS][PARTS];
    for (int row = 0; row < rows; row++)
        for (int part = 0; part < PARTS; part++)
            sums[row][part] = continues ? NAMED(loaded)(out + row * PACKED + part * LANES) : (Lanes){0};
    for (int64_t from = 0; from < channels; from += PACKED, in += tiles * PACKED)
        for (int64_t i = 0; i < PACKED; i++, weights += PACKED) {
            _mm_prefetch((const char *)(weights + AHEAD * PACKED), _MM_HINT_T1);
            for (int row = 0; row < rows; row++)
                for (int part = 0; part < PARTS; part++)
                    sums[row][part] = FUSED(ALIKE(in[row * PACKED + i]),
                                            NAMED(loaded)(weights + part * LANES), sums[row][part]);
        }
    for (int row = 0; row < rows; row++)
        for (int part = 0; part < PARTS; part++)
            *(Lanes *)(out + row * PACKED + part * LANES) = sums[row][part];
}

/* At one point: tiles × channels times the weights of PACKED outputs. */
__attribute__((TARGET))
static void NAMED(multiply_tiles)(const float *in, int64_t tiles, int64_t channels, const float *weights,
                                  float *out) {
    for (int64_t from = 0; from < channels; from += CHUNK) {
        int64_t length = channels - from < CHUNK ? channels - from : CHUNK;
        for (int64_t row = 0; row < tiles; row += MOST_ROWS) {
            const float *rows_in = in + (from * tiles + row * PACKED), *by = weights + from * PACKED;
            float *rows_out = out + row * PACKED;
#define CASE(rows)                                                                                           \
    case rows: NAMED(multiply_rows)(rows_in, tiles, length, by, rows_out, from > 0, rows); break;
            switch (tiles - row) {
                SOME_ROWS(CASE)
            default: NAMED(multiply_rows)(rows_in, tiles, length, by, rows_out, from > 0, MOST_ROWS);
            }
#undef CASE
        }
    }
}

#undef INLINED
#undef Lanes
