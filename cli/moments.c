/* ireneo moments: second moment and mean of keys, in a file that others read and that parts are merged from. */
#include "commands.h"
#include "folder.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

enum { MOST_FILES = 1000 };

typedef struct moments_request {
    const char *files[MOST_FILES];
    size_t count, threads;
    const char *output;
    bool json;
} moments_request;

static int print_report(const command *self, const moments_request *q, const ireneo_moments_report *r) {
    if (!q->json) {
        char rows[40];
        printf("%s keys of %zu entries, root mean square norm %.6g\n", grouped((double)r->count, rows),
               r->dim, sqrt(r->mean_square));
        printf("  participation %.4g of %zu directions, %.4g around the mean, which has %.1f %% of the "
               "square\n",
               r->participation, r->dim, r->participation_centred, 100.0 * r->mean_share);
        printf("  written to %s\n", q->output);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "rows", r->count);
    ireneo_json_size(&json, "dim", r->dim);
    ireneo_json_number(&json, "mean_square", r->mean_square);
    ireneo_json_number(&json, "mean_share", r->mean_share);
    ireneo_json_number(&json, "participation", r->participation);
    ireneo_json_number(&json, "participation_centred", r->participation_centred);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int sum_and_save(const command *self, const moments_request *q) {
    ireneo_moments *moments = NULL;
    ireneo_moments_report report;
    ireneo_run_settings settings = {.threads = (int)q->threads, .progress = start_progress()};
    ireneo_error failed = ireneo_moments_of_files(q->files, q->count, &settings, &moments);
    finish_progress();
    if (failed == IRENEO_OK) failed = ireneo_moments_describe(moments, &report);
    if (failed == IRENEO_OK) failed = ireneo_moments_save(moments, q->output);
    ireneo_moments_free(moments);
    return failed == IRENEO_OK ? print_report(self, q, &report) : report_error(self, failed);
}

static int run(const command *self, int argc, char **argv) {
    static moments_request q;
    option options[] = {
        TEXT("o", &q.output, "FILE", "where the moments go (.safetensors)"),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 1, MOST_FILES, &q.count);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (q.output == NULL) return complain(self, EXIT_USAGE, "say with -o where the moments go");
    outcome = check_outputs(self, &(output_file){"-o", q.output, OUTPUT_MOMENTS, NULL}, 1, q.files, q.count);
    if (outcome != 0) return outcome;
    catch_interrupts();
    return sum_and_save(self, &q);
}

const command command_moments = {
    "moments", "second moment and mean of the keys that a layer sees", run, "KEYS...",
    "KEYS are arrays (.npy, file.safetensors:name, ...) of two or more axes, the last one that of a key's "
    "entries; they\n"
    "are read in blocks of rows. KEYS that are moments are merged. Sums are exact: parts that are merged, in "
    "any\n"
    "order, give the moments of the whole, bit for bit. FILE holds second_moment, mean, count and sums."};
