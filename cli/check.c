/* ireneo check: how many facts does a memory recall? */
#include "base/ranks.h"
#include "base/text_stream.h"
#include "commands.h"
#include "facts_files.h"
#include "folder.h"
#include "job.h"
#include "labels.h"
#include "stored_top.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMED = 10 }; /* facts not recalled that the table names */

typedef struct check_request {
    const char *files[3], *targets, *residual, *labels, *missed;
    size_t threads, top; /* 0: what the memory was stored for */
    ireneo_noise noise;
    bool json, noisy, stored_for; /* the file says for how many best answers it was stored */
} check_request;

typedef struct check_outcome {
    ireneo_check_report report;
    ireneo_noise_report noise;
    unsigned char *recalled; /* (facts) */
    label_file labels;       /* of the keys */
} check_outcome;

static void print_noise(const check_request *q, const ireneo_noise_report *report) {
    printf("  from noisy keys %.2f +- %.2f %% recalled; noise %g of the keys' rms entry (%.3g), %zu draws, "
           "seed %llu\n",
           100.0 * report->recall, 100.0 * report->error, q->noise.strength, report->deviation, report->draws,
           (unsigned long long)q->noise.seed);
}

/* "3 (france), 7 (japan) and 12 more" */
static void print_missed(const check_request *q, const check_outcome *o) {
    size_t missed = o->report.facts - o->report.recalled, named = 0;
    char text[40];
    if (missed == 0) return;
    printf("  not recalled:");
    for (size_t i = 0; i < o->report.facts && named < NAMED; i++) {
        if (o->recalled[i]) continue;
        const char *label = label_of(&o->labels, (int64_t)i);
        printf("%s %zu", named++ > 0 ? "," : "", i);
        if (label != NULL) fputs(" (", stdout), print_words(label), putchar(')');
    }
    if (missed > NAMED) printf(" and %s more", grouped((double)(missed - NAMED), text));
    if (q->missed != NULL)
        printf("; all of them in %s", q->missed);
    else if (missed > NAMED)
        printf("; --missed FILE lists them all");
    putchar('\n');
}

static int print_table(const command *self, const check_request *q, const check_outcome *o, int exit_code) {
    const ireneo_check_report *report = &o->report;
    char text[40];
    printf("%s of ", grouped((double)report->recalled, text));
    printf("%s facts recalled", grouped((double)report->facts, text));
    if (q->top > 1)
        printf(" among the %zu best%s", q->top, q->stored_for ? ", as the memory was stored for" : "");
    printf("\n  smallest margin %.3e score spreads; %zu close calls decided in float64\n", report->margin,
           report->recomputed);
    print_missed(q, o);
    if (q->noisy) print_noise(q, &o->noise);
    return finish_output(self, exit_code);
}

