/* Reading of regular files with pread. */
#include "base/input_file.h"

#include "base/ram.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ireneo_error fail_reading(const char *path, int code) {
    return ireneo_fail(IRENEO_ERROR_IO, "cannot read %s: %s", path, strerror(code));
}

static ireneo_error check_regular(ireneo_input_file *file) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0) return fail_reading(file->path, errno);
    if (S_ISDIR(status.st_mode)) return fail_reading(file->path, EISDIR);
    if (!S_ISREG(status.st_mode))
        return ireneo_fail(IRENEO_ERROR_IO, "cannot read %s: it is not a regular file", file->path);
    if ((uintmax_t)status.st_size > SIZE_MAX / 2) return fail_reading(file->path, EFBIG);
    file->bytes = (size_t)status.st_size;
    return IRENEO_OK;
}

ireneo_error ireneo_input_file_open(const char *path, ireneo_input_file *file) {
    /* O_NONBLOCK: a named pipe without a writer must give an error, not wait for ever. */
    *file = (ireneo_input_file){path, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), 0};
    if (file->descriptor < 0)
        return ireneo_fail(IRENEO_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
    ireneo_error error = check_regular(file);
    if (error != IRENEO_OK) ireneo_input_file_close(file);
    return error;
}

ireneo_error ireneo_input_file_read(const ireneo_input_file *file, size_t offset, void *buffer,
                                    size_t bytes) {
    unsigned char *at = buffer;
    while (bytes > 0) {
        ssize_t got = pread(file->descriptor, at, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_reading(file->path, errno);
        if (got == 0)
            return ireneo_fail(IRENEO_ERROR_IO, "cannot read %s: it became shorter meanwhile", file->path);
        at += got;
        offset += (size_t)got;
        bytes -= (size_t)got;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_input_file_head(const ireneo_input_file *file, size_t bytes, unsigned char **head,
                                    size_t *count) {
    *head = NULL;
    *count = bytes < file->bytes ? bytes : file->bytes;
    IRENEO_TRY(IRENEO_ALLOCATE(head, *count + 1, file->path));
    ireneo_error error = ireneo_input_file_read(file, 0, *head, *count);
    if (error == IRENEO_OK) {
        (*head)[*count] = '\0';
        return IRENEO_OK;
    }
    free(*head);
    *head = NULL;
    return error;
}

void ireneo_input_file_close(ireneo_input_file *file) {
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}
