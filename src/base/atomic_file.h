/* A file that appears whole or not at all.
 *
 *     ireneo_atomic_file file;
 *     IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
 *     ireneo_error failed = ireneo_atomic_file_write(&file, bytes, count);    (as often as needed)
 *     return ireneo_atomic_file_finish(&file, failed);
 */
#ifndef IRENEO_BASE_ATOMIC_FILE_H
#define IRENEO_BASE_ATOMIC_FILE_H

#include "base/error.h"

#include <stdbool.h>

typedef struct ireneo_atomic_file {
    char *target;
    char *temporary; /* NULL as long as the file has no name */
    int descriptor;
    bool direct; /* the target is a device or pipe, which is written as it is */
} ireneo_atomic_file;

/* Opens a temporary file beside path, and removes those that killed processes left for it. A symbolic link is followed, so that the link stays a link. The new
 * file takes the permissions of the one it replaces, or 0666 without the umask. */
ireneo_error ireneo_atomic_file_begin(ireneo_atomic_file *file, const char *path);

ireneo_error ireneo_atomic_file_write(ireneo_atomic_file *file, const void *bytes, size_t count);

/* fsync, rename, fsync of the directory. On failure the file is abandoned. */
ireneo_error ireneo_atomic_file_commit(ireneo_atomic_file *file);

/* Removes the temporary file; the old file stays as it was. Harmless after commit. */
void ireneo_atomic_file_abandon(ireneo_atomic_file *file);

/* Commits when error is IRENEO_OK, otherwise abandons and passes the error on. */
ireneo_error ireneo_atomic_file_finish(ireneo_atomic_file *file, ireneo_error failed);

#endif
