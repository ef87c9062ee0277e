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
INLINED void NAMED(to_six)(Lanes *d) {
    Lanes four = ALIKE(4), minus_five = ALIKE(-5), two = ALIKE(2), minus_four = -four;
    Lanes a = d[0], b = d[1], c = d[2], e = d[3], f = d[4], g = d[5];
    d[0] = FUSED(minus_five, c, FUSED(four, a, f));
    d[1] = FUSED(minus_four, b + c, f + e);
    d[2] = FUSED(four, b - c, f - e);
    d[3] = FUSED(two, e - b, f - c);
    d[4] = FUSED(-two, e - b, f - c);
    d[5] = FUSED(minus_five, e, FUSED(four, b, g));
}

/* Seven values at the points 0, 1, −1, 2, −2, −1/2 and infinity: at all but −1/2, those of the six pairs of
 * neighbours that have no value there. */
INLINED void NAMED(to_seven)(Lanes *d) {
    Lanes pairs[6];
    for (int i = 0; i < 6; i++)
        pairs[i] = FUSED(ALIKE(0.5f), d[i], d[i + 1]);
    d[5] = FUSED(ALIKE(-5), d[3], FUSED(ALIKE(4), d[1], d[5]));
    NAMED(to_six)(pairs);
    for (int i = 0; i < 5; i++)
        d[i] = pairs[i];
    d[6] = pairs[5];
}

/* Eight values at the points 0, 1, −1, 2, −2, −1/2, 1/2 and infinity. */
INLINED void NAMED(to_eight)(Lanes *d) {
    Lanes far = ALIKE(-5.25f), middle = ALIKE(-4.25f), near = ALIKE(-1.25f);
    Lanes quarter = ALIKE(0.25f), four = ALIKE(4), two = ALIKE(2), half = ALIKE(0.5f);
    Lanes b = d[1], c = d[2], e = d[3], f = d[4], g = d[5], h = d[6];
    d[0] = FUSED(far, f - c, h - d[0]);
    d[7] = FUSED(far, g - e, d[7] - b);
    Lanes even = FUSED(middle, f, h + c), odd = FUSED(middle, e, g + b);
    d[1] = even + odd;
    d[2] = even - odd;
    even = FUSED(quarter, c, FUSED(near, f, h)), odd = FUSED(quarter, b, FUSED(near, e, g));
    d[3] = FUSED(two, odd, even);
    d[4] = FUSED(-two, odd, even);
    even = FUSED(four, FUSED(near, f, c), h), odd = FUSED(four, FUSED(near, e, b), g);
    d[5] = FUSED(-half, odd, even);
    d[6] = FUSED(half, odd, even);
}

INLINED void NAMED(to_points)(Lanes *d, int tile) {
    if (tile == 6)
        NAMED(to_six)(d);
    else if (tile == 7)
        NAMED(to_seven)(d);
    else
        NAMED(to_eight)(d);
}

/* `outputs` values from those at the points. */
INLINED void NAMED(from_points)(Lanes *d, int tile, int outputs) {
    Lanes sum = d[1] + d[2], difference = d[1] - d[2], last = d[tile - 1];
    Lanes far_sum = d[3] + d[4], far_difference = d[3] - d[4];
    Lanes found[MOST_STEP] = {d[0] + sum + far_sum};
    for (int i = 1; i < outputs; i++)
        found[i] = FUSED(ALIKE(1 << i), i % 2 ? far_difference : far_sum, i % 2 ? difference : sum);
    if (tile > 6) {
        Lanes near_sum = d[5], near_difference = -d[5];
        if (tile == 8)
            near_sum = near_sum + d[6], near_difference = d[6] - d[5];
        found[0] = found[0] + near_sum;
        for (int i = 1; i < outputs; i++)
            found[i] = FUSED(ALIKE(1.0f / (1 << i)), i % 2 ? near_difference : near_sum, found[i]);
    }
    found[outputs - 1] = found[outputs - 1] + last;
    for (int i = 0; i < outputs; i++)
        d[i] = found[i];
}

/* LANES channels of a tile: rows, then columns, which go straight to their points. */
INLINED void NAMED(transform_tile)(const float *const *pixels, int64_t i, int64_t ahead, float *out,
                                   int64_t between, int tile, int step) {
    Lanes rows[MOST_POINTS], d[MOST_TILE];
    for (int y = 0; y < tile; y++) {
        for (int x = 0; x < tile; x++) {
            d[x] = NAMED(loaded)(pixels[y * tile + x] + i);
            if (x >= tile - step) /* what the next tile has and this one has not */
                _mm_prefetch((const char *)(pixels[y * tile + x] + i + ahead), _MM_HINT_T0);
        }
        NAMED(to_points)(d, tile);
        for (int x = 0; x < tile; x++)
            rows[y * tile + x] = d[x];
    }
    for (int x = 0; x < tile; x++) {
        for (int y = 0; y < tile; y++)
            d[y] = rows[y * tile + x];
        NAMED(to_points)(d, tile);
        for (int y = 0; y < tile; y++)
            *(Lanes *)(out + (y * tile + x) * between) = d[y];
    }
}

