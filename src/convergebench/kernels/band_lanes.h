/* Two Gaussians of a plane, for registers of one width. bands.c includes this once for each width, with these
 * macros: LANES (floats of a register, a multiple of SIDE), TARGET (the instructions), FUSED (multiply and add),
 * ALIKE (one value in all lanes), TRANSPOSE (SIDE × SIDE floats) and NAMED (the name of a function for this
 * width). Each value is computed by the same operations in the same order at every width. */

#define INLINED static inline __attribute__((always_inline)) TARGET
#define Lanes NAMED(Lanes)

typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

INLINED Lanes NAMED(loaded)(const float *from) {
    return *(const Lanes *)from;
}

INLINED Lanes NAMED(added)(Lanes sum, Lanes value, float weight, int is_fused) {
    if (is_fused)
        return FUSED(value, ALIKE(weight), sum);
    return sum + value * ALIKE(weight);
}

/* SIDE neighbouring sums of 2 · reach + 1 values, LANES floats apart, times the weights, one after the other.
 * Each value is loaded once for all sums. */
INLINED void NAMED(blur_columns)(const float *at, Gaussian by, Lanes *sums, int is_fused) {
    const float *weights = by.weights - by.reach;
    int64_t last = 2 * by.reach;
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
        sums[i] = (Lanes){0};
#pragma GCC unroll 8
    for (int r = 0; r < SIDE; r++) {
        Lanes value = NAMED(loaded)(at + r * LANES);
#pragma GCC unroll 8
        for (int i = 0; i <= r; i++)
            sums[i] = NAMED(added)(sums[i], value, weights[r - i], is_fused);
    }
    for (int64_t r = SIDE; r <= last; r++) {
        Lanes value = NAMED(loaded)(at + r * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < SIDE; i++)
            sums[i] = NAMED(added)(sums[i], value, weights[r - i], is_fused);
    }
#pragma GCC unroll 8
    for (int r = 1; r < SIDE; r++) {
        Lanes value = NAMED(loaded)(at + (last + r) * LANES);
#pragma GCC unroll 8
        for (int i = r; i < SIDE; i++)
            sums[i] = NAMED(added)(sums[i], value, weights[last + r - i], is_fused);
    }
}

/* SIDE columns of the strip from x on, blurred and turned back into its rows of `to`. */
INLINED void NAMED(blur_along)(const Bands *by, int64_t x, Gaussian gaussian, float *to) {
    Lanes sums[SIDE];
    const float *at = by->columns + (x - gaussian.reach) * LANES;
    NAMED(blur_columns)(at, gaussian, sums, 1);
    if (x + SIDE > by->width) { /* see `bands.c` about the last columns */
        Lanes others[SIDE];
        NAMED(blur_columns)(at, gaussian, others, 0);
        for (int64_t i = 0; i < SIDE; i++)
            sums[i] = x + i < by->width / 4 * 4 ? sums[i] : others[i];
    }
    float room[SIDE][LANES];
    for (int i = 0; i < SIDE; i++)
        *(Lanes *)room[i] = sums[i];
    for (int i = 0; i < LANES; i += SIDE)
        TRANSPOSE(room[0] + i, LANES, to + i * by->pitch + x, by->pitch);
}

/* The next LANES rows, which `by->strip` holds, blurred along. They are turned first: blurring columns takes no
 * loads at odd places. */
TARGET static void NAMED(blur_strip)(const Bands *by, int64_t first) {
    int64_t slot = first % by->kept * by->pitch;
    for (int64_t x = 0; x < by->pitch; x += SIDE)
        for (int64_t i = 0; i < LANES; i += SIDE)
            TRANSPOSE(by->strip + i * by->pitch + x, by->pitch, by->columns + x * LANES + i, LANES);
    for (int64_t k = 1; k <= by->coarse.reach; k++) {
        int64_t left = reflected(-k, by->width), right = reflected(by->width - 1 + k, by->width);
        memcpy(by->columns - k * LANES, by->columns + left * LANES, sizeof(Lanes));
        memcpy(by->columns + (by->width - 1 + k) * LANES, by->columns + right * LANES, sizeof(Lanes));
    }
    for (int64_t x = 0; x < by->width; x += SIDE) {
        NAMED(blur_along)(by, x, by->fine, by->rows[FINE] + slot);
        NAMED(blur_along)(by, x, by->coarse, by->rows[COARSE] + slot);
    }
}

/* LANES columns of TOGETHER rows, blurred down. `slots`: where the rows around them begin; that of the first row
 * itself is the first. From one distance to the next, the taps of each row become those of its neighbour: loading
 * them again would take longer than the sums. */
