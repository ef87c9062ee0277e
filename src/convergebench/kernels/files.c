/* New files, written durably: many in one call, without Python's lock. After each call a thread of Python waits for
   its turn again, and while many edits are made at once these waits take longer than the calls. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 32

typedef struct {
    const char *const *parts, *const *paths, *const *data;
    const int64_t *sizes;
    int64_t count;
    int64_t *errors;
    atomic_llong next;
} Group;

static int write_all(int file, const char *data, int64_t size) {
    while (size > 0) {
        ssize_t written = write(file, data, (size_t)size);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) data += written, size -= written;
    }
    while (fsync(file))
        if (errno != EINTR) return errno;
    return 0;
}

static int write_file(const char *part, const char *path, const char *data, int64_t size) {
    if (access(path, F_OK) == 0) return -1;
    int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    int error = write_all(file, data, size);
    if (close(file) && !error) error = errno;
    if (!error && rename(part, path)) error = errno;
    return error;
}

static void *write_next(void *of) {
    Group *group = of;
    for (int64_t i; (i = atomic_fetch_add(&group->next, 1)) < group->count;)
        group->errors[i] = write_file(group->parts[i], group->paths[i], group->data[i], group->sizes[i]);
    return NULL;
}

/* Writes each file under its first name, then renames it. Of each, `errors` has 0, or the number of the error, or -1 if
   the name is taken. By several threads: a disk completes syncs together if they wait for it at the same time. */
void write_files(const char *const *parts, const char *const *paths, const char *const *data, const int64_t *sizes,
                 int64_t count, int64_t *errors) {
    Group group = {parts, paths, data, sizes, count, errors, 0};
    pthread_t threads[THREADS];
    int started = 0;
    while (started < THREADS && started < count - 1 && !pthread_create(&threads[started], NULL, write_next, &group))
        started++;
    write_next(&group);
    while (started) pthread_join(threads[--started], NULL);
}
