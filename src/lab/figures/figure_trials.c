/* A request's database, or results.db in its folder, and its rows as CSV; a request's threads and progress. */
#include "lab/figures/figure_trials.h"
#include "base/error.h"
#include "base/file_view.h"
#include "base/ranks.h"
#include "base/text_stream.h"
#include "lab/sweep/results_rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ireneo_error store_path(const figure_request *request, char path[PATH_MAX]) {
    int length = request->database != NULL ? snprintf(path, PATH_MAX, "%s", request->database)
                                           : snprintf(path, PATH_MAX, "%s/results.db", request->directory);
    if (length < PATH_MAX) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of the output folder is too long");
}

ireneo_error ireneo_figure_store(const figure_request *request, results **store) {
    char path[PATH_MAX];
    IRENEO_TRY(store_path(request, path));
    return ireneo_results_open_shared(path, 60.0, store);
}

queue_settings ireneo_figure_queue(const figure_request *request, const char *stage) {
    return (queue_settings){.threads = request->threads, .stage = stage, .progress = request->progress};
}

/* Rank 0 alone reads and writes the file; the stores of the others begin with what its store knows. */
static ireneo_error take_rows(const figure_request *request) {
    char path[PATH_MAX];
    results *store;
    size_t added;
    if (access(request->rows, F_OK) != 0) return IRENEO_OK;
    IRENEO_TRY(store_path(request, path));
    IRENEO_TRY(ireneo_results_open(path, 60.0, &store));
    ireneo_error failed = ireneo_results_read_rows(store, request->rows, &added);
    ireneo_results_close(store);
    return failed;
}

ireneo_error ireneo_figure_take_rows(const figure_request *request) {
    ireneo_ranks *world = ireneo_ranks_world();
    if (request->rows == NULL) return IRENEO_OK;
    return ireneo_ranks_agree(world, world->rank == 0 ? take_rows(request) : IRENEO_OK);
}

/* Whether the file holds this text already; it may be one that cannot be written. */
static bool holds(const char *path, const ireneo_text *text) {
    ireneo_file_view file;
    if (access(path, R_OK) != 0 || ireneo_file_view_open(path, &file) != IRENEO_OK) return false;
    bool same = file.count == text->length && memcmp(file.bytes, text->bytes, file.count) == 0;
    ireneo_file_view_close(&file);
    return same;
}

static ireneo_error write_rows(const char *path, results *store) {
    ireneo_text text;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", path);
    ireneo_error failed = ireneo_results_write_rows(store, stream);
    bool complete = ireneo_text_close(stream, &text);
    if (failed == IRENEO_OK && !complete)
        failed = ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", path);
    if (failed == IRENEO_OK && !holds(path, &text)) failed = ireneo_save_bytes(path, text.bytes, text.length);
    free(text.bytes);
    return failed;
}

static ireneo_error keep_rows(const figure_request *request) {
    char path[PATH_MAX];
    results *store;
    IRENEO_TRY(store_path(request, path));
    IRENEO_TRY(ireneo_results_open(path, 60.0, &store));
    ireneo_error failed = write_rows(request->rows, store);
    ireneo_results_close(store);
    return failed;
}

ireneo_error ireneo_figure_keep_rows(const figure_request *request, ireneo_error failed) {
    ireneo_ranks *world = ireneo_ranks_world();
    char first[512];
    if (request->rows == NULL) return failed;
    snprintf(first, sizeof first, "%s", failed != IRENEO_OK ? ireneo_last_error() : "");
    ireneo_error kept = ireneo_ranks_agree(world, world->rank == 0 ? keep_rows(request) : IRENEO_OK);
    return failed != IRENEO_OK ? ireneo_fail(failed, "%s", first) : kept;
}
