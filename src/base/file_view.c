/* Reads a file into memory, or maps it when it is large. */
#include "base/file_view.h"

#include "base/ram.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static ireneo_error fail_reading(const char *path, int code) {
    return ireneo_fail(IRENEO_ERROR_IO, "cannot read %s: %s", path, strerror(code));
}

/* Reads at most `bytes`; fewer when the file was shortened meanwhile, which the parser will notice. */
static ireneo_error read_all(const char *path, int descriptor, size_t bytes, ireneo_file_view *view) {
    unsigned char *block = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&block, bytes, path));
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = read(descriptor, block + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int code = errno;
            free(block);
            return fail_reading(path, code);
        }
        if (got == 0) break;
        done += (size_t)got;
    }
    *view = (ireneo_file_view){.bytes = block, .count = done, .mapping = block};
    return IRENEO_OK;
}

static ireneo_error map_all(const char *path, int descriptor, size_t bytes, ireneo_file_view *view) {
    void *mapping = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) return fail_reading(path, errno);
    *view = (ireneo_file_view){.bytes = mapping, .count = bytes, .mapping = mapping, .mapping_bytes = bytes};
    return IRENEO_OK;
}

static ireneo_error view_descriptor(const char *path, int descriptor, ireneo_file_view *view) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return fail_reading(path, errno);
    if (S_ISDIR(status.st_mode)) return fail_reading(path, EISDIR);
    if (!S_ISREG(status.st_mode))
        return ireneo_fail(IRENEO_ERROR_IO, "cannot read %s: it is not a regular file", path);
    if ((uintmax_t)status.st_size > SIZE_MAX / 2) return fail_reading(path, EFBIG);
    size_t bytes = (size_t)status.st_size;
    return bytes < IRENEO_MAP_FROM_BYTES ? read_all(path, descriptor, bytes, view)
                                         : map_all(path, descriptor, bytes, view);
}

ireneo_error ireneo_file_view_open(const char *path, ireneo_file_view *view) {
    *view = (ireneo_file_view){0};
    /* O_NONBLOCK: a named pipe without a writer must give an error, not wait for ever. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return ireneo_fail(IRENEO_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
    ireneo_error failed = view_descriptor(path, descriptor, view);
    close(descriptor);
    return failed;
}

void ireneo_file_view_close(ireneo_file_view *view) {
    if (view->mapping_bytes > 0)
        munmap(view->mapping, view->mapping_bytes);
    else
        free(view->mapping);
    *view = (ireneo_file_view){0};
}
