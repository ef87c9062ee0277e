/* Many copies in one call, without Python's lock: a thread that copies pictures one by one waits for its turn after
 * each, and where many threads encode pictures that takes longer than the copy. */

#include <stdint.h>
#include <string.h>

#include "threads.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE = 64, STREAMED_FROM = 1 << 20, BYTES_A_THREAD = 1 << 24 };

typedef struct {
    const int64_t *to, *from, *sizes;
} Copies;

#ifdef __SSE2__

/* Past the caches: what is copied is read by another process or by a device, and writing to memory through a cache
 * would first read what was there. */
static void copy_past_caches(uint8_t *to, const uint8_t *from, int64_t size) {
    int64_t before = (LINE - (intptr_t)to % LINE) % LINE, lines = (size - before) / LINE;
    memcpy(to, from, (size_t)before);
    __m128i *line = (__m128i *)(to + before);
    const __m128i *given = (const __m128i *)(from + before);
    for (int64_t i = 0; i < lines; i++, line += 4, given += 4) {
        __m128i a = _mm_loadu_si128(given), b = _mm_loadu_si128(given + 1);
        __m128i c = _mm_loadu_si128(given + 2), d = _mm_loadu_si128(given + 3);
        _mm_stream_si128(line, a);
        _mm_stream_si128(line + 1, b);
        _mm_stream_si128(line + 2, c);
        _mm_stream_si128(line + 3, d);
    }
    _mm_sfence();
    int64_t copied = before + lines * LINE;
    memcpy(to + copied, from + copied, (size_t)(size - copied));
}

#else

static void copy_past_caches(uint8_t *to, const uint8_t *from, int64_t size) {
    memcpy(to, from, (size_t)size);
}

#endif

static void copy_one(void *of, int64_t i) {
    const Copies *copies = of;
    uint8_t *to = (uint8_t *)(intptr_t)copies->to[i];
    const uint8_t *from = (const uint8_t *)(intptr_t)copies->from[i];
    if (copies->sizes[i] >= STREAMED_FROM)
        copy_past_caches(to, from, copies->sizes[i]);
    else
        memcpy(to, from, (size_t)copies->sizes[i]);
}

/* By no more threads than are given, and by one where little is copied. */
void copy_each(const int64_t *to, const int64_t *from, const int64_t *sizes, int64_t count, int64_t most) {
    Copies copies = {to, from, sizes};
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += sizes[i];
    int64_t threads = bytes / BYTES_A_THREAD;
    on_threads(copy_one, &copies, count, threads < most ? threads : most);
}
