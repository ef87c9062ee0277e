/* New files, written durably: many in one call, without Python's lock. After each call a thread of Python waits for
   its turn again, and while many edits are made at once these waits take longer than the calls. */

#define _GNU_SOURCE /* sync_file_range */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { TOGETHER = 64, THREADS = 32, NAME_TAKEN = -1 };

/* Files that are open, and the next one to be synced. */
typedef struct {
    int files[TOGETHER];
    int64_t *errors;
    int64_t count;
    atomic_llong next;
} Group;

static int write_all(int file, const char *data, int64_t size) {
    while (size > 0) {
        ssize_t written = write(file, data, (size_t)size);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) data += written, size -= written;
    }
#ifdef SYNC_FILE_RANGE_WRITE
    sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); /* begins: the disk works while the next is written */
#endif
    return 0;
}

static void *sync_next(void *of) {
    Group *group = of;
    for (int64_t i; (i = atomic_fetch_add(&group->next, 1)) < group->count;)
        while (!group->errors[i] && fsync(group->files[i]))
            if (errno != EINTR) group->errors[i] = errno;
    return NULL;
}

/* By several threads: a disk completes syncs together if they wait for it at the same time. */
static void sync_all(Group *group) {
    pthread_t threads[THREADS - 1];
    int started = 0;
    while (started < THREADS - 1 && started < group->count - 1 &&
           !pthread_create(&threads[started], NULL, sync_next, group))
        started++;
    sync_next(group);
    while (started) pthread_join(threads[--started], NULL);
}

static void write_group(const char *const *parts, const char *const *paths, const char *const *data,
                        const int64_t *sizes, int64_t count, int64_t *errors) {
    Group group = {.errors = errors, .count = count};
    for (int64_t i = 0; i < count; i++) {
        group.files[i] = -1;
        errors[i] = access(paths[i], F_OK) == 0 ? NAME_TAKEN : 0;
        if (errors[i]) continue;
        group.files[i] = open(parts[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        errors[i] = group.files[i] < 0 ? errno : write_all(group.files[i], data[i], sizes[i]);
    }
    sync_all(&group);
    for (int64_t i = 0; i < count; i++) {
        if (group.files[i] >= 0 && close(group.files[i]) && !errors[i]) errors[i] = errno;
        if (!errors[i] && rename(parts[i], paths[i])) errors[i] = errno;
    }
}

/* Writes each file under its first name, then renames it. Of each, `errors` has 0, or the number of the error, or
   NAME_TAKEN. */
void write_files(const char *const *parts, const char *const *paths, const char *const *data, const int64_t *sizes,
                 int64_t count, int64_t *errors) {
    for (int64_t i = 0; i < count; i += TOGETHER) {
        int64_t here = count - i < TOGETHER ? count - i : TOGETHER;
        write_group(parts + i, paths + i, data + i, sizes + i, here, errors + i);
    }
}
