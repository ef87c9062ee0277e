/* A whole PNG file with its digest in one call: after every call a thread of Python waits for its turn again, and where
 * many threads store pictures these waits take as long as the work. */

#include "checksums.h"

#ifdef HAS_CHECKSUMS

#include "png_encoding.h"

enum { CHUNK_HEAD = 8 };

static uint8_t *put_number(uint8_t *to, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(number >> shift);
    return to;
}

/* Whether png_file can be called. */
int can_make_png_files(void) {
    return has_checksums();
}

/* The file, of RGB with eight bits, between its first and its last bytes, which are given, and its SHA-256; its length,
 * or −1 without memory. There is room for png_room and for all that stands around the body. */
int64_t png_file(const uint8_t *pixels, int64_t height, int64_t width, const uint8_t *first, int64_t firsts,
                 const uint8_t *last, int64_t lasts, uint8_t *out, uint8_t *digest) {
    uint8_t *chunk = out + firsts, *body = chunk + CHUNK_HEAD;
    int64_t length = png_deflate(pixels, height, width, body);
    if (length < 0)
        return -1;
    memcpy(out, first, (size_t)firsts);
    memcpy(put_number(chunk, (uint32_t)length), "IDAT", 4);
    uint8_t *end = put_number(body + length, crc32_of(0, body - 4, length + 4));
    memcpy(end, last, (size_t)lasts);
    int64_t whole = end + lasts - out;
    sha256(out, whole, digest);
    return whole;
}

#endif
