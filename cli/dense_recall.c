/* ireneo dense recall: from queries to stored patterns. */
#include "commands.h"
#include "dense_audit.h"
#include "dense_names.h"
#include "folder.h"
#include "labels.h"
#include "matrix_files.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recall_question {
    ireneo_dense_recall_settings settings;
    const char *rule, *output, *labels;
    size_t degree, threads, sample;
    preparation_flags prepare;
    bool unaudited, json;
} recall_question;

typedef struct recall_data {
    float *patterns, *queries; /* (count, neurons), (query_count, neurons) */
    size_t count, query_count, neurons;
    label_file labels; /* (count) or none */
    ireneo_dense_recall_result result;
    ireneo_dense_recall_info info;
    ireneo_dense_audit_report audit; /* of these patterns; audited 0: none was asked for */
} recall_data;

static void free_data(recall_data *d) {
    ireneo_free(d->patterns);
    ireneo_free(d->queries);
    free_labels(&d->labels);
    free(d->result.states);
    free(d->result.verdict);
    free(d->result.energy_before);
    free(d->result.energy_after);
    free(d->result.steps);
    free(d->result.change);
    free(d->result.converged);
    free(d->result.top_index);
    free(d->result.top_weight);
}

/* ---- input ---- */

static int load_arrays(const command *self, const char *patterns, const char *queries, recall_data *d) {
    size_t width;
    ireneo_error failed = load_matrix(self, patterns, &d->patterns, &d->count, &d->neurons);
    if (failed == IRENEO_OK) failed = load_queries(self, queries, &d->queries, &d->query_count, &width);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (width != d->neurons)
        return complain(self, EXIT_DATA, "%s has %zu columns and %s has %zu; they must agree", patterns,
                        d->neurons, queries, width);
    return 0;
}

static int make_room(const command *self, const recall_question *q, recall_data *d) {
    size_t queries = d->query_count, top = q->settings.top;
    ireneo_dense_recall_result *r = &d->result;
    r->states = calloc(queries, d->neurons * sizeof *r->states);
    r->verdict = calloc(queries, 1);
    r->energy_before = calloc(queries, sizeof *r->energy_before);
    r->energy_after = calloc(queries, sizeof *r->energy_after);
    r->steps = calloc(queries, sizeof *r->steps);
    r->change = calloc(queries, sizeof *r->change);
    r->converged = calloc(queries, 1);
    r->top_index = calloc(queries, top * sizeof *r->top_index);
    r->top_weight = calloc(queries, top * sizeof *r->top_weight);
    if (r->states == NULL || r->verdict == NULL || r->energy_before == NULL || r->energy_after == NULL ||
        r->steps == NULL || r->change == NULL || r->converged == NULL || r->top_index == NULL ||
        r->top_weight == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory for the results of %zu queries", queries);
    return 0;
}

/* ---- what the theory says about random patterns of this size ---- */

/* lambda acts on x.xi; for patterns of length r sqrt(N) it is r^2 lambda in units of the theory. */
static bool ask_theory(const recall_question *q, const recall_data *d, ireneo_dense_basins_report *report) {
    if (q->settings.rule != IRENEO_DENSE_RULE_SOFTMAX || d->count < 2 || d->neurons < 2) return false;
    double scaled = d->info.lambda * d->info.pattern_power;
    ireneo_dense_point point = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL,
                                .lambda = fmin(1e9, fmax(1e-9, scaled)),
                                .neurons = (double)d->neurons,
                                .patterns = (double)d->count};
    return ireneo_dense_basins(&point, report) == IRENEO_OK;
}

/* ---- output ---- */

/* Angle between a query and where it went, in radian; only where both are in the coordinates of the file. */
static double angle_moved(const recall_data *d, size_t query) {
    const float *a = d->queries + query * d->neurons, *b = d->result.states + query * d->neurons;
    double inner = 0.0, left = 0.0, right = 0.0;
    for (size_t i = 0; i < d->neurons; i++) {
        inner += (double)a[i] * (double)b[i];
        left += (double)a[i] * (double)a[i];
        right += (double)b[i] * (double)b[i];
    }
    return acos(fmin(1.0, fmax(-1.0, inner / sqrt(left * right))));
}

static const char *verdict_on(const recall_data *d, size_t query) {
    return ireneo_dense_verdict_name((ireneo_dense_verdict)d->result.verdict[query]);
}

