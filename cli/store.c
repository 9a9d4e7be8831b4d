/* ireneo store: stores facts in a matrix, or says that it cannot be done. */
#include "store.h"
#include "alike.h"
#include "base/ranks.h"
#include "base/text_stream.h"
#include "commands.h"
#include "folder.h"
#include "job.h"
#include "labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

/* Path and ending, in a block to be freed. */
static char *with_ending(const char *path, const char *ending) {
    size_t length = strlen(path) + strlen(ending) + 1;
    char *joined = malloc(length);
    if (joined != NULL) snprintf(joined, length, "%s%s", path, ending);
    return joined;
}

static void write_quoted(FILE *stream, const char *word) {
    if (word[0] != '\0' &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,") ==
            strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word != '\0'; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stream);
    fputc('\'', stream);
}

/* The command line with --resume and without --init, which it replaces, to be typed into a shell. */
static char *command_again(int argc, char **argv) {
    ireneo_text text;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return NULL;
    int i = 0;
    if (ireneo_ranks_world()->count > 1) fprintf(stream, "mpirun -n %zu ", ireneo_ranks_world()->count);
    fputs("ireneo store", stream);
    for (; i < argc; i++) {
        if (strcmp(argv[i], "--resume") == 0 || strncmp(argv[i], "--init=", 7) == 0) continue;
        if (strcmp(argv[i], "--init") == 0) {
            i++;
            continue;
        }
        if (strcmp(argv[i], "--") == 0) break;
        fputc(' ', stream);
        write_quoted(stream, argv[i]);
    }
    fputs(" --resume", stream);
    for (; i < argc; i++) { /* from "--" on: files only */
        fputc(' ', stream);
        write_quoted(stream, argv[i]);
    }
    if (ireneo_text_close(stream, &text)) return text.bytes;
    free(text.bytes);
    return NULL;
}

static int name_files(const command *self, store_request *q, int argc, char **argv) {
    q->state = with_ending(q->output, ".state");
    q->given_up = q->dropped != NULL ? strdup(q->dropped) : with_ending(q->output, ".dropped.npy");
    q->again = command_again(argc, argv);
    return q->state != NULL && q->given_up != NULL && q->again != NULL
               ? 0
               : complain(self, EXIT_MACHINE, "not enough memory for the names of files");
}

static void free_names(store_request *q) {
    free(q->state);
    free(q->given_up);
    free(q->again);
}

static int check_files(const command *self, const store_request *q) {
    const output_file outputs[] = {
        {"-o", q->output, OUTPUT_MEMORY, NULL},
        {"--certificate", q->certificate, OUTPUT_CERTIFICATE, NULL},
        {"--dropped", q->overload ? q->given_up : NULL, OUTPUT_ARRAY, NULL},
        {"the state", access(q->state, F_OK) == 0 ? q->state : NULL, OUTPUT_MEMORY, NULL}};
    const char *const inputs[] = {q->files[0], q->files[1], q->targets, q->initial,
                                  q->weights,  q->residual, q->moments};
    return check_outputs(self, outputs, sizeof outputs / sizeof outputs[0], inputs,
                         sizeof inputs / sizeof inputs[0]);
}

/* ---- files of the outcome ---- */

/* What goes into the file beside the memory. */
static ireneo_memory_extras extras_of(const store_request *q, const facts_files *files) {
    ireneo_memory_extras extras = {0};
    if (q->with_values) extras.values = files->values, extras.candidates = files->facts.candidates;
    if (q->key_labels != NULL) extras.keys = files->all_keys, extras.facts = count_facts(files);
    extras.key_labels = q->labels[0].lines;
    extras.value_labels = q->labels[1].lines;
    return extras;
}

static int save_memory(const command *self, const store_request *q, const facts_files *files,
                       const store_outcome *o, const char *path, ireneo_status status) {
    ireneo_store_info info = o->info.store;
    ireneo_memory_extras extras = extras_of(q, files);
    info.status = status;
    return report_error(self, ireneo_memory_save(o->memory, path, &extras, &q->settings, &info));
}

