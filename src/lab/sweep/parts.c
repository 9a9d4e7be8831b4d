/* Parts are told by their names, so that those of a run that was killed are found again by anybody. */
#include "lab/sweep/parts.h"

#include <glob.h>
#include <stdio.h>
#include <unistd.h>

ireneo_error ireneo_part_path(const char *path, size_t rank, char part[PART_PATH_SIZE]) {
    int used = snprintf(part, PART_PATH_SIZE, "%s.rank-%zu", path, rank);
    if (used < 0 || used >= PART_PATH_SIZE)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of the store of results is too long");
    return IRENEO_OK;
}

ireneo_error ireneo_part_open(const char *path, size_t rank, double wait_seconds, results **part) {
    char name[PART_PATH_SIZE];
    size_t added, different;
    IRENEO_TRY(ireneo_part_path(path, rank, name));
    IRENEO_TRY(ireneo_results_open(name, wait_seconds, part));
    ireneo_error failed = ireneo_results_merge(*part, path, &added, &different);
    if (failed != IRENEO_OK) {
        ireneo_results_close(*part);
        *part = NULL;
    }
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

ireneo_error ireneo_parts_gather(const char *path, double wait_seconds) {
    char pattern[PART_PATH_SIZE];
    results *store;
    if (snprintf(pattern, sizeof pattern, "%s.rank-*[0-9]", path) >= (int)sizeof pattern)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of the store of results is too long");
    IRENEO_TRY(ireneo_results_open(path, wait_seconds, &store));
    glob_t parts = {0};
    ireneo_error failed = IRENEO_OK;
    if (glob(pattern, 0, NULL, &parts) == 0) {
        for (size_t i = 0; i < parts.gl_pathc && failed == IRENEO_OK; i++) {
            size_t added, different;
            failed = ireneo_results_merge(store, parts.gl_pathv[i], &added, &different);
            if (failed == IRENEO_OK) remove_part(parts.gl_pathv[i]);
        }
    }
    globfree(&parts);
    ireneo_results_close(store);
    return failed;
}
