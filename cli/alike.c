/* Ranks compare themselves with rank 0. */
#include "alike.h"

#include "base/blas.h"
#include "base/digest.h"
#include "base/processor.h"
#include "base/ranks.h"
#include "folder.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOST = 64, TEXT = 256, PIECES = 64, PIECE = 4096 };

/* ---- what a rank is ---- */

typedef struct portrait {
    char host[HOST], version[TEXT], arithmetic[2 * TEXT];
    uint64_t words;                          /* on the command line */
    unsigned char line[IRENEO_DIGEST_BYTES]; /* of the words */
} portrait;

static portrait paint(const command *self, int argc, char **argv) {
    portrait p = {.words = (uint64_t)argc};
    char blas[TEXT];
    ireneo_digest digest;
    ireneo_digest_begin(&digest);
    ireneo_digest_string(&digest, self->name);
    for (int k = 0; k < argc; k++) ireneo_digest_string(&digest, argv[k]);
    ireneo_digest_end(&digest, p.line);
    gethostname(p.host, sizeof p.host - 1);
    snprintf(p.version, sizeof p.version, "%s", ireneo_version());
    ireneo_blas_version(blas, sizeof blas);
    snprintf(p.arithmetic, sizeof p.arithmetic, "%s and %s", ireneo_processor_name(ireneo_processor()),
             blas[0] != '\0' ? blas : ireneo_blas_name());
    return p;
}

static ireneo_error compare_portraits(size_t rank, const portrait *first, const portrait *mine) {
    if (strcmp(first->version, mine->version) != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "rank %zu on %s has version %s, but rank 0 on %s has version %s", rank, mine->host,
                           mine->version, first->host, first->version);
    if (first->words != mine->words || memcmp(first->line, mine->line, sizeof mine->line) != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the command lines of rank 0 and rank %zu differ; start all with the same one",
                           rank);
    if (strcmp(first->arithmetic, mine->arithmetic) != 0)
        return ireneo_fail(IRENEO_ERROR_NUMERIC,
                           "rank %zu on %s computes with %s, but rank 0 on %s with %s, and they would round "
                           "differently; use "
                           "nodes of one kind, or set IRENEO_PROCESSOR and OPENBLAS_CORETYPE alike for all",
                           rank, mine->host, mine->arithmetic, first->host, first->arithmetic);
    return IRENEO_OK;
}

/* ---- what it reads ---- */

/* Size and pieces of a file, evenly spread: all of a small one. Zero when there is none. */
static void digest_file(const char *path, unsigned char *result) {
    unsigned char piece[PIECE];
    struct stat there;
    ireneo_digest digest;
    memset(result, 0, IRENEO_DIGEST_BYTES);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &there) == 0 && S_ISREG(there.st_mode)) {
        off_t size = there.st_size, last = size > PIECE ? size - PIECE : 0;
        ireneo_digest_begin(&digest);
        ireneo_digest_number(&digest, (uint64_t)size);
        for (off_t k = 0; k < PIECES; k++) {
            ssize_t count = pread(file, piece, sizeof piece,
                                  last / (PIECES - 1) * k + last % (PIECES - 1) * k / (PIECES - 1));
            if (count > 0) ireneo_digest_bytes(&digest, piece, (size_t)count);
        }
        ireneo_digest_end(&digest, result);
    }
    close(file);
}

/* The file that a word names, as "file", "file:name" or "--option=file". */
static void digest_word(const char *word, unsigned char *result) {
    char path[PATH_MAX];
    const char *value = word[0] == '-' ? strchr(word, '=') : NULL;
    memset(result, 0, IRENEO_DIGEST_BYTES);
    if (find_file(value != NULL ? value + 1 : word, path)) digest_file(path, result);
}

static ireneo_error compare_files(ireneo_ranks *world, const portrait *first, const portrait *mine, int argc,
                                  char **argv) {
    ireneo_error failed = IRENEO_OK;
    for (int k = 0; k < argc; k++) {
        unsigned char theirs[IRENEO_DIGEST_BYTES], own[IRENEO_DIGEST_BYTES];
        digest_word(argv[k], own);
        memcpy(theirs, own, sizeof own);
        ireneo_ranks_broadcast(world, 0, theirs, sizeof theirs);
        if (failed == IRENEO_OK && memcmp(theirs, own, sizeof own) != 0)
            failed =
                ireneo_fail(IRENEO_ERROR_DATA,
                            "%s differs between rank 0 on %s and rank %zu on %s: all must see the same file",
                            argv[k], first->host, world->rank, mine->host);
    }
    return failed;
}

int check_alike(const command *self, int argc, char **argv) {
    ireneo_ranks *world = ireneo_ranks_world();
    if (world->count == 1) return 0;
    portrait mine = paint(self, argc, argv), first = mine;
    ireneo_ranks_broadcast(world, 0, &first, sizeof first);
    ireneo_error failed = ireneo_ranks_agree(world, compare_portraits(world->rank, &first, &mine));
    if (failed == IRENEO_OK)
        failed = ireneo_ranks_agree(world, compare_files(world, &first, &mine, argc, argv));
    return failed == IRENEO_OK ? 0 : report_error(self, failed);
}

/* ---- what it writes ---- */

/* A file that was never there before: a network file system may remember what was not. "" when it cannot be made, which
 * is found out by who writes. */
static void leave_mark(const char *path, char *mark, size_t size) {
    const char *slash = strrchr(path, '/');
    int length =
        snprintf(mark, size, "%.*s.ireneo-seen-XXXXXX", slash != NULL ? (int)(slash - path + 1) : 0, path);
    int file = length > 0 && (size_t)length < size ? mkstemp(mark) : -1;
    if (file >= 0)
        close(file);
    else
        mark[0] = '\0';
}

int check_seen(const command *self, const char *path) {
    ireneo_ranks *world = ireneo_ranks_world();
    char mark[PATH_MAX] = "", host[HOST] = "";
    struct stat there;
    ireneo_error failed = IRENEO_OK;
    if (world->nodes == 1) return 0;
    if (world->rank == 0 && !(stat(path, &there) == 0 && !S_ISREG(there.st_mode)))
        leave_mark(path, mark, sizeof mark);
    ireneo_ranks_broadcast(world, 0, mark, sizeof mark);
    gethostname(host, sizeof host - 1);
    if (mark[0] != '\0' && access(mark, F_OK) != 0)
        failed = ireneo_fail(
            IRENEO_ERROR_IO,
            "rank 0 would write %s where %s does not see it; choose a folder that all nodes share", path,
            host);
    failed = ireneo_ranks_agree(world, failed);
    if (world->rank == 0 && mark[0] != '\0') unlink(mark);
    return failed == IRENEO_OK ? 0 : report_error(self, failed);
}