/* The answer first, energies last. */
static void print_query(const recall_question *q, const recall_data *d, size_t query) {
    const ireneo_dense_recall_result *r = &d->result;
    printf("query %zu:", query);
    for (size_t k = 0; k < q->settings.top; k++) {
        size_t index = r->top_index[query * q->settings.top + k];
        if (index == SIZE_MAX) break;
        printf("%s %zu", k == 0 ? "" : ",", index);
        if (d->labels.count > 0) putchar(' '), print_words(d->labels.lines[index]);
        printf(" (%.4g)", r->top_weight[query * q->settings.top + k]);
    }
    printf("%s %s; %zu step%s%s", q->settings.top > 0 ? ":" : "", verdict_on(d, query), r->steps[query],
           r->steps[query] == 1 ? "" : "s", r->converged[query] ? "" : " (not converged)");
    if (q->settings.preparation != IRENEO_DENSE_PREPARATION_WHITENED)
        printf(", moved %.4f rad", angle_moved(d, query));
    printf(", energy %.6g to %.6g\n", r->energy_before[query], r->energy_after[query]);
}

static void print_theory(const recall_data *d, const ireneo_dense_basins_report *t) {
    char text[40];
    printf("\nfor comparison, random patterns of this size (N = %zu, P = %s, lambda |xi|^2/N = %.4g):\n",
           d->neurons, grouped((double)d->count, text), t->lambda);
    printf("  loaded to %.1f %% of what this lambda can hold", 100.0 * t->fraction_of_capacity);
    if (t->retrieved)
        printf("; a query may be %.1f degrees away in a random direction\n", t->theta_c * 180.0 / M_PI);
    else
        printf("; nothing would be retrieved: lambda |xi|^2/N must be above %.4g\n", t->lambda_c);
}

static int print_text(const command *self, const recall_question *q, const recall_data *d) {
    char text[40];
    for (size_t i = 0; i < d->query_count; i++) print_query(q, d, i);
    printf("\n%s retrieved,", grouped((double)d->info.retrieved, text));
    printf(" %s mixture%s,", grouped((double)d->info.mixtures, text), d->info.mixtures == 1 ? "" : "s");
    printf(" %s lost;", grouped((double)d->info.lost, text));
    printf(" %s of", grouped((double)d->info.converged, text));
    printf(" %s queries converged; longest %zu step%s; rule %s", grouped((double)d->query_count, text),
           d->info.longest, d->info.longest == 1 ? "" : "s", q->rule);
    if (q->settings.rule == IRENEO_DENSE_RULE_SOFTMAX) printf(", lambda %.6g", d->info.lambda);
    if (q->settings.rule == IRENEO_DENSE_RULE_POLYNOMIAL)
        printf(", degree %d", q->settings.degree > 0 ? q->settings.degree : 4);
    printf("; %.3g s\n", d->info.seconds);
    if (d->audit.audited > 0) {
        putchar('\n');
        print_audit(q->settings.preparation, &d->audit, &d->labels);
    }
    ireneo_dense_basins_report theory;
    if (ask_theory(q, d, &theory)) print_theory(d, &theory);
    if (q->settings.rule == IRENEO_DENSE_RULE_SIGN)
        printf("\nload P / N = %.4g; the classical rule holds up to 0.138 random binary patterns a neuron\n",
               (double)d->count / (double)d->neurons);
    return finish_output(self, EXIT_DONE);
}

static void write_query(ireneo_json *json, const recall_question *q, const recall_data *d, size_t query) {
    const ireneo_dense_recall_result *r = &d->result;
    ireneo_json_begin_object(json, NULL);
    ireneo_json_size(json, "query", query);
    ireneo_json_text(json, "verdict", verdict_on(d, query));
    ireneo_json_size(json, "steps", r->steps[query]);
    ireneo_json_bool(json, "converged", r->converged[query] != 0);
    ireneo_json_number(json, "change", r->change[query]);
    ireneo_json_number(json, "energy_before", r->energy_before[query]);
    ireneo_json_number(json, "energy", r->energy_after[query]);
    if (q->settings.preparation != IRENEO_DENSE_PREPARATION_WHITENED)
        ireneo_json_number(json, "angle_moved", angle_moved(d, query));
    ireneo_json_begin_array(json, "answers");
    for (size_t k = 0; k < q->settings.top; k++) {
        size_t index = r->top_index[query * q->settings.top + k];
        if (index == SIZE_MAX) break;
        ireneo_json_begin_object(json, NULL);
        ireneo_json_size(json, "index", index);
        if (d->labels.count > 0) ireneo_json_text(json, "label", d->labels.lines[index]);
        ireneo_json_number(json, "weight", r->top_weight[query * q->settings.top + k]);
        ireneo_json_end_object(json);
    }
    ireneo_json_end_array(json);
    ireneo_json_end_object(json);
}