static int print_report(const command *self, const check_request *q, const check_outcome *o) {
    const ireneo_check_report *report = &o->report;
    int exit_code = report->recalled == report->facts ? EXIT_DONE : EXIT_NO;
    if (!q->json) return print_table(self, q, o, exit_code);
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "facts", report->facts);
    ireneo_json_size(&json, "recalled", report->recalled);
    ireneo_json_size(&json, "top", q->top);
    ireneo_json_number(&json, "margin", report->margin);
    ireneo_json_size(&json, "recomputed", report->recomputed);
    ireneo_json_begin_array(&json, "missed");
    for (size_t i = 0; i < report->facts; i++)
        if (!o->recalled[i]) ireneo_json_size(&json, NULL, i);
    ireneo_json_end_array(&json);
    if (q->noisy) {
        ireneo_json_number(&json, "noise", q->noise.strength);
        ireneo_json_size(&json, "noise_draws", o->noise.draws);
        ireneo_json_size(&json, "seed", q->noise.seed);
        ireneo_json_number(&json, "noise_recall", o->noise.recall);
        ireneo_json_number(&json, "noise_recall_error", o->noise.error);
    }
    add_job(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

/* An index a line, with the name behind a tab when there are names. */
static int save_missed(const command *self, const check_request *q, const check_outcome *o) {
    ireneo_text text;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return complain(self, EXIT_MACHINE, "not enough memory for %s", q->missed);
    for (size_t i = 0; i < o->report.facts; i++) {
        if (o->recalled[i]) continue;
        const char *label = label_of(&o->labels, (int64_t)i);
        fprintf(stream, "%zu%s%s\n", i, label != NULL ? "\t" : "", label != NULL ? label : "");
    }
    int outcome = ireneo_text_close(stream, &text)
                      ? report_error(self, ireneo_save_bytes(q->missed, text.bytes, text.length))
                      : complain(self, EXIT_MACHINE, "not enough memory for %s", q->missed);
    free(text.bytes);
    return outcome;
}

static ireneo_error check_memory(const check_request *q, const ireneo_facts *facts, check_outcome *o) {
    ireneo_memory *memory = NULL;
    ireneo_run_settings settings = {.threads = (int)q->threads, .progress = start_progress()};
    ireneo_error failed = ireneo_ranks_agree(ireneo_ranks_world(), ireneo_memory_load(q->files[0], &memory));
    if (failed == IRENEO_OK)
        failed = ireneo_check_top(memory, facts, q->top, &settings, o->recalled, &o->report);
    if (failed == IRENEO_OK && q->noisy)
        failed = ireneo_check_noise(memory, facts, &q->noise, &settings, &o->noise);
    finish_progress();
    ireneo_memory_free(memory);
    return failed;
}

/* Which facts are recalled, of all ranks, on rank 0. */
static ireneo_error gather_recalled(const facts_files *files, check_outcome *o) {
    void *all = NULL;
    size_t total = 0;
    if (files->facts.holding == NULL) return IRENEO_OK;
    ireneo_error failed =
        ireneo_ranks_gather(files->holding.ranks, 0, o->recalled, files->facts.facts, 1, &all, &total);
    if (failed != IRENEO_OK || !speaks()) return failed;
    free(o->recalled);
    o->recalled = all;
    return IRENEO_OK;
}

/* Rank 0 writes and prints; the others know the answer. */
static int report_check(const command *self, const check_request *q, const check_outcome *o) {
    if (!speaks()) return o->report.recalled == o->report.facts ? EXIT_DONE : EXIT_NO;
    int outcome = q->missed != NULL ? save_missed(self, q, o) : 0;
    return outcome == 0 ? print_report(self, q, o) : outcome;
}

static int check_facts(const command *self, const check_request *q, const facts_files *files) {
    check_outcome o = {0};
    size_t facts = files->facts.facts;
    int outcome =
        q->labels != NULL ? load_labels_of(self, q->labels, count_facts(files), "keys", &o.labels) : 0;
    o.recalled = outcome == 0 ? calloc(facts + 1, 1) : NULL;
    if (outcome == 0 && o.recalled == NULL)
        outcome = complain(self, EXIT_MACHINE, "not enough memory for %zu facts", facts);
    outcome = agree(self, outcome);
    if (outcome == 0) {
        begin_phase("check");
        ireneo_error failed = check_memory(q, &files->facts, &o);
        if (failed == IRENEO_OK) failed = gather_recalled(files, &o);
        end_phases();
        outcome = failed == IRENEO_OK ? report_check(self, q, &o) : report_error(self, failed);
    }
    free_labels(&o.labels);
    free(o.recalled);
    return outcome;
}

static int check_files(const command *self, const check_request *q) {
    const char *const inputs[] = {q->files[0], q->files[1], q->files[2], q->targets, q->residual, q->labels};
    return check_outputs(self, &(output_file){"--missed", q->missed, OUTPUT_LIST, NULL}, 1, inputs,
                         sizeof inputs / sizeof inputs[0]);
}

static int run(const command *self, int argc, char **argv) {
    check_request q = {.noise = {.draws = 10, .seed = 1}};
    option options[] = {
        TEXT("targets", &q.targets, "FILE", "index of each key's value (default: row i to row i)"),
        RESIDUAL(&q.residual),
        TEXT("missed", &q.missed, "FILE", "writes the facts that are not recalled, one a line"),
        TEXT("labels", &q.labels, "FILE", "names of the keys, one a line, for those facts"),
        COUNT("top", &q.top, "K",
              "count facts whose value is among the K best (default: as the memory was stored, mostly 1)", 1,
              256),
        NUMBER("noise", &q.noise.strength, "S",
               "also count from keys with Gaussian noise of standard deviation S times their rms entry", 0,
               1e6),
        COUNT("noise-draws", &q.noise.draws, "R", "with --noise: draws of the noise (default 10)", 1, 1e6),
        SEED("seed", &q.noise.seed, "with --noise: seed of the noise (default 1)"),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 3, 3, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    q.noisy = given(options, "noise");
    if (!q.noisy && (given(options, "noise-draws") || given(options, "seed")))
        return complain(self, EXIT_USAGE, "--noise-draws and --seed only make sense with --noise");
    outcome = speaks() ? check_files(self, &q) : 0;
    if (outcome == 0 && q.top == 0) outcome = find_stored_top(self, q.files[0], &q.top);
    outcome = agree(self, outcome);
    if (outcome != 0) return outcome;
    q.stored_for = !given(options, "top");
    if (q.noisy && q.top > 1)
        return complain(self, EXIT_USAGE, "--noise counts the best answer alone; give --top 1 with it");
    facts_files loaded;
    begin_phase("load");
    outcome = load_facts_held(self, &(facts_names){q.files[1], q.files[2], q.targets, q.residual}, &loaded);
    if (outcome != 0) return outcome;
    catch_interrupts();
    outcome = check_facts(self, &q, &loaded);
    free_facts(&loaded);
    return outcome;
}

const command command_check = {
    "check", "counts the facts that a memory recalls", run, "MEMORY KEYS VALUES",
    "A fact counts when its value's score is strictly above all others, but for K - 1 of them with --top K; "
    "what "
    "float32 cannot decide is computed\n"
    "in float64. Exit code 0: all facts are recalled; 1: not all (noise or not, the keys as they are "
    "decide)."};
