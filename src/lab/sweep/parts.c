/* Parts are told by their names, so that those of a run that was killed are found again by anybody, and living ones by
 * their locks. The lock is a file of its own: over NFS a lock on the part would exclude SQLite's. */
#include "lab/sweep/parts.h"
#include "base/ram.h"
#include "lab/sweep/results_merge.h"
#include "lab/sweep/results_sql.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };
enum { PART_PATH_SIZE = 4096 };
static const char LOCK[] = ".lock";

static ireneo_error too_long(void) {
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of the store of results is too long");
}

static ireneo_error lock_path(const char *part, char path[PART_PATH_SIZE + 8]) {
    if (snprintf(path, PART_PATH_SIZE + 8, "%s%s", part, LOCK) >= PART_PATH_SIZE) return too_long();
    return IRENEO_OK;
}

/* Opens and takes a part's lock; *lock is -1 when another process holds it or has just removed it. */
static ireneo_error take_lock(const char *part, int *lock) {
    char path[PART_PATH_SIZE + 8];
    struct stat status;
    *lock = -1;
    IRENEO_TRY(lock_path(part, path));
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (opened < 0) return ireneo_fail(IRENEO_ERROR_IO, "%s cannot be opened: %s", path, strerror(errno));
    if (flock(opened, LOCK_EX | LOCK_NB) == 0 && fstat(opened, &status) == 0 && status.st_nlink > 0)
        *lock = opened;
    else
        close(opened);
    return IRENEO_OK;
}

static void drop_lock(const char *part, int lock) {
    char path[PART_PATH_SIZE + 8];
    if (lock_path(part, path) == IRENEO_OK) unlink(path);
    close(lock);
}

/* A name that no other part has, locked before the part exists. */
static ireneo_error choose_name(const char *path, size_t rank, char part[PART_PATH_SIZE], int *lock) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        unsigned long long id = 0;
        if (getrandom(&id, sizeof id, 0) < 0) id = ((unsigned long long)getpid() << 8) + (unsigned)attempt;
        int used = snprintf(part, PART_PATH_SIZE, "%s.rank-%zu-%016llx", path, rank, id);
        if (used < 0 || used >= PART_PATH_SIZE) return too_long();
        if (access(part, F_OK) == 0) continue;
        IRENEO_TRY(take_lock(part, lock));
        if (*lock >= 0) return IRENEO_OK;
    }
    return ireneo_fail(IRENEO_ERROR_IO, "%s: its folder takes no locks, which several ranks need", path);
}

ireneo_error ireneo_part_open(const char *path, size_t rank, double wait_seconds, results **part) {
    char name[PART_PATH_SIZE];
    int lock = -1;
    *part = NULL;
    IRENEO_TRY(choose_name(path, rank, name, &lock));
    ireneo_error failed = ireneo_results_open(name, wait_seconds, part);
    if (failed == IRENEO_OK)
        (*part)->lock = lock; /* the lock's file stays until the part is gathered */
    else
        drop_lock(name, lock);
    return failed;
}

/* A part and SQLite's files beside it. */
static void remove_part(const char *part) {
    static const char *const tails[] = {"-wal", "-shm", "-journal"};
    char beside[PART_PATH_SIZE + 16];
    unlink(part);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        snprintf(beside, sizeof beside, "%s%s", part, tails[i]);
        unlink(beside);
    }
}

/* Length of a part's name at the beginning of `name`, which may be that of its lock; 0 for other files. Older versions
 * wrote FILE.rank-R. */
static size_t part_name(const char *name, const char *base) {
    size_t length = strlen(base), digits, id = 0;
    if (strncmp(name, base, length) != 0 || strncmp(name + length, ".rank-", 6) != 0) return 0;
    const char *at = name + length + 6;
    digits = strspn(at, "0123456789");
    if (digits == 0) return 0;
    at += digits;
    if (*at == '-') id = 1 + strspn(at + 1, "0123456789abcdef");
    if (id != 0 && id != 17) return 0;
    at += id;
    return *at == '\0' || strcmp(at, LOCK) == 0 ? (size_t)(at - name) : 0;
}

void ireneo_part_discard(results *part) {
    char *path = part->path;
    int lock = part->lock;
    part->path = NULL;
    part->lock = -1;
    ireneo_results_close(part);
    remove_part(path);
    drop_lock(path, lock);
    free(path);
}

static ireneo_error gather_part(results *store, const char *part) {
    int lock;
    size_t added, different;
    IRENEO_TRY(take_lock(part, &lock));
    if (lock < 0) return IRENEO_OK; /* its run lives, or somebody else gathers it */
    ireneo_error failed = IRENEO_OK;
    bool there = access(part, F_OK) == 0;
    if (there) failed = ireneo_results_merge(store, part, &added, &different);
    if (there && failed == IRENEO_OK) remove_part(part);
    drop_lock(part, lock);
    return failed;
}

/* Parts in the folder of the store, whose path is `folder` (with its slash) and `base`. */
static ireneo_error gather_from(results *store, DIR *listing, const char *folder, size_t length,
                                const char *base) {
    char part[PART_PATH_SIZE];
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        size_t name = part_name(entry->d_name, base);
        if (name == 0) continue;
        if (snprintf(part, sizeof part, "%.*s%.*s", (int)length, folder, (int)name, entry->d_name) >=
            (int)sizeof part)
            return too_long();
        IRENEO_TRY(gather_part(store, part));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_parts_gather(const char *path, double wait_seconds) {
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    results *store;
    IRENEO_TRY(ireneo_results_open(path, wait_seconds, &store));
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    DIR *listing = folder != NULL ? opendir(folder) : NULL;
    ireneo_error failed =
        listing != NULL
            ? gather_from(store, listing, path, length, path + length)
            : ireneo_fail(IRENEO_ERROR_IO, "the folder of %s cannot be read: %s", path, strerror(errno));
    if (listing != NULL) closedir(listing);
    free(folder);
    ireneo_results_close(store);
    return failed;
}
