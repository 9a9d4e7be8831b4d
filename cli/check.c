/* ireneo check: how many facts does a memory recall? */
#include "commands.h"
#include "facts_files.h"

#include <stdio.h>

typedef struct check_request {
    const char *files[3], *targets;
    size_t threads;
    ireneo_noise noise;
    bool json, noisy;
} check_request;

static void print_noise(const check_request *q, const ireneo_noise_report *report) {
    printf("  from noisy keys %.2f +- %.2f %% recalled; noise %g of the keys' rms entry (%.3g), %zu draws, "
           "seed %llu\n",
           100.0 * report->recall, 100.0 * report->error, q->noise.strength, report->deviation, report->draws,
           (unsigned long long)q->noise.seed);
}

static int print_report(const command *self, const check_request *q, const ireneo_check_report *report,
                        const ireneo_noise_report *noise) {
    int exit_code = report->recalled == report->facts ? EXIT_DONE : EXIT_NO;
    char text[40];
    if (!q->json) {
        printf("%s of ", grouped((double)report->recalled, text));
        printf("%s facts recalled\n", grouped((double)report->facts, text));
        printf("  smallest margin %.3e score spreads; %zu close calls decided in float64\n", report->margin,
               report->recomputed);
        if (q->noisy) print_noise(q, noise);
        return finish_output(self, exit_code);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "facts", report->facts);
    ireneo_json_size(&json, "recalled", report->recalled);
    ireneo_json_number(&json, "margin", report->margin);
    ireneo_json_size(&json, "recomputed", report->recomputed);
    if (q->noisy) {
        ireneo_json_number(&json, "noise", q->noise.strength);
        ireneo_json_size(&json, "noise_draws", noise->draws);
        ireneo_json_size(&json, "seed", q->noise.seed);
        ireneo_json_number(&json, "noise_recall", noise->recall);
        ireneo_json_number(&json, "noise_recall_error", noise->error);
    }
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

static int check_memory(const command *self, const check_request *q, const ireneo_facts *facts) {
    ireneo_memory *memory = NULL;
    ireneo_check_report report;
    ireneo_noise_report noise = {0};
    ireneo_progress *progress = start_progress();
    ireneo_error failed = ireneo_memory_load(q->files[0], &memory);
    if (failed == IRENEO_OK)
        failed = ireneo_check(memory, facts,
                              &(ireneo_run_settings){.threads = (int)q->threads, .progress = progress}, NULL,
                              &report);
    if (failed == IRENEO_OK && q->noisy)
        failed = ireneo_check_noise(memory, facts, &q->noise,
                                    &(ireneo_run_settings){.threads = (int)q->threads, .progress = progress},
                                    &noise);
    finish_progress();
    ireneo_memory_free(memory);
    return failed == IRENEO_OK ? print_report(self, q, &report, &noise) : report_error(self, failed);
}

static int run(const command *self, int argc, char **argv) {
    check_request q = {.noise = {.draws = 10, .seed = 1}};
    option options[] = {
        TEXT("targets", &q.targets, "FILE", "index of each key's value (default: row i to row i)"),
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
    facts_files loaded;
    outcome = load_facts(self, q.files[1], q.files[2], q.targets, &loaded);
    if (outcome != 0) return outcome;
    catch_interrupts();
    outcome = check_memory(self, &q, &loaded.facts);
    free_facts(&loaded);
    return outcome;
}

const command command_check = {
    "check", "counts the facts that a memory recalls", run, "MEMORY KEYS VALUES",
    "A fact counts when its value's score is strictly above all others; what "
    "float32 cannot decide is computed\n"
    "in float64. Exit code 0: all facts are recalled; 1: not all (noise or not, the keys as they are "
    "decide)."};
