/* ireneo --version [--json]. What a report of a fault should hold: the build, and what the machine decided. */
#include "version.h"

#include "base/blas.h"
#include "base/processor.h"
#include "base/threads.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef IRENEO_MPI
#include <mpi.h>
#endif

#if defined(__clang__)
#define COMPILER "clang"
#elif defined(__GNUC__)
#define COMPILER "gcc"
#else
#define COMPILER "unknown"
#endif
#ifndef IRENEO_BUILD_TYPE
#define IRENEO_BUILD_TYPE "unknown"
#endif

enum { LINE = 256 };

/* The first line of what MPI calls itself; NULL without MPI. */
static const char *mpi_name(char *line) {
#ifdef IRENEO_MPI
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    snprintf(line, LINE, "%.*s", (int)strcspn(text, ",\n"), text);
    return line;
#else
    (void)line;
    return NULL;
#endif
}

static void write_build(ireneo_json *json) {
    ireneo_json_begin_object(json, "build");
    ireneo_json_text(json, "compiler", COMPILER " " __VERSION__);
    ireneo_json_text(json, "type", IRENEO_BUILD_TYPE);
    ireneo_json_end_object(json);
}

/* `threads` is what BLAS would use by itself; inside Ireneo's own threads it always uses one. */
static void write_blas(ireneo_json *json) {
    char line[LINE], *file = ireneo_blas_file();
    ireneo_blas_version(line, sizeof line);
    ireneo_json_begin_object(json, "blas");
    ireneo_json_text(json, "name", ireneo_blas_name());
    ireneo_json_text(json, "version", line[0] != '\0' ? line : NULL);
    ireneo_json_text(json, "file", file);
    ireneo_json_size(json, "threads", (uint64_t)ireneo_blas_threads());
    ireneo_json_end_object(json);
    free(file);
}

static int print_report(const command *self) {
    ireneo_json json = {0};
    char line[LINE];
    ireneo_error failed = ireneo_processor_check();
    if (failed != IRENEO_OK) return report_error(self, failed);
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "version", ireneo_version());
    write_build(&json);
    write_blas(&json);
    ireneo_json_text(&json, "processor", ireneo_processor_name(ireneo_processor()));
    ireneo_json_size(&json, "threads", (uint64_t)ireneo_thread_count(0));
    ireneo_json_text(&json, "mpi", mpi_name(line));
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

int print_version(int argc, char **argv) {
    static const command version = {
        "--version", "the version; with --json also the build, BLAS, the processor's path and MPI", NULL, "",
        ""};
    const command *self = &version;
    bool json = false;
    option options[] = {JSON(&json), OPTIONS_END};
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? finish_output(self, EXIT_DONE) : outcome;
    if (json) return print_report(self);
    printf("ireneo %s\n", ireneo_version());
    return finish_output(self, EXIT_DONE);
}