INLINED void NAMED(blur_down)(const float *rows, const int64_t *slots, Gaussian by, Lanes *sums, int is_fused) {
    Lanes above[TOGETHER], below[TOGETHER];
#pragma GCC unroll 8
    for (int i = 0; i < TOGETHER; i++) {
        above[i] = below[i] = NAMED(loaded)(rows + slots[i]);
        sums[i] = above[i] * ALIKE(by.weights[0]);
    }
    for (int64_t k = 1; k <= by.reach; k++) {
#pragma GCC unroll 8
        for (int i = 1; i < TOGETHER; i++) {
            above[TOGETHER - i] = above[TOGETHER - 1 - i];
            below[i - 1] = below[i];
        }
        above[0] = NAMED(loaded)(rows + slots[-k]);
        below[TOGETHER - 1] = NAMED(loaded)(rows + slots[TOGETHER - 1 + k]);
#pragma GCC unroll 8
        for (int i = 0; i < TOGETHER; i++)
            sums[i] = NAMED(added)(sums[i], below[i] + above[i], by.weights[k], is_fused);
    }
}

/* What lies between both Gaussians, of LANES columns of TOGETHER rows. */
INLINED void NAMED(subtract)(const Bands *by, const int64_t *slots, int64_t x, Lanes *found, int is_fused) {
    Lanes coarse[TOGETHER];
    NAMED(blur_down)(by->rows[FINE] + x, slots, by->fine, found, is_fused);
    NAMED(blur_down)(by->rows[COARSE] + x, slots, by->coarse, coarse, is_fused);
    for (int i = 0; i < TOGETHER; i++)
        found[i] -= coarse[i];
}

/* The same of SIDE rows from `top` on. */
TARGET static void NAMED(subtract_rows)(const Bands *by, int64_t top, const int64_t *slots) {
    int64_t rows = by->height - top < SIDE ? by->height - top : SIDE, even = by->width / SIDE * SIDE;
    for (int64_t x = 0; x < by->width; x += LANES)
        for (int64_t row = 0; row < rows; row += TOGETHER) {
            Lanes found[TOGETHER], others[TOGETHER];
            float *to = by->out + (top + row) * by->width + x;
            NAMED(subtract)(by, slots + row, x, found, 1);
            if (x + LANES > even)
                NAMED(subtract)(by, slots + row, x, others, 0);
            for (int i = 0; i < TOGETHER && row + i < rows; i++, to += by->width) {
                if (x + LANES <= even)
                    *(Lanes *)to = found[i];
                else
                    for (int64_t lane = 0; lane < LANES && x + lane < by->width; lane++)
                        to[lane] = (x + lane < even ? found : others)[i][lane];
            }
        }
}

/* Sums of the columns of each block, which are SIDE of the lanes, as means. */
INLINED void NAMED(write_means)(Lanes sums, double *to, int64_t blocks) {
    for (int64_t block = 0; block < blocks; block++) {
        float s[SIDE];
        memcpy(s, (float *)&sums + block * SIDE, sizeof s);
        float sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
        to[block] = sum / (float)(SIDE * SIDE);
    }
}

/* Means over the blocks of SIDE rows from `top` on, which `by->strip` holds. */
TARGET static void NAMED(measure_rows)(const Bands *by, int64_t top, const int64_t *slots) {
    int64_t columns = by->width / SIDE, all = columns * (by->height / SIDE);
    for (int64_t column = 0; column < columns; column += LANES / SIDE) {
        Lanes low = {0}, middle = {0}, high = {0}, fine[TOGETHER], coarse[TOGETHER];
        for (int64_t row = 0, x = column * SIDE; row < SIDE; row += TOGETHER) {
            NAMED(blur_down)(by->rows[FINE] + x, slots + row, by->fine, fine, 1);
            NAMED(blur_down)(by->rows[COARSE] + x, slots + row, by->coarse, coarse, 1);
            for (int i = 0; i < TOGETHER; i++) {
                Lanes between = fine[i] - coarse[i];
                Lanes finer = NAMED(loaded)(by->strip + (row + i) * by->pitch + x) - fine[i];
                low += coarse[i];
                middle = FUSED(between, between, middle);
                high = FUSED(finer, finer, high);
            }
        }
        int64_t blocks = columns - column < LANES / SIDE ? columns - column : LANES / SIDE;
        double *to = by->means + top / SIDE * columns + column;
        NAMED(write_means)(low, to, blocks);
        NAMED(write_means)(middle, to + all, blocks);
        NAMED(write_means)(high, to + 2 * all, blocks);
    }
}

#undef INLINED
#undef Lanes
