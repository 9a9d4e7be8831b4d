/* ireneo verify: checks a proof of impossibility. */
#include "base/ranks.h"
#include "commands.h"
#include "facts_files.h"
#include "job.h"

#include <stdio.h>

static int print_report(const command *self, const ireneo_verify_report *report, bool json_wanted) {
    int exit_code = report->accepted ? EXIT_DONE : EXIT_NO;
    if (!json_wanted) {
        print_words(report->sentence); /* it quotes the certificate's reason */
        printf("\n  %zu weights; residual %.2e, rounding counted as %.2e\n", report->weights,
               report->residual, report->rounding_bound);
        return finish_output(self, exit_code);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_bool(&json, "accepted", report->accepted);
    ireneo_json_bool(&json, "exact", report->exact);
    ireneo_json_number(&json, "angular_margin_bound", report->angular_margin_bound);
    ireneo_json_number(&json, "norm_bound", report->norm_bound);
    ireneo_json_size(&json, "weights", report->weights);
    ireneo_json_number(&json, "weight_sum", report->weight_sum);
    ireneo_json_number(&json, "residual", report->residual);
    ireneo_json_number(&json, "rounding_bound", report->rounding_bound);
    ireneo_json_text(&json, "sentence", report->sentence);
    add_job(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

static int run(const command *self, int argc, char **argv) {
    const char *files[3] = {NULL}, *targets = NULL, *residual = NULL;
    size_t threads = 0;
    bool json = false, exact = false;
    option options[] = {
        TEXT("targets", &targets, "FILE", "index of each key's value (default: row i to row i)"),
        RESIDUAL(&residual),
        FLAG("exact", &exact, "prove that no real matrix does it, also above 2500 entries of W"),
        THREADS(&threads),
        FLAG("json", &json, "machine-readable report; an infinite norm_bound is null"),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, files, 3, 3, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    ireneo_certificate *certificate = NULL;
    begin_phase("load");
    ireneo_error failed =
        ireneo_ranks_agree(ireneo_ranks_world(), ireneo_certificate_load(files[0], &certificate));
    if (failed != IRENEO_OK) {
        ireneo_certificate_free(certificate);
        return report_error(self, failed);
    }
    facts_files loaded;
    outcome = load_facts_held(self, &(facts_names){files[1], files[2], targets, residual}, &loaded);
    if (outcome == 0) {
        ireneo_verify_report report;
        ireneo_verify_settings settings = {
            .threads = (int)threads, .exact = exact, .progress = start_progress()};
        begin_phase("verify");
        failed = ireneo_verify(certificate, &loaded.facts, &settings, &report);
        finish_progress();
        end_phases();
        outcome = failed == IRENEO_OK ? print_report(self, &report, json) : report_error(self, failed);
        free_facts(&loaded);
    }
    ireneo_certificate_free(certificate);
    return outcome;
}

const command command_verify = {"verify", "checks a proof that facts do not fit", run,
                                "CERTIFICATE KEYS VALUES",
                                "Exit code 0: accepted; 1: rejected. The check shares no code with the "
                                "solver; it sums the pairs anew from the\n"
                                "files and counts every rounding error against the certificate. Up to 2500 "
                                "entries of W it also shows that no\n"
                                "real matrix at all recalls the facts."};
