#ifndef CONVERGEBENCH_PNG_ENCODING_H
#define CONVERGEBENCH_PNG_ENCODING_H

#include <stdint.h>

/* The room that png_deflate needs. */
int64_t png_room(int64_t height, int64_t width);

/* The body of a PNG file of RGB with eight bits, as zlib has it; its length. */
int64_t png_deflate(const uint8_t *pixels, int64_t height, int64_t width, uint8_t *out);

#endif
