/* ireneo store: stores facts in a matrix, or says that it cannot be done. */
#include "commands.h"
#include "facts_files.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct store_request {
    const char *files[2];
    const char *targets, *output, *solver, *initial, *certificate, *weights, *dropped;
    ireneo_store_settings settings;
    size_t threads;
    bool json, resume, with_values, overload, max_margin;
} store_request;

static void print_table(const store_request *q, const ireneo_max_margin_info *margin, const char *written) {
    const ireneo_store_info *info = &margin->store;
    char text[40];
    printf("%s: %s of ", ireneo_status_name(info->status), grouped((double)info->recalled, text));
    printf("%s facts recalled\n\n", grouped((double)info->facts, text));
    printf("  fraction of capacity  %10.3f   the law holds %s facts\n", info->fraction_of_capacity,
           grouped(info->facts_capacity, text));
    printf("  smallest margin       %10.2e   score spreads\n", info->margin);
    if (q->max_margin && info->status == IRENEO_STATUS_STORED) {
        printf("  largest margin        %10.4f   of |W| / sqrt(d_in), for normalised data\n", margin->margin);
        printf("  upper bound           %10.4f   duality gap %.1e\n", margin->margin_bound,
               margin->duality_gap);
        printf("  the law expects       %10.4f   for random data of this size\n", margin->margin_law);
    }
    printf("  passes over the data  %10zu   and %zu iterations in %.2f s\n", info->scans, info->iterations,
           info->seconds);
    if (info->span_in > 0)
        printf("  data span             %10zu   dimensions of keys, %zu of values\n", info->span_in,
               info->span_out);
    if (info->status == IRENEO_STATUS_IMPOSSIBLE)
        printf("  proof                    no memory of norm below %.3g recalls all with margin 1\n",
               info->certificate_norm_bound);
    if (info->status == IRENEO_STATUS_UNDECIDED && q->settings.solver == IRENEO_SOLVER_PROJECT)
        printf("  the limit of scans or iterations was reached; go on with --resume\n");
    if (written != NULL) printf("  written to            %s\n", written);
}

