/* ireneo dense audit: what a memory of given patterns does. */
#include "dense_audit.h"
#include "commands.h"
#include "matrix_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int choose_preparation(const command *self, const preparation_flags *flags,
                       ireneo_dense_preparation *preparation) {
    if (flags->normalise + flags->whiten + flags->raw > 1)
        return complain(self, EXIT_USAGE, "give one of --normalise, --whiten and --raw");
    *preparation = flags->whiten ? IRENEO_DENSE_PREPARATION_WHITENED
                   : flags->raw  ? IRENEO_DENSE_PREPARATION_RAW
                                 : IRENEO_DENSE_PREPARATION_NORMALISED;
    return 0;
}

/* ---- the report ---- */

static double degrees(double radian) {
    return radian * 180.0 / M_PI;
}

static void print_named(const label_file *labels, size_t index) {
    const char *label = label_of(labels, (int64_t)index);
    if (label != NULL)
        print_words(label);
    else
        printf("%zu", index);
}

static void print_neighbours(const ireneo_dense_audit_report *r, const label_file *labels) {
    if (isnan(r->nearest_least)) return;
    printf("  the nearest other pattern is %.1f degrees away (median); the closest pair, ",
           degrees(r->nearest_median));
    print_named(labels, r->nearest_pair[0]);
    printf(" and ");
    print_named(labels, r->nearest_pair[1]);
    printf(", %.1f\n", degrees(r->nearest_least));
}

static void print_lengths(ireneo_dense_preparation preparation, const ireneo_dense_audit_report *r) {
    double factor = r->longest_pattern / r->shortest_pattern;
    if (preparation != IRENEO_DENSE_PREPARATION_RAW || factor < 1.1) return;
    printf("  lengths differ by a factor %.1f and long patterns swallow short ones: leave --raw out\n",
           factor);
}

void print_audit(ireneo_dense_preparation preparation, const ireneo_dense_audit_report *r,
                 const label_file *labels) {
    char text[40];
    printf("these patterns, %s", ireneo_dense_preparation_name(preparation));
    if (r->audited < r->patterns) {
        printf(" (%s of", grouped((double)r->audited, text));
        printf(" %s looked at)", grouped((double)r->patterns, text));
    } else {
        printf(" (all %s looked at)", grouped((double)r->patterns, text));
    }
    printf(":\n  %.1f %% stay put\n", 100.0 * r->stay);
    print_lengths(preparation, r);
    print_neighbours(r, labels);
    if (r->staying == 0) return;
    if (r->stay < 0.99) printf("  from a pattern that stays put,\n");
    printf("  a query may be %.1f degrees away in a random direction (%.1f %% come back),\n",
           degrees(r->random_angle), 100.0 * r->random_share);
    printf("  and %.1f degrees in the worst, towards the nearest pattern (median; the least is %.1f)\n",
           degrees(r->worst_median), degrees(r->worst_least));
}

void write_audit(ireneo_json *json, const ireneo_dense_audit_report *r) {
    ireneo_json_size(json, "patterns", r->patterns);
    ireneo_json_size(json, "audited", r->audited);
    ireneo_json_number(json, "lambda", r->lambda);
    ireneo_json_size(json, "staying", r->staying);
    ireneo_json_number(json, "stay", r->stay);
    ireneo_json_number(json, "nearest_least", r->nearest_least);
    ireneo_json_number(json, "nearest_median", r->nearest_median);
    ireneo_json_begin_array(json, "nearest_pair");
    for (int k = 0; k < 2 && !isnan(r->nearest_least); k++) ireneo_json_size(json, NULL, r->nearest_pair[k]);
    ireneo_json_end_array(json);
    ireneo_json_number(json, "random_angle", r->random_angle);
    ireneo_json_number(json, "random_share", r->random_share);
    ireneo_json_number(json, "worst_least", r->worst_least);
    ireneo_json_number(json, "worst_median", r->worst_median);
    ireneo_json_number(json, "shortest_pattern", r->shortest_pattern);
    ireneo_json_number(json, "longest_pattern", r->longest_pattern);
    ireneo_json_number(json, "seconds", r->seconds);
}

