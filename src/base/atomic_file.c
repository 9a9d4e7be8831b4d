/* Atomic replacement of files: a file without a name in the same directory (O_TMPFILE), which goes by itself with a
 * process that is killed; fsync, a temporary name, rename, fsync of the directory. Where the file system knows no
 * such files it has its temporary name from the beginning. Its writer holds a lock on it until it is renamed, so a
 * name that nobody locks was left by a dead process, and the next writer to the same place removes it. */
#include "base/atomic_file.h"

#include "base/ram.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TEMPORARY_ATTEMPTS = 100,
    LARGEST_WRITE = 1 << 30, /* Linux writes at most about 2 GB a call */
    NEW_FILE_MODE = 0666,
    PERMISSION_BITS = 0777
};

static const ireneo_atomic_file closed_file = {.descriptor = -1, .direct = true};

static ireneo_error fail_writing(const char *path, int code) {
    return ireneo_fail(IRENEO_ERROR_IO, "cannot write %s: %s", path, strerror(code));
}

/* The path whose directory entry is replaced: the end of the chain when path is a symbolic link. */
static ireneo_error find_target(const char *path, char **target) {
    struct stat link;
    *target = NULL;
    if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) *target = realpath(path, NULL);
    if (*target == NULL) *target = strdup(path); /* not a link, or one that leads nowhere */
    if (*target == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to write %s", path);
    return IRENEO_OK;
}

/* Length of the directory part, slash included; 0 for a bare name. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

static const char TAIL[] = ".ireneo"; /* of temporary names */

/* A fresh name beside the target. One near the limit of 255 bytes is cut, so that the temporary one is not over it. */
static void choose_name(const ireneo_atomic_file *file, char *name, size_t capacity) {
    size_t directory = directory_length(file->target);
    unsigned long long random = 0;
    if (getrandom(&random, sizeof random, 0) < 0)
        random = ((unsigned long long)getpid() << 32) + (unsigned long long)clock();
    snprintf(name, capacity, "%.*s.%.200s.%016llx%s", (int)directory, file->target, file->target + directory,
             random, TAIL);
}

/* Whether a name in the target's directory is a temporary one of the same target. */
static bool is_temporary(const char *name, const char *base) {
    size_t length = strnlen(base, 200);
    if (name[0] != '.' || strncmp(name + 1, base, length) != 0 || name[length + 1] != '.') return false;
    const char *digits = name + length + 2;
    return strspn(digits, "0123456789abcdef") == 16 && strcmp(digits + 16, TAIL) == 0;
}

/* A lock that is to be had means that the writer is dead. */
static void remove_if_dead(int directory, const char *name) {
    int descriptor = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlinkat(directory, name, 0);
    close(descriptor);
}

/* What cannot be listed or opened stays. */
static void remove_stale(const ireneo_atomic_file *file) {
    size_t length = directory_length(file->target);
    char *path = length == 0 ? strdup(".") : strndup(file->target, length);
    DIR *folder = path != NULL ? opendir(path) : NULL;
    free(path);
    if (folder == NULL) return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (is_temporary(entry->d_name, file->target + length)) remove_if_dead(dirfd(folder), entry->d_name);
    closedir(folder);
}

/* Takes the lock; false when somebody removed the name before that, which is a reason to take another one. */
static bool lock_name(int descriptor) {
    struct stat status;
    flock(descriptor, LOCK_EX | LOCK_NB); /* file systems without locks have no clean-up either */
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

/* mkstemp would create with 0600, and the umask cannot be read without changing it for other threads; so the
 * kernel applies it here. */
static ireneo_error create_named(ireneo_atomic_file *file, mode_t mode) {
    size_t capacity = strlen(file->target) + 32;
    IRENEO_TRY(IRENEO_ALLOCATE(&file->temporary, capacity, "temporary file name"));
    int code = EEXIST;
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS && code == EEXIST; attempt++) {
        choose_name(file, file->temporary, capacity);
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->descriptor >= 0 && lock_name(file->descriptor)) return IRENEO_OK;
        code = file->descriptor < 0 ? errno : EEXIST;
        if (file->descriptor >= 0) close(file->descriptor);
        file->descriptor = -1;
    }
    free(file->temporary);
    file->temporary = NULL; /* it was not created, so it must not be removed */
    return fail_writing(file->target, code);
}

