/* Whole PNG files with their digests, many in one call: after every call a thread of Python waits for its turn again,
 * and where many threads store pictures these waits take as long as the work. */

#include "checksums.h"

#ifdef HAS_CHECKSUMS

#include "png_encoding.h"
#include "threads.h"

enum { CHUNK_HEAD = 8, DIGEST = 32, AT_A_TIME = 2 }; /* two are hashed together */

/* Pictures of RGB with eight bits, and their files: between their first bytes, of which all have as many, and the
 * last ones, which all have. */
typedef struct {
    const int64_t *pixels, *heights, *widths;
    const uint8_t *first, *last;
    int64_t firsts, lasts, count;
    const int64_t *out;
    int64_t *lengths;
    uint8_t *digests;
} Files;

static uint8_t *put_number(uint8_t *to, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(number >> shift);
    return to;
}

/* Its length. */
static int64_t encode(const Files *files, int64_t i) {
    uint8_t *out = (uint8_t *)(intptr_t)files->out[i], *chunk = out + files->firsts, *body = chunk + CHUNK_HEAD;
    const uint8_t *pixels = (const uint8_t *)(intptr_t)files->pixels[i];
    int64_t length = png_deflate(pixels, files->heights[i], files->widths[i], body);
    memcpy(out, files->first + i * files->firsts, (size_t)files->firsts);
    memcpy(put_number(chunk, (uint32_t)length), "IDAT", 4);
    uint8_t *end = put_number(body + length, crc32_of(0, body - 4, length + 4));
    memcpy(end, files->last, (size_t)files->lasts);
    return end + files->lasts - out;
}

static void make_some(void *work, int64_t number) {
    const Files *files = work;
    Hashed hashed[AT_A_TIME];
    int made = 0;
    for (int64_t i = number * AT_A_TIME; i < files->count && made < AT_A_TIME; i++, made++) {
        files->lengths[i] = encode(files, i);
        hashed[made] = (Hashed){(uint8_t *)(intptr_t)files->out[i], files->lengths[i], files->digests + i * DIGEST};
    }
    if (made == AT_A_TIME)
        sha256_of_two(hashed);
    else
        sha256(hashed);
}

/* Whether png_files can be called. */
int can_make_png_files(void) {
    return has_checksums();
}

/* Of each file the length and the SHA-256. There is room for png_room and for all that stands
 * around the body. */
void png_files(const int64_t *pixels, const int64_t *heights, const int64_t *widths, const uint8_t *first,
               int64_t firsts, const uint8_t *last, int64_t lasts, const int64_t *out, int64_t *lengths,
               uint8_t *digests, int64_t count, int64_t threads) {
    Files files = {pixels, heights, widths, first, last, firsts, lasts, count, out, lengths, digests};
    on_threads(make_some, &files, (count + AT_A_TIME - 1) / AT_A_TIME, threads);
}

#endif
