/* New files, written durably: many in one call, without Python's lock. After each call a thread of Python waits for
   its turn again, and while many edits are made at once these waits take longer than the calls. */

#define _GNU_SOURCE /* sync_file_range */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "threads.h"

enum { TOGETHER = 64, AT_ONCE = 32, NAME_TAKEN = -1 };
enum { LONG = 1 << 18 }; /* bytes: writing fewer takes less time than starting a thread for it */

/* Files that are written under their first names, synced and renamed. */
typedef struct {
    const char *const *parts, *const *paths, *const *data;
    const int64_t *sizes;
    int64_t *errors;
    int files[TOGETHER];
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

static void write_one(void *of, int64_t i) {
    Group *group = of;
    group->files[i] = -1;
    group->errors[i] = access(group->paths[i], F_OK) == 0 ? NAME_TAKEN : 0;
    if (group->errors[i]) return;
    group->files[i] = open(group->parts[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    group->errors[i] = group->files[i] < 0 ? errno : write_all(group->files[i], group->data[i], group->sizes[i]);
}

static void sync_one(void *of, int64_t i) {
    Group *group = of;
    while (!group->errors[i] && fsync(group->files[i]))
        if (errno != EINTR) group->errors[i] = errno;
}

static void write_and_sync_one(void *of, int64_t i) {
    write_one(of, i);
    sync_one(of, i);
}

/* A disk completes syncs together that come together, so many threads wait for it; those also write, if that takes
   long. */
static void write_group(Group *group, int64_t count) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++) bytes += group->sizes[i];
    if (bytes / count >= LONG)
        on_threads(write_and_sync_one, group, count, AT_ONCE);
    else {
        for (int64_t i = 0; i < count; i++) write_one(group, i);
        on_threads(sync_one, group, count, AT_ONCE);
    }
    for (int64_t i = 0; i < count; i++) {
        if (group->files[i] >= 0 && close(group->files[i]) && !group->errors[i]) group->errors[i] = errno;
        if (!group->errors[i] && rename(group->parts[i], group->paths[i])) group->errors[i] = errno;
    }
}

/* Writes each file under its first name, then renames it. Of each, `errors` has 0, or the number of the error, or
   NAME_TAKEN. */
void write_files(const char *const *parts, const char *const *paths, const char *const *data, const int64_t *sizes,
                 int64_t count, int64_t *errors) {
    for (int64_t i = 0; i < count; i += TOGETHER) {
        int64_t here = count - i < TOGETHER ? count - i : TOGETHER;
        Group group = {parts + i, paths + i, data + i, sizes + i, errors + i, {0}};
        write_group(&group, here);
    }
}