static int print_report(const command *self, const store_request *q, const ireneo_max_margin_info *margin,
                        const char *written, int exit_code) {
    const ireneo_store_info *info = &margin->store;
    bool widest = q->max_margin && info->status == IRENEO_STATUS_STORED;
    if (!q->json) {
        print_table(q, margin, written);
        return finish_output(self, exit_code);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "status", ireneo_status_name(info->status));
    ireneo_json_size(&json, "facts", info->facts);
    ireneo_json_size(&json, "recalled", info->recalled);
    ireneo_json_number(&json, "facts_capacity", info->facts_capacity);
    ireneo_json_number(&json, "fraction_of_capacity", info->fraction_of_capacity);
    ireneo_json_number(&json, "margin", widest ? margin->margin : info->margin);
    if (widest) {
        ireneo_json_number(&json, "margin_bound", margin->margin_bound);
        ireneo_json_number(&json, "duality_gap", margin->duality_gap);
        ireneo_json_number(&json, "margin_law", margin->margin_law);
    }
    ireneo_json_size(&json, "scans", info->scans);
    ireneo_json_size(&json, "iterations", info->iterations);
    ireneo_json_number(&json, "seconds", info->seconds);
    ireneo_json_size(&json, "peak_bytes", info->peak_bytes);
    ireneo_json_size(&json, "span_in", info->span_in);
    ireneo_json_size(&json, "span_out", info->span_out);
    if (info->status == IRENEO_STATUS_IMPOSSIBLE)
        ireneo_json_number(&json, "certificate_norm_bound", info->certificate_norm_bound);
    ireneo_json_text(&json, "memory", written);
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

static int exit_code_of(ireneo_status status) {
    switch (status) {
    case IRENEO_STATUS_STORED:
    case IRENEO_STATUS_PARTIAL:
        return EXIT_DONE;
    case IRENEO_STATUS_IMPOSSIBLE:
    case IRENEO_STATUS_UNDECIDED:
        return EXIT_NO;
    case IRENEO_STATUS_INTERRUPTED:
        return EXIT_INTERRUPTED;
    }
    return EXIT_NO;
}

/* MEMORY.state: where an unfinished memory waits for --resume. */
static char *state_path(const char *output) {
    size_t length = strlen(output) + sizeof ".state";
    char *path = malloc(length);
    if (path != NULL) snprintf(path, length, "%s.state", output);
    return path;
}

/* An unfinished memory goes to the state file, so that MEMORY itself is only ever a finished one. */
static int save_outcome(const command *self, const store_request *q, const facts_files *files,
                        const ireneo_memory *memory, const ireneo_store_info *info, const char *state,
                        const char **written) {
    bool finished = info->status == IRENEO_STATUS_STORED || info->status == IRENEO_STATUS_PARTIAL ||
                    q->settings.solver != IRENEO_SOLVER_PROJECT;
    *written = finished ? q->output : info->status == IRENEO_STATUS_IMPOSSIBLE ? NULL : state;
    if (*written == NULL) return 0;
    ireneo_error failed =
        ireneo_memory_save(memory, *written, q->with_values && finished ? files->values : NULL,
                           files->facts.candidates, &q->settings, info);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (finished) unlink(state);
    return 0;
}

static int load_initial(const command *self, const store_request *q, const facts_files *files,
                        const char *state, ireneo_memory **initial) {
    const char *path = q->resume ? state : q->initial;
    if (path == NULL) return 0;
    if (q->resume && access(path, F_OK) != 0)
        return complain(self, EXIT_DATA, "there is nothing to resume: %s does not exist", path);
    ireneo_error failed = ireneo_memory_load(path, initial);
    if (failed != IRENEO_OK) return report_error(self, failed);
    unsigned char hash[IRENEO_HASH_BYTES];
    if (!q->resume) return 0;
    failed = ireneo_facts_hash(&files->facts, hash);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (memcmp((*initial)->facts_hash, hash, sizeof hash) != 0)
        return complain(self, EXIT_DATA, "%s belongs to other facts than these", path);
    return 0;
}

/* Indices of the facts given up, as int64. */
static int save_dropped(const command *self, const store_request *q, const unsigned char *kept,
                        size_t facts) {
    char fallback[4200];
    snprintf(fallback, sizeof fallback, "%s.dropped.npy", q->output);
    int64_t *dropped = malloc((facts + 1) * sizeof *dropped);
    if (dropped == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory for the list of dropped facts");
    size_t count = 0;
    for (size_t i = 0; i < facts; i++)
        if (!kept[i]) dropped[count++] = (int64_t)i;
    ireneo_error failed =
        ireneo_save_npy(q->dropped != NULL ? q->dropped : fallback, IRENEO_DTYPE_INT64, 1, &count, dropped);
    free(dropped);
    return report_error(self, failed);
}

/* What a store leaves behind, beside its files. */
typedef struct store_outcome {
    ireneo_memory *memory, *initial;
    ireneo_store_result result;
    double *weights;
    ireneo_max_margin_info info; /* only its store part without --max-margin */
} store_outcome;

static int prepare_overload(const command *self, store_request *q, size_t facts, store_outcome *o) {
    if (!q->overload) return 0;
    size_t count = 0;
    if (q->weights != NULL) {
        ireneo_error failed = ireneo_load_vector(q->weights, &o->weights, &count);
        if (failed != IRENEO_OK) return report_error(self, failed);
        if (count != facts)
            return complain(self, EXIT_DATA, "%s holds %zu weights for %zu facts", q->weights, count, facts);
    }
    q->settings.overload = 1;
    q->settings.weights = o->weights;
    return 0;
}

static int run_store(const command *self, store_request *q, const facts_files *files, const char *state,
                     store_outcome *o) {
    const char *written = NULL;
    int outcome = load_initial(self, q, files, state, &o->initial);
    if (outcome == 0) outcome = prepare_overload(self, q, files->facts.facts, o);
    if (outcome != 0) return outcome;
    q->settings.initial = o->initial;
    q->settings.progress = start_progress();
    ireneo_error failed = IRENEO_OK;
    if (q->max_margin) {
        ireneo_max_margin_settings settings = {.store = q->settings};
        failed = ireneo_max_margin(&files->facts, &settings, &o->memory, &o->result, &o->info);
    } else {
        failed = ireneo_store(&files->facts, &q->settings, &o->memory, &o->result, &o->info.store);
    }
    finish_progress();
    outcome = report_error(self, failed);
    if (outcome == 0) outcome = save_outcome(self, q, files, o->memory, &o->info.store, state, &written);
    if (outcome == 0 && q->overload) outcome = save_dropped(self, q, o->result.kept, files->facts.facts);
    if (outcome == 0 && o->result.certificate != NULL && q->certificate != NULL)
        outcome = report_error(self, ireneo_certificate_save(o->result.certificate, q->certificate));
    return outcome == 0 ? print_report(self, q, &o->info, written, exit_code_of(o->info.store.status))
                        : outcome;
}

static int store_facts(const command *self, store_request *q, const facts_files *files, const char *state) {
    store_outcome o = {0};
    int outcome = run_store(self, q, files, state, &o);
    ireneo_store_result_free(&o.result);
    ireneo_memory_free(o.memory);
    ireneo_memory_free(o.initial);
    ireneo_free(o.weights);
    return outcome;
}

static int run(const command *self, int argc, char **argv) {
    store_request q = {.solver = "project"};
    option options[] = {
        TEXT("o", &q.output, "MEMORY", "where the memory goes (.safetensors)"),
        TEXT("targets", &q.targets, "FILE", "index of each key's value (default: row i to row i)"),
        COUNT("rank", &q.settings.rank, "M", "largest rank of the matrix (default: full)", 1, 1e7),
        CHOICE("solver", &q.solver, "project|hebbian|hebbian-white", "how to store (default project)"),
        TEXT("init", &q.initial, "FILE", "memory to start from"),
        FLAG("resume", &q.resume, "go on from MEMORY.state, which an unfinished store left"),
        FLAG("with-values", &q.with_values, "put the values into the file too, for recall"),
        FLAG("overload", &q.overload, "when not all facts fit, choose which to keep"),
        TEXT("weights", &q.weights, "FILE", "with --overload: how much each fact matters"),
        TEXT("dropped", &q.dropped, "FILE",
             "with --overload: facts given up, as .npy (default MEMORY.dropped.npy)"),
        FLAG("max-margin", &q.max_margin,
             "of all memories that fit, the one with the largest margin for its norm"),
        TEXT("certificate", &q.certificate, "FILE",
             "where a proof of impossibility goes; with --max-margin, of the margin's bound"),
        NUMBER("margin", &q.settings.margin, "K",
               "margin of the loss in score spreads (default: chosen by load)", 0, 100),
        COUNT("max-scans", &q.settings.max_scans, "N", "most passes over all candidates (default 40)", 2,
              1e6),
        COUNT("max-iterations", &q.settings.max_iterations, "N", "most iterations (default 3000)", 1, 1e9),
        COUNT("settle", &q.settings.settle, "N",
              "settle close cases of up to N entries of W exactly (default 2500; 6400 takes a minute)", 1,
              1e5),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 2, 2, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (q.output == NULL) return complain(self, EXIT_USAGE, "give the output file with -o MEMORY");
    if (q.resume && q.initial != NULL)
        return complain(self, EXIT_USAGE, "--resume and --init exclude each other");
    if (!q.overload && (q.weights != NULL || q.dropped != NULL))
        return complain(self, EXIT_USAGE, "--weights and --dropped only make sense with --overload");
    if (q.overload && strcmp(q.solver, "project") != 0)
        return complain(self, EXIT_USAGE, "--overload needs the project solver");
    if (q.max_margin && (q.overload || q.settings.rank > 0 || strcmp(q.solver, "project") != 0))
        return complain(
            self, EXIT_USAGE,
            "--max-margin excludes --overload, --rank and the Hebbian solvers: it needs all facts, a "
            "full matrix and the project solver");
    q.settings.threads = (int)q.threads;
    while (strcmp(q.solver, ireneo_solver_name(q.settings.solver)) != 0) q.settings.solver++;
    outcome = check_output(self, q.output);
    if (outcome == 0) outcome = check_output(self, q.certificate);
    if (outcome == 0) outcome = check_output(self, q.dropped);
    if (outcome != 0) return outcome;
    facts_files files;
    outcome = load_facts(self, q.files[0], q.files[1], q.targets, &files);
    if (outcome != 0) return outcome;
    catch_interrupts();
    if (q.with_values && files.facts.values == NULL) {
        free_facts(&files);
        return complain(self, EXIT_USAGE, "--with-values needs values that all keys share");
    }
    char *state = state_path(q.output);
    outcome = state == NULL ? complain(self, EXIT_MACHINE, "not enough memory")
                            : store_facts(self, &q, &files, state);
    free(state);
    free_facts(&files);
    return outcome;
}

const command command_store = {
    "store", "stores facts in a matrix, or says that they do not fit", run, "KEYS VALUES",
    "KEYS and VALUES are matrices in .npy or .safetensors (file.safetensors:name), one row each; VALUES of "
    "three "
    "axes\n(keys, candidates, dimension) are candidates of each key's own. MEMORY holds a tensor W\n"
    "(values' dimension x keys' dimension), or U and V with W = U V^T; score of value y for key x: y^T W x.\n"
    "Exit code 0: stored; 1: impossible, or undecided at a limit; 130: interrupted, go on with --resume."};