/* A file without a name gets one through /proc. */
static bool create_nameless(ireneo_atomic_file *file, mode_t mode) {
    size_t length = directory_length(file->target);
    if (access("/proc/self/fd", X_OK) != 0) return false;
    char *path = length == 0 ? strdup(".") : strndup(file->target, length);
    if (path == NULL) return false;
    file->descriptor = open(path, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    free(path);
    if (file->descriptor >= 0) flock(file->descriptor, LOCK_EX | LOCK_NB);
    return file->descriptor >= 0;
}

/* The temporary name of a file that has none yet. */
static ireneo_error name_file(ireneo_atomic_file *file) {
    char from[64];
    size_t capacity = strlen(file->target) + 32;
    IRENEO_TRY(IRENEO_ALLOCATE(&file->temporary, capacity, "temporary file name"));
    snprintf(from, sizeof from, "/proc/self/fd/%d", file->descriptor);
    int code = EEXIST;
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS && code == EEXIST; attempt++) {
        choose_name(file, file->temporary, capacity);
        code = linkat(AT_FDCWD, from, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (code == 0) return IRENEO_OK;
    free(file->temporary);
    file->temporary = NULL;
    return fail_writing(file->target, code);
}

static ireneo_error create_temporary(ireneo_atomic_file *file, mode_t mode) {
    if (file->target[directory_length(file->target)] == '\0') return fail_writing(file->target, EISDIR);
    remove_stale(file);
    file->direct = false;
    return create_nameless(file, mode) ? IRENEO_OK : create_named(file, mode);
}

static ireneo_error open_new(ireneo_atomic_file *file) {
    return create_temporary(file, NEW_FILE_MODE);
}

static ireneo_error open_replacement(ireneo_atomic_file *file, mode_t mode) {
    /* rename would replace a write-protected file without asking. */
    if (faccessat(AT_FDCWD, file->target, W_OK, AT_EACCESS) != 0) return fail_writing(file->target, errno);
    IRENEO_TRY(create_temporary(file, mode));
    if (fchmod(file->descriptor, mode) != 0) return fail_writing(file->target, errno);
    return IRENEO_OK;
}

/* Devices and pipes (/dev/stdout, /dev/null) must never be renamed over. */
static ireneo_error open_device(ireneo_atomic_file *file, const char *path) {
    file->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->descriptor < 0) return fail_writing(path, errno);
    return IRENEO_OK;
}

static ireneo_error open_by_kind(ireneo_atomic_file *file, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno != ENOENT) return fail_writing(path, errno);
        return open_new(file);
    }
    if (S_ISDIR(status.st_mode)) return fail_writing(path, EISDIR);
    if (!S_ISREG(status.st_mode)) return open_device(file, path);
    return open_replacement(file, status.st_mode & PERMISSION_BITS);
}

ireneo_error ireneo_atomic_file_begin(ireneo_atomic_file *file, const char *path) {
    *file = closed_file;
    if (path == NULL || *path == '\0')
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the name of the file to write is empty");
    IRENEO_TRY(find_target(path, &file->target));
    ireneo_error failed = open_by_kind(file, path);
    if (failed != IRENEO_OK) ireneo_atomic_file_abandon(file);
    return failed;
}

ireneo_error ireneo_atomic_file_write(ireneo_atomic_file *file, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    while (count > 0) {
        ssize_t done = write(file->descriptor, next, count < LARGEST_WRITE ? count : LARGEST_WRITE);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail_writing(file->target, errno);
        next += done;
        count -= (size_t)done;
    }
    return IRENEO_OK;
}

/* Some file systems and all pipes cannot fsync and say so; that is no failure of the write. */
static bool sync_failed(int descriptor) {
    return fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
}

/* Without this a power failure may bring back the old directory entry. */
static ireneo_error sync_directory(const char *target) {
    size_t length = directory_length(target);
    char *directory = length == 0 ? strdup(".") : strndup(target, length);
    if (directory == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to write %s", target);
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (descriptor < 0) return IRENEO_OK; /* a directory may be writable and not readable */
    bool failed = sync_failed(descriptor);
    int code = errno;
    close(descriptor);
    return failed ? fail_writing(target, code) : IRENEO_OK;
}

/* The lock is kept until the name is the target's. */
static ireneo_error rename_over(ireneo_atomic_file *file) {
    if (file->temporary == NULL) IRENEO_TRY(name_file(file));
    if (rename(file->temporary, file->target) != 0) return fail_writing(file->target, errno);
    free(file->temporary);
    file->temporary = NULL;
    return IRENEO_OK;
}

static ireneo_error put_in_place(ireneo_atomic_file *file) {
    if (sync_failed(file->descriptor)) return fail_writing(file->target, errno);
    if (!file->direct) IRENEO_TRY(rename_over(file));
    int closed = close(file->descriptor);
    file->descriptor = -1;
    if (closed != 0) return fail_writing(file->target, errno);
    return file->direct ? IRENEO_OK : sync_directory(file->target);
}

ireneo_error ireneo_atomic_file_commit(ireneo_atomic_file *file) {
    ireneo_error failed = put_in_place(file);
    ireneo_atomic_file_abandon(file); /* after success nothing is left to remove, only memory to free */
    return failed;
}

void ireneo_atomic_file_abandon(ireneo_atomic_file *file) {
    if (file->temporary != NULL) unlink(file->temporary);
    if (file->descriptor >= 0) close(file->descriptor);
    free(file->temporary);
    free(file->target);
    *file = closed_file;
}

ireneo_error ireneo_atomic_file_finish(ireneo_atomic_file *file, ireneo_error failed) {
    if (failed == IRENEO_OK) return ireneo_atomic_file_commit(file);
    ireneo_atomic_file_abandon(file);
    return failed;
}

ireneo_error ireneo_save_bytes(const char *path, const void *bytes, size_t count) {
    if (bytes == NULL && count > 0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no bytes to write were given");
    ireneo_atomic_file file;
    IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
    return ireneo_atomic_file_finish(&file, ireneo_atomic_file_write(&file, bytes, count));
}