static void write_summary(ireneo_json *json, const recall_question *q, const recall_data *d) {
    ireneo_dense_basins_report t;
    ireneo_json_begin_object(json, NULL);
    ireneo_json_text(json, "rule", q->rule);
    if (q->settings.rule == IRENEO_DENSE_RULE_SOFTMAX) ireneo_json_number(json, "lambda", d->info.lambda);
    if (q->settings.rule == IRENEO_DENSE_RULE_POLYNOMIAL)
        ireneo_json_size(json, "degree", q->settings.degree > 0 ? (uint64_t)q->settings.degree : 4);
    ireneo_json_text(json, "preparation", ireneo_dense_preparation_name(q->settings.preparation));
    ireneo_json_size(json, "neurons", d->neurons);
    ireneo_json_size(json, "patterns", d->count);
    ireneo_json_size(json, "queries", d->query_count);
    ireneo_json_size(json, "converged", d->info.converged);
    ireneo_json_size(json, "retrieved", d->info.retrieved);
    ireneo_json_size(json, "mixtures", d->info.mixtures);
    ireneo_json_size(json, "lost", d->info.lost);
    ireneo_json_size(json, "longest", d->info.longest);
    ireneo_json_number(json, "pattern_power", d->info.pattern_power);
    ireneo_json_number(json, "seconds", d->info.seconds);
    if (ask_theory(q, d, &t)) {
        ireneo_json_number(json, "alpha", t.alpha);
        ireneo_json_number(json, "fraction_of_capacity", t.fraction_of_capacity);
        ireneo_json_number(json, "theta_c", t.theta_c);
        ireneo_json_number(json, "theta_star", t.theta_star);
        ireneo_json_number(json, "lambda_c", t.lambda_c / d->info.pattern_power);
        ireneo_json_number(json, "lambda_star", t.lambda_star / d->info.pattern_power);
    }
    if (d->audit.audited > 0) {
        ireneo_json_begin_object(json, "audit");
        write_audit(json, &d->audit);
        ireneo_json_end_object(json);
    }
    ireneo_json_end_object(json);
}

/* One object a query, then one about all of them, each on its own line. */
static int print_lines(const command *self, const recall_question *q, const recall_data *d) {
    for (size_t i = 0; i <= d->query_count; i++) {
        ireneo_json json = {0};
        if (i < d->query_count)
            write_query(&json, q, d, i);
        else
            write_summary(&json, q, d);
        int outcome = print_json(self, &json, EXIT_DONE);
        if (outcome != EXIT_DONE) return outcome;
    }
    return EXIT_DONE;
}

/* ---- the command ---- */

/* The same memory, looked at: with the lambda that the recall used. */
static ireneo_error audit(const recall_question *q, recall_data *d) {
    ireneo_dense_audit_settings settings = {.rule = q->settings.rule,
                                            .preparation = q->settings.preparation,
                                            .degree = q->settings.degree,
                                            .sample = q->sample,
                                            .threads = q->settings.threads,
                                            .progress = q->settings.progress};
    if (q->settings.rule == IRENEO_DENSE_RULE_SOFTMAX) settings.lambda = d->info.lambda;
    return ireneo_dense_audit(d->patterns, d->count, d->neurons, &settings, &d->audit);
}

static int recall(const command *self, recall_question *q, const char *const *files, recall_data *d) {
    int outcome = load_arrays(self, files[0], files[1], d);
    if (outcome == 0 && q->labels != NULL)
        outcome = load_labels_of(self, q->labels, d->count, "patterns", &d->labels);
    if (outcome == 0) outcome = make_room(self, q, d);
    if (outcome != 0) return outcome;
    catch_interrupts();
    q->settings.progress = start_progress();
    ireneo_error failed = ireneo_dense_recall(d->patterns, d->count, d->neurons, d->queries, d->query_count,
                                              &q->settings, &d->result, &d->info);
    if (failed == IRENEO_OK && !q->unaudited) failed = audit(q, d);
    finish_progress();
    if (failed == IRENEO_OK && q->output != NULL) {
        const size_t shape[2] = {d->query_count, d->neurons};
        failed = ireneo_save_npy(q->output, IRENEO_DTYPE_FLOAT32, 2, shape, d->result.states);
    }
    if (failed != IRENEO_OK) return report_error(self, failed);
    return q->json ? print_lines(self, q, d) : print_text(self, q, d);
}