/* Indices of the facts given up, as int64. */
static int save_dropped(const command *self, const store_request *q, const unsigned char *kept,
                        size_t facts) {
    int64_t *dropped = malloc((facts + 1) * sizeof *dropped);
    if (dropped == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory for the list of dropped facts");
    size_t count = 0;
    for (size_t i = 0; i < facts; i++)
        if (!kept[i]) dropped[count++] = (int64_t)i;
    ireneo_error failed = ireneo_save_npy(q->given_up, IRENEO_DTYPE_INT64, 1, &count, dropped);
    free(dropped);
    return report_error(self, failed);
}

/* Rank 0's: the best memory goes to MEMORY whatever the answer, marked as partial when it does not recall all; only an interrupted
 * store leaves an old one alone. What can be gone on from goes to the state, too. */
static int save_outcome(const command *self, const store_request *q, const facts_files *files,
                        store_outcome *o) {
    bool stopped = o->status == IRENEO_STATUS_INTERRUPTED;
    bool all = o->info.store.recalled == o->info.store.facts;
    o->waiting = stopped || o->status == IRENEO_STATUS_UNDECIDED;
    o->written = !stopped;
    bool kept = stopped && o->info.store.state_kept; /* by the library: all of it, and not the memory alone */
    int outcome = o->waiting && !kept ? save_memory(self, q, files, o, q->state, o->status) : 0;
    if (outcome == 0 && o->written)
        outcome =
            save_memory(self, q, files, o, q->output, all ? IRENEO_STATUS_STORED : IRENEO_STATUS_PARTIAL);
    if (outcome == 0 && !o->waiting) unlink(q->state);
    if (outcome == 0 && o->result.kept != NULL)
        outcome = save_dropped(self, q, o->result.kept, count_facts(files));
    if (outcome == 0 && o->result.certificate != NULL && q->certificate != NULL)
        outcome = report_error(self, ireneo_certificate_save(o->result.certificate, q->certificate));
    return outcome;
}

/* The state of a store that was stopped or killed goes on by itself; of one that came to no verdict there is the memory to
 * start again from. */
static int load_initial(const command *self, store_request *q, ireneo_memory **initial) {
    const char *path = q->resume ? q->state : q->initial;
    int whole = 0;
    if (path == NULL) return 0;
    if (q->resume && access(path, F_OK) != 0)
        return complain(self, EXIT_DATA, "there is nothing to resume: %s does not exist", path);
    if (q->resume && q->settings.state != NULL) {
        ireneo_error failed = ireneo_safetensors_has(path, "numbers", &whole);
        if (failed != IRENEO_OK) return report_error(self, failed);
    }
    q->settings.resume = whole;
    return whole ? 0 : report_error(self, ireneo_memory_load(path, initial));
}

static int check_initial(const command *self, const store_request *q, const facts_files *files,
                         const ireneo_memory *initial) {
    unsigned char hash[IRENEO_HASH_BYTES];
    if (!q->resume || initial == NULL) return 0;
    ireneo_error failed = ireneo_facts_hash(&files->facts, hash);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (memcmp(initial->facts_hash, hash, sizeof hash) != 0)
        return complain(self, EXIT_DATA, "%s belongs to other facts than these", q->state);
    return 0;
}

/* ---- the work ---- */

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

static ireneo_error store(const store_request *q, const ireneo_facts *facts, store_outcome *o) {
    ireneo_error failed = IRENEO_OK;
    if (q->max_margin) {
        ireneo_max_margin_settings settings = {.store = q->settings};
        failed = ireneo_max_margin(facts, &settings, &o->memory, &o->result, &o->info);
    } else {
        failed = ireneo_store(facts, &q->settings, &o->memory, &o->result, &o->info.store);
    }
    o->status = o->info.store.status;
    bool best_alone = q->settings.top < 2; /* only then is the second best the one to fear */
    if (failed == IRENEO_OK && best_alone &&
        (o->status == IRENEO_STATUS_STORED || o->status == IRENEO_STATUS_PARTIAL))
        failed = find_hardest(o->memory, facts, (int)q->threads, o->hardest, &o->hard_count);
    return failed;
}

/* What the seconds of the store were spent on, on rank 0. */
static void add_phases(const ireneo_store_phases *p) {
    add_phase("whiten", p->whiten);
    add_phase("start", p->start);
    add_phase("scan", p->scan);
    add_phase("check", p->check);
    add_phase("direction", p->direction);
    add_phase("line_search", p->line_search);
    add_phase("gradient", p->gradient);
    add_phase("history", p->history);
    add_phase("certificate", p->certificate);
}

static int run_store(const command *self, store_request *q, const facts_files *files, store_outcome *o) {
    if (q->settings.solver == IRENEO_SOLVER_PROJECT && q->residual == NULL) q->settings.state = q->state;
    int outcome = agree(self, load_initial(self, q, &o->initial));
    if (outcome == 0) outcome = check_initial(self, q, files, o->initial);
    if (outcome == 0 && q->moments != NULL)
        outcome = report_error(self, ireneo_moments_load(q->moments, &o->moments));
    if (outcome == 0) outcome = prepare_overload(self, q, count_facts(files), o);
    outcome = agree(self, outcome);
    if (outcome != 0) return outcome;
    q->settings.initial = o->initial;
    q->settings.moments = o->moments;
    q->settings.progress = start_progress();
    if (ireneo_ranks_world()->count > 1) name_state(q->settings.state);
    begin_phase("store");
    ireneo_error failed = store(q, &files->facts, o);
    name_state(NULL);
    finish_progress();
    begin_phase("write");
    outcome = agree(self, report_error(self, failed));
    if (outcome == 0) outcome = agree(self, speaks() ? save_outcome(self, q, files, o) : 0);
    end_phases();
    add_phases(&o->info.store.phases);
    return outcome == 0 ? report_store(self, q, &files->facts, o) : outcome;
}

static int store_facts(const command *self, store_request *q, const facts_files *files) {
    store_outcome o = {0};
    int outcome = run_store(self, q, files, &o);
    ireneo_store_result_free(&o.result);
    ireneo_memory_free(o.memory);
    ireneo_memory_free(o.initial);
    ireneo_moments_free(o.moments);
    ireneo_free(o.weights);
    return outcome;
}

static int load_both_labels(const command *self, store_request *q, facts_files *files) {
    int outcome = 0;
    if (q->key_labels != NULL || q->value_labels != NULL) q->with_values = true;
    if (q->with_values && files->facts.values == NULL)
        return complain(self, EXIT_USAGE, "--with-values and labels need values that all keys share");
    if (q->key_labels != NULL)
        outcome = load_labels_of(self, q->key_labels, count_facts(files), "keys", &q->labels[0]);
    if (outcome == 0 && q->value_labels != NULL)
        outcome = load_labels_of(self, q->value_labels, files->facts.candidates, "values", &q->labels[1]);
    outcome = agree(self, outcome);
    return outcome == 0 && q->key_labels != NULL ? bring_keys(self, files) : outcome;
}

static int load_and_store(const command *self, store_request *q) {
    facts_files files;
    int outcome = 0;
    begin_phase("load");
    if (q->settings.solver == IRENEO_SOLVER_PROJECT && ireneo_ranks_world()->count == 1)
        outcome = check_room(self, q->files[0], q->files[1], q->threads);
    if (outcome == 0)
        outcome =
            load_facts_held(self, &(facts_names){q->files[0], q->files[1], q->targets, q->residual}, &files);
    if (outcome != 0) return outcome;
    outcome = load_both_labels(self, q, &files);
    catch_interrupts();
    if (outcome == 0) outcome = store_facts(self, q, &files);
    free_labels(&q->labels[0]);
    free_labels(&q->labels[1]);
    free_facts(&files);
    return outcome;
}

/* Options that contradict each other. */
static int check_request(const command *self, const store_request *q) {
    bool project = strcmp(q->solver, "project") == 0;
    if (q->output == NULL) return complain(self, EXIT_USAGE, "give the output file with -o MEMORY");
    if (q->resume && q->initial != NULL)
        return complain(self, EXIT_USAGE, "--resume and --init exclude each other");
    if (!q->overload && (q->weights != NULL || q->dropped != NULL))
        return complain(self, EXIT_USAGE, "--weights and --dropped only make sense with --overload");
    if (q->max_margin && q->residual != NULL)
        return complain(
            self, EXIT_USAGE,
            "--max-margin and --residual exclude each other: a larger matrix outweighs any offset; "
            "'ireneo edit' finds the least one with a margin");
    if (q->settings.top > 1 &&
        (q->overload || q->max_margin || q->certificate != NULL || q->residual != NULL))
        return complain(
            self, EXIT_USAGE,
            "--top excludes --overload, --max-margin, --certificate and --residual: those are about the "
            "best answer alone, and for more there are no proofs");
    if (q->overload && !project) return complain(self, EXIT_USAGE, "--overload needs the project solver");
    if (q->settings.rate > 0.0 && strcmp(q->solver, "delta") != 0)
        return complain(self, EXIT_USAGE, "--rate belongs to --solver delta");
    if (q->settings.ridge > 0.0 && strcmp(q->solver, "least-squares") != 0)
        return complain(self, EXIT_USAGE, "--ridge belongs to --solver least-squares");
    if (q->moments != NULL && (project || strcmp(q->solver, "hebbian-white") == 0))
        return complain(
            self, EXIT_USAGE,
            "--moments is for the solvers hebbian, delta and least-squares; %s whitens by the keys "
            "themselves",
            q->solver);
    if (q->max_margin && (q->overload || q->settings.rank > 0 || !project))
        return complain(
            self, EXIT_USAGE,
            "--max-margin excludes --overload, --rank and the rules of one pass: it needs all facts, a "
            "full matrix and the project solver");
    return 0;
}

static int run(const command *self, int argc, char **argv) {
    store_request q = {.solver = "project"};
    option options[] = {
        TEXT("o", &q.output, "MEMORY", "where the memory goes (.safetensors)"),
        TEXT("targets", &q.targets, "FILE", "index of each key's value (default: row i to row i)"),
        RESIDUAL(&q.residual),
        COUNT("rank", &q.settings.rank, "M", "largest rank of the matrix (default: full)", 1, 1e7),
        COUNT("top", &q.settings.top, "K",
              "a fact counts when its value is among the K best (default 1); less than the values", 1, 256),
        CHOICE("solver", &q.solver, "project|hebbian|hebbian-white|delta|least-squares",
               "how to store (default project); the others are rules of one pass"),
        NUMBER("rate", &q.settings.rate, "B", "of the delta rule (default 1)", 1e-9, 1.999999),
        NUMBER("ridge", &q.settings.ridge, "L",
               "of least squares, over the mean square of the keys (default 1e-6)", 1e-12, 1e12),
        TEXT("moments", &q.moments, "FILE",
             "hebbian, delta, least-squares: in coordinates in which the keys of these moments are white"),
        TEXT("init", &q.initial, "FILE", "memory to start from"),
        FLAG("resume", &q.resume, "go on from MEMORY.state, which an unfinished store left"),
        FLAG("with-values", &q.with_values, "put the values into the file too, for recall"),
        TEXT("key-labels", &q.key_labels, "FILE",
             "names of the keys, one a line: keys, names and values go into the file, for ask"),
        TEXT("value-labels", &q.value_labels, "FILE", "names of the values, one a line, likewise"),
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
        COUNT("max-scans", &q.settings.max_scans, "N", "most passes over all candidates (default 200)", 2,
              1e6),
        COUNT("max-iterations", &q.settings.max_iterations, "N", "most iterations (default 3000)", 1, 1e9),
        COUNT("settle", &q.settings.settle, "N",
              "settle close cases of up to N entries of W exactly (default 2500; 6400 takes a minute)", 1,
              1e5),
        FLAG("exact", &q.exact, "prove impossibility for every real matrix also above 2500 entries of W"),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 2, 2, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = check_request(self, &q);
    if (outcome != 0) return outcome;
    q.settings.threads = (int)q.threads;
    q.settings.exact = q.exact;
    while (strcmp(q.solver, ireneo_solver_name(q.settings.solver)) != 0) q.settings.solver++;
    outcome = name_files(self, &q, argc, argv);
    if (outcome == 0) outcome = agree(self, speaks() ? check_files(self, &q) : 0);
    if (outcome == 0) outcome = check_seen(self, q.output);
    if (outcome == 0) outcome = load_and_store(self, &q);
    free_names(&q);
    return outcome;
}

const command command_store = {
    "store", "stores facts in a matrix, or says that they do not fit", run, "KEYS VALUES",
    "KEYS and VALUES are matrices in .npy or .safetensors (file.safetensors:name), one row each; VALUES of "
    "three "
    "axes\n(keys, candidates, dimension) are candidates of each key's own. MEMORY holds a tensor W\n"
    "(values' dimension x keys' dimension), or U and V with W = U V^T; score of value y for key x: y^T W x.\n"
    "MEMORY is written whatever the answer, marked as partial when it does not recall all facts.\n"
    "Exit code 0: stored, or kept what fits with --overload; 1: not all facts are recalled: impossible, "
    "undecided,\n"
    "or by a rule of one pass; 130: interrupted, go on with --resume."};
