/* SSIM of kernels.c with vectors of 16 whole numbers. The digits are the same: all is exact before it becomes a
 * float, and floats are computed and added in the same order. */

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl")))
#define WIDE_INLINE static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl")))

/* Levels of x and of y as halves of one number: the products of halves are added in one instruction. */
WIDE_INLINE __m512i both_levels(const uint8_t *x, const uint8_t *y, __mmask16 there) {
    __m512i low = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, x));
    return _mm512_or_si512(low, _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, y)), 16));
}

WIDE_INLINE __m512i squared_halves(__m512i both) {
    return _mm512_madd_epi16(both, both);
}

/* Twice the product of both. */
WIDE_INLINE __m512i product_of_halves(__m512i both) {
    return _mm512_madd_epi16(both, _mm512_rol_epi32(both, 16));
}

WIDE_INLINE void add_to(int32_t *sums, __m512i more, __m512i less) {
    __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums), more);
    _mm512_storeu_si512(sums, _mm512_sub_epi32(sum, less));
}

WIDE
static void move_down_16(Sums sums, const uint8_t *x, const uint8_t *y, int64_t down, int64_t length) {
    for (int64_t i = 0; i < length; i += LANES) {
        __mmask16 there = length - i < LANES ? (__mmask16)((1 << (length - i)) - 1) : (__mmask16)-1;
        __m512i above = both_levels(x + i, y + i, there), below = both_levels(x + i + down, y + i + down, there);
        add_to(sums.both + i, below, above);
        add_to(sums.squares + i, squared_halves(below), squared_halves(above));
        add_to(sums.products + i, product_of_halves(below), product_of_halves(above));
    }
}

#define SHIFTED(low, high, by) _mm512_alignr_epi32(high, low, by)

/* The columns in use, those behind them, and the sums of neighbours. */
typedef struct {
    const int32_t *columns;
    __m512i next, pairs;
} Across;

WIDE_INLINE Across begin_across(const int32_t *columns) {
    __m512i here = _mm512_loadu_si512(columns), next = _mm512_loadu_si512(columns + LANES);
    return (Across){columns, next, _mm512_add_epi32(here, SHIFTED(here, next, CHANNELS))};
}

/* The next 16 windows' sums of seven columns. Values are moved within registers, which takes less time than loads
 * that cross cache lines. */
WIDE_INLINE __m512i sum_next(Across *at, int64_t i) {
    __m512i after = _mm512_loadu_si512(at->columns + i + 2 * LANES), next = at->next, pairs = at->pairs;
    __m512i next_pairs = _mm512_add_epi32(next, SHIFTED(next, after, CHANNELS));
    __m512i first_four = _mm512_add_epi32(pairs, SHIFTED(pairs, next_pairs, 2 * CHANNELS));
    __m512i last_three = _mm512_add_epi32(SHIFTED(pairs, next_pairs, 4 * CHANNELS),
                                          SHIFTED(next, after, 6 * CHANNELS - LANES));
    at->next = after;
    at->pairs = next_pairs;
    return _mm512_add_epi32(first_four, last_three);
}

/* Of 16 windows from the i-th on. */
WIDE_INLINE __m512 similarity_16(Across *at, int64_t i, __m512 c1, __m512 c2) {
    __m512i both = sum_next(&at[0], i), squares = sum_next(&at[1], i), products = sum_next(&at[2], i);
    __m512i product = product_of_halves(both), squared = squared_halves(both), count = _mm512_set1_epi32(COUNT);
    __asm__("" : "+v"(count)); /* compilers would shift and add instead of multiplying */
    __m512i covariance = _mm512_sub_epi32(_mm512_mullo_epi32(products, count), product);
    __m512i variances = _mm512_sub_epi32(_mm512_mullo_epi32(squares, count), squared);
    return (_mm512_cvtepi32_ps(product) + c1) * (_mm512_cvtepi32_ps(covariance) + c2) /
           ((_mm512_cvtepi32_ps(squared) + c1) * (_mm512_cvtepi32_ps(variances) + c2));
}

WIDE_INLINE __m512d upper_half(__m512 values) {
    return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(values), 1)));
}

WIDE
static double row_similarity_16(Sums columns, int64_t windows, Constants by) {
    __m512 c1 = _mm512_set1_ps(by.c1), c2 = _mm512_set1_ps(by.c2);
    Across at[KINDS] = {begin_across(columns.both), begin_across(columns.squares), begin_across(columns.products)};
    __m512d lower = _mm512_setzero_pd(), upper = lower;
    double lanes[LANES], total = 0;
    float rest[2 * LANES];
    int64_t i = 0;
    for (; i + 2 * LANES <= windows; i += 2 * LANES) {
        __m512 one = similarity_16(at, i, c1, c2), sum = one + similarity_16(at, i + LANES, c1, c2);
        lower += _mm512_cvtps_pd(_mm512_castps512_ps256(sum));
        upper += upper_half(sum);
    }
    for (int part = 0; part < 2; part++)
        _mm512_storeu_ps(rest + part * LANES, similarity_16(at, i + part * LANES, c1, c2));
    _mm512_storeu_pd(lanes, lower);
    _mm512_storeu_pd(lanes + LANES / 2, upper);
    for (int lane = 0; i + lane < windows; lane++)
        total += rest[lane];
    for (int lane = 0; lane < LANES; lane++)
        total += lanes[lane];
    return total;
}

static const Instructions for_16_lanes = {move_down_16, row_similarity_16};