/* Options that contradict each other; words to enumerations. */
static int complete(const command *self, recall_question *q, const option *options) {
    bool lambda_given = given(options, "lambda");
    if (lambda_given && !(q->settings.lambda > 0.0))
        return complain(self, EXIT_USAGE, "--lambda must be above 0, not %g", q->settings.lambda);
    if (strcmp(q->rule, "polynomial") == 0) q->settings.rule = IRENEO_DENSE_RULE_POLYNOMIAL;
    if (strcmp(q->rule, "sign") == 0) q->settings.rule = IRENEO_DENSE_RULE_SIGN;
    if (lambda_given && q->settings.rule != IRENEO_DENSE_RULE_SOFTMAX)
        return complain(self, EXIT_USAGE, "--lambda belongs to the rule softmax, not to %s", q->rule);
    if (given(options, "degree") && q->settings.rule != IRENEO_DENSE_RULE_POLYNOMIAL)
        return complain(self, EXIT_USAGE, "--degree belongs to the rule polynomial, not to %s", q->rule);
    if (q->unaudited && given(options, "sample"))
        return complain(self, EXIT_USAGE, "--sample belongs to the audit; leave --no-audit or --sample out");
    q->settings.unaudited = q->unaudited;
    q->settings.degree = (int)q->degree;
    q->settings.threads = (int)q->threads;
    q->settings.look = given(options, "steps") && q->settings.steps == 0;
    if (given(options, "tolerance") && q->settings.tolerance == 0.0)
        q->settings.tolerance = -1.0; /* 0 would be the default */
    return choose_preparation(self, &q->prepare, &q->settings.preparation);
}

static int run(const command *self, int argc, char **argv) {
    recall_question q = {.settings = {.top = 1}, .rule = "softmax"};
    const char *files[2] = {NULL, NULL};
    option options[] = {
        TEXT("o", &q.output, "OUT.npy", "write where the queries went"),
        CHOICE("rule", &q.rule, "softmax|polynomial|sign", "how scores become weights (default softmax)"),
        NUMBER("lambda", &q.settings.lambda, "L",
               "inverse temperature of softmax (default: widest basins, patterns stay put)", -INFINITY,
               INFINITY),
        COUNT("degree", &q.degree, "N", "degree of the polynomial rule (default 4)", 2, 1000),
        COUNT("steps", &q.settings.steps, "S", "most steps; 0 only looks (default 100)", 0, 1e9),
        NUMBER("tolerance", &q.settings.tolerance, "T", "converged when a step is shorter (default 1e-5)", 0,
               1),
        COUNT("top", &q.settings.top, "K", "patterns named for each query (default 1)", 0, 1e6),
        TEXT("labels", &q.labels, "FILE", "names of the patterns, one a line"),
        PREPARATIONS(&q.prepare),
        COUNT("sample", &q.sample, "S", "patterns that the audit looks at (default: by size)", 1, 1e12),
        FLAG("no-audit", &q.unaudited, "lambda by theory alone, no report about these patterns"),
        THREADS(&q.threads),
        FLAG("json", &q.json, "one JSON object a query, then one about all"),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, files, 2, 2, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = complete(self, &q, options);
    if (outcome == 0)
        outcome = check_outputs(self, &(output_file){"-o", q.output, OUTPUT_ARRAY, NULL}, 1,
                                (const char *const[]){files[0], files[1], q.labels}, 3);
    if (outcome != 0) return outcome;
    recall_data data = {0};
    outcome = recall(self, &q, files, &data);
    free_data(&data);
    return outcome;
}

const command command_dense_recall = {"dense recall", "retrieve stored patterns from queries", run,
                                      "PATTERNS QUERIES",
                                      "PATTERNS (P, N) and QUERIES (Q, N) are .npy or .safetensors. softmax: "
                                      "x <- sum a xi, a = softmax(lambda x.xi);\n"
                                      "polynomial: a ~ (x.xi)^(degree-1) for positive overlaps; sign: "
                                      "Hopfield's classical rule. The weights that\n"
                                      "are printed are those of the last step. A query is retrieved (it "
                                      "stands at one pattern), a mixture (between\n"
                                      "few) or lost. Below the answers stands what the memory of these "
                                      "patterns does, and what random ones would."};
