/* A stream is copied to a temporary file, because the readers go back and forth; sentences about it speak of the
 * stream. */
#include "streamed_queries.h"

#include "base/npy.h"
#include "base/npz.h"
#include "base/safetensors.h"
#include "matrix_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_stream(const char *path) {
    struct stat there;
    return strcmp(path, "-") == 0 ||
           (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

static bool write_all(int to, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(to, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

static int copy_stream(const command *self, const char *path, int from, int to) {
    char block[1 << 16];
    for (;;) {
        ssize_t count = read(from, block, sizeof block);
        if (interrupted()) return complain(self, EXIT_INTERRUPTED, "interrupted");
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return complain(self, EXIT_MACHINE, "cannot read %s: %s", path, strerror(errno));
        if (count == 0) return 0;
        if (!write_all(to, block, (size_t)count))
            return complain(self, EXIT_MACHINE, "cannot keep what comes from %s: %s", path, strerror(errno));
    }
}

static const char *ending_of(int file) {
    unsigned char first[64];
    struct stat whole;
    ssize_t got = pread(file, first, sizeof first, 0);
    size_t count = got > 0 ? (size_t)got : 0,
           bytes = fstat(file, &whole) == 0 ? (size_t)whole.st_size : count;
    if (ireneo_npy_recognise(first, count)) return ".npy";
    if (ireneo_npz_recognise(first, count)) return ".npz";
    return ireneo_safetensors_recognise(first, count, bytes) ? ".safetensors" : ".txt";
}

/* The library's sentence with the stream's name in place of the temporary file's. */
static int complain_stream(const command *self, ireneo_error error, const char *temporary, const char *name) {
    char sentence[1024];
    const char *text = ireneo_last_error(), *place = strstr(text, temporary);
    int code = error == IRENEO_ERROR_DATA ? EXIT_DATA : EXIT_MACHINE;
    if (place == NULL) return complain(self, code, "%s", text);
    snprintf(sentence, sizeof sentence, "%.*s%s%s", (int)(place - text), text, name,
             place + strlen(temporary));
    return complain(self, code, "%s", sentence);
}

/* Names the file by its kind, loads it, and removes it. */
static int load_copy(const command *self, const char *name, int file, char *path, float **values,
                     size_t *rows, size_t *columns) {
    char named[PATH_MAX + 16];
    snprintf(named, sizeof named, "%s%s", path, ending_of(file));
    if (rename(path, named) != 0) {
        unlink(path);
        return complain(self, EXIT_MACHINE, "%s: %s", path, strerror(errno));
    }
    ireneo_error failed = ireneo_load_queries(named, values, rows, columns, NULL);
    unlink(named);
    return failed == IRENEO_OK ? 0 : complain_stream(self, failed, named, name);
}

static int load_stream(const command *self, const char *path, float **values, size_t *rows, size_t *columns) {
    bool standard = strcmp(path, "-") == 0;
    const char *folder = getenv("TMPDIR"), *name = standard ? "standard input" : path;
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s/ireneo-XXXXXX", folder != NULL ? folder : "/tmp") >= (int)sizeof copy)
        return complain(self, EXIT_MACHINE, "the path in TMPDIR is too long");
    int from = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) return complain(self, EXIT_MACHINE, "cannot open %s: %s", path, strerror(errno));
    int file = mkstemp(copy);
    int outcome =
        file < 0 ? complain(self, EXIT_MACHINE, "cannot keep what comes from %s: %s", name, strerror(errno))
                 : copy_stream(self, name, from, file);
    if (outcome == 0)
        outcome = load_copy(self, name, file, copy, values, rows, columns);
    else if (file >= 0)
        unlink(copy);
    if (file >= 0) close(file);
    if (!standard) close(from);
    return outcome;
}

int load_streamed_queries(const command *self, const char *path, float **values, size_t *rows,
                          size_t *columns) {
    if (is_stream(path)) return load_stream(self, path, values, rows, columns);
    return report_error(self, load_queries(self, path, values, rows, columns));
}