/* ---- the command ---- */

typedef struct audit_question {
    ireneo_dense_audit_settings settings;
    preparation_flags prepare;
    const char *rule, *labels;
    size_t threads;
    bool json;
} audit_question;

static int audit(const command *self, audit_question *q, const char *path, label_file *labels) {
    float *patterns;
    size_t count, neurons;
    ireneo_dense_audit_report report;
    ireneo_error failed = load_matrix(self, path, &patterns, &count, &neurons);
    if (failed != IRENEO_OK) return report_error(self, failed);
    int outcome = 0;
    if (q->labels != NULL && labels->count != count)
        outcome =
            complain(self, EXIT_DATA, "%s has %zu lines for %zu patterns; one label a pattern is needed",
                     q->labels, labels->count, count);
    if (outcome == 0) {
        catch_interrupts();
        q->settings.progress = start_progress();
        failed = ireneo_dense_audit(patterns, count, neurons, &q->settings, &report);
        finish_progress();
        if (failed != IRENEO_OK) outcome = report_error(self, failed);
    }
    ireneo_free(patterns);
    if (outcome != 0) return outcome;
    if (!q->json) {
        print_audit(q->settings.preparation, &report, labels);
        if (!isnan(report.lambda)) printf("  lambda %.6g; %.3g s\n", report.lambda, report.seconds);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "preparation", ireneo_dense_preparation_name(q->settings.preparation));
    write_audit(&json, &report);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    audit_question q = {.rule = "softmax"};
    const char *path = NULL;
    size_t degree = 0;
    option options[] = {
        CHOICE("rule", &q.rule, "softmax|polynomial|sign", "how scores become weights (default softmax)"),
        NUMBER("lambda", &q.settings.lambda, "L",
               "inverse temperature of softmax (default: that of dense recall)", 1e-9, 1e30),
        COUNT("degree", &degree, "N", "degree of the polynomial rule (default 4)", 2, 1000),
        PREPARATIONS(&q.prepare),
        COUNT("sample", &q.settings.sample, "S", "patterns that are looked at (default: by size)", 1, 1e12),
        SEED("seed", &q.settings.seed, "seed of the sample and of random directions (default 1)"),
        TEXT("labels", &q.labels, "FILE", "names of the patterns, one a line"),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, &path, 1, 1, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = choose_preparation(self, &q.prepare, &q.settings.preparation);
    if (outcome != 0) return outcome;
    if (strcmp(q.rule, "polynomial") == 0) q.settings.rule = IRENEO_DENSE_RULE_POLYNOMIAL;
    if (strcmp(q.rule, "sign") == 0) q.settings.rule = IRENEO_DENSE_RULE_SIGN;
    if (given(options, "lambda") && q.settings.rule != IRENEO_DENSE_RULE_SOFTMAX)
        return complain(self, EXIT_USAGE, "--lambda belongs to the rule softmax, not to %s", q.rule);
    if (given(options, "degree") && q.settings.rule != IRENEO_DENSE_RULE_POLYNOMIAL)
        return complain(self, EXIT_USAGE, "--degree belongs to the rule polynomial, not to %s", q.rule);
    q.settings.degree = (int)degree;
    q.settings.threads = (int)q.threads;
    label_file labels = {0};
    if (q.labels != NULL) outcome = load_labels(self, q.labels, &labels);
    if (outcome == 0) outcome = audit(self, &q, path, &labels);
    free_labels(&labels);
    return outcome;
}

const command command_dense_audit = {"dense audit", "what a memory of these patterns does", run, "PATTERNS",
                                     "Looks at PATTERNS (P, N) one by one, or at a sample of them: which "
                                     "share stays put, how near the nearest\n"
                                     "neighbours are, and how far a query may be from its pattern, off in a "
                                     "random direction and in the worst."};