INLINED void NAMED(transform_tiles_of)(const Layer *by, int64_t first, int64_t tiles, float *out, int tile,
                                       int step) {
    int64_t channels = by->of.channels, between = point_stride(tiles, channels);
    for (int64_t at = 0; at < tiles; at++) {
        const float *pixels[MOST_POINTS];
        find_pixels(by, first + at, tile, pixels);
        for (int64_t i = 0; i < channels; i += LANES)
            NAMED(transform_tile)(pixels, i, step * channels,
                                  out + (i / PACKED * tiles + at) * PACKED + i % PACKED, between, tile, step);
    }
}

/* points × channels / PACKED × tiles × PACKED. */
__attribute__((TARGET))
static void NAMED(transform_tiles)(const Layer *by, int64_t first, int64_t tiles, float *out) {
    if (by->tile == 6)
        NAMED(transform_tiles_of)(by, first, tiles, out, 6, 4);
    else if (by->tile == 7)
        NAMED(transform_tiles_of)(by, first, tiles, out, 7, 5);
    else
        NAMED(transform_tiles_of)(by, first, tiles, out, 8, 4);
}

/* LANES outputs of a tile, `below` rows of `beside`, which lie `row` and `pixel` apart. */
INLINED void NAMED(transform_tile_back)(const float *from, int64_t between, Lanes bias, float *out, int64_t row,
                                        int64_t pixel, int64_t below, int64_t beside, int tile, int step) {
    Lanes rows[MOST_POINTS], d[MOST_TILE];
    for (int y = 0; y < tile; y++) {
        for (int x = 0; x < tile; x++)
            d[x] = NAMED(loaded)(from + (y * tile + x) * between);
        NAMED(from_points)(d, tile, step);
        for (int x = 0; x < step; x++)
            rows[y * step + x] = d[x];
    }
    for (int x = 0; x < beside; x++) {
        for (int y = 0; y < tile; y++)
            d[y] = rows[y * step + x];
        NAMED(from_points)(d, tile, step);
        for (int y = 0; y < step; y++)
            if (y < below)
                *(Lanes *)(out + y * row + x * pixel) = LARGER(d[y] + bias, (Lanes){0});
    }
}

INLINED void NAMED(transform_back_of)(const Layer *by, const float *sums, int64_t first, int64_t tiles,
                                      int tile, int step) {
    int64_t outputs = by->of.outputs, between = point_stride(tiles, outputs), row = by->out_width * outputs;
    for (int64_t at = 0; at < tiles; at++) {
        int64_t top = (first + at) / by->columns * step, left = (first + at) % by->columns * step;
        int64_t below = by->out_height - top < step ? by->out_height - top : step;
        int64_t beside = by->out_width - left < step ? by->out_width - left : step;
        float *to = by->out + (top - by->first_row) * row + left * outputs;
        for (int64_t i = 0; i < outputs; i += LANES)
            NAMED(transform_tile_back)(sums + (i / PACKED * tiles + at) * PACKED + i % PACKED, between,
                                       NAMED(loaded)(by->of.bias + i), to + i, row, outputs, below, beside, tile,
                                       step);
    }
}

/* The outputs of these tiles, with their bias; what is negative becomes 0. */
__attribute__((TARGET))
static void NAMED(transform_back)(const Layer *by, const float *sums, int64_t first, int64_t tiles) {
    if (by->tile == 6)
        NAMED(transform_back_of)(by, sums, first, tiles, 6, 4);
    else if (by->tile == 7)
        NAMED(transform_back_of)(by, sums, first, tiles, 7, 5);
    else
        NAMED(transform_back_of)(by, sums, first, tiles, 8, 4);
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
        for (int64_t row = 0, rows; row < tiles; row += rows) {
            int64_t left = tiles - row, blocks = (left + MOST_ROWS - 1) / MOST_ROWS;
            rows = (left + blocks - 1) / blocks; /* blocks of one height: few rows wait for their own sums */
            const float *rows_in = in + (from * tiles + row * PACKED), *by = weights + from * PACKED;
            float *rows_out = out + row * PACKED;
#define CASE(rows)                                                                                           \
    case rows: NAMED(multiply_rows)(rows_in, tiles, length, by, rows_out, from > 0, rows); break;
            switch (rows) {
                SOME_ROWS(CASE)
            default: NAMED(multiply_rows)(rows_in, tiles, length, by, rows_out, from > 0, MOST_ROWS);
            }
#undef CASE
        }
    }
}

#undef INLINED
#undef Lanes
