/* Many copies in one call, without Python's lock: a thread that copies pictures one by one waits for its turn after
 * each, and where many threads encode pictures that takes longer than the copy. */

#include <stdint.h>
#include <string.h>

void copy_all(const int64_t *to, const int64_t *from, const int64_t *sizes, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        memcpy((void *)(intptr_t)to[i], (const void *)(intptr_t)from[i], (size_t)sizes[i]);
}
