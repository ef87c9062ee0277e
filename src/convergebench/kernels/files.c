/* A picture on the disk in one call: after each call a thread of Python waits for its turn again, and while
   many edits are made at once these waits take longer than the calls. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

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

/* Writes a new file durably, then renames it. 0, or the number of the error, or -1 if the name is taken. */
int64_t write_file(const char *part, const char *path, const char *data, int64_t size) {
    if (access(path, F_OK) == 0) return -1;
    int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    int error = write_all(file, data, size);
    if (close(file) && !error) error = errno;
    if (!error && rename(part, path)) error = errno;
    return error;
}
