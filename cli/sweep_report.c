/* Tables, JSON and CSV of a sweep. Rows of other shards, which this run did not compute, are left out. */
#include "sweep_report.h"
#include "base/text_stream.h"
#include "job.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_row(const sweep_outcome *o, size_t i) {
    return o->thresholds != NULL ? o->thresholds[i].not_stored > 0 : !isnan(o->results[i].accuracy);
}

static const char *status_of(const trial_result *r) {
    return r->failed ? "failed" : ireneo_status_name(r->status);
}

static const char *rank_text(size_t rank, char buffer[24]) {
    snprintf(buffer, 24, rank > 0 ? "%zu" : "full", rank);
    return buffer;
}

static double law_of(const sweep_outcome *o, size_t i) {
    double law = NAN;
    return ireneo_threshold_law(&o->trials[i], o->own, &law) == IRENEO_OK ? law : NAN;
}

/* The law of row i, when that of the row before is known: the draws of a point have the same. */
static double law_again(const sweep_outcome *o, size_t i, double before) {
    return o->thresholds != NULL && i % o->draws == 0 ? law_of(o, i) : before;
}

static int compare_numbers(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The thresholds of a point's draws. */
typedef struct threshold_summary {
    double mean, error; /* of the draws; the mean's standard error */
    double median;
    size_t least, most; /* the smallest and the largest number that was stored */
    size_t certified, count;
} threshold_summary;

/* Of the draws first .. first + draws - 1; false when none is there. A search that ended within a share counts with
 * the middle of its bracket. */
static bool summarise_thresholds(const sweep_outcome *o, size_t first, threshold_summary *summary) {
    threshold_summary s = {.least = SIZE_MAX};
    double *middles = malloc((o->draws + 1) * sizeof *middles), squares = 0.0;
    if (middles == NULL) return false;
    for (size_t i = first; i < first + o->draws && i < o->count; i++) {
        const threshold *found = &o->thresholds[i];
        if (!has_row(o, i)) continue;
        middles[s.count++] = ireneo_threshold_middle(found);
        s.mean += ireneo_threshold_middle(found);
        if (found->stored < s.least) s.least = found->stored;
        if (found->stored > s.most) s.most = found->stored;
        if (found->certified) s.certified++;
    }
    double count = (double)s.count;
    s.mean /= count;
    for (size_t k = 0; k < s.count; k++) squares += (middles[k] - s.mean) * (middles[k] - s.mean);
    s.error = s.count > 1 ? sqrt(squares / (count * (count - 1.0))) : NAN;
    if (s.count > 0) {
        qsort(middles, s.count, sizeof *middles, compare_numbers);
        s.median = 0.5 * (middles[(s.count - 1) / 2] + middles[s.count / 2]);
    }
    free(middles);
    *summary = s;
    return s.count > 0;
}

/* Share between the largest stored and the smallest impossible number, where it is largest: searches may end wider than
 * was asked for. */
static double widest_bracket(const sweep_outcome *o) {
    double widest = 0.0;
    for (size_t i = 0; i < o->count; i++) {
        const threshold *found = &o->thresholds[i];
        if (has_row(o, i) && found->stored > 0)
            widest = fmax(widest, (double)(found->not_stored - found->stored) / (double)found->stored);
    }
    return widest;
}

/* What a threshold of such trials is. */
static void print_meaning(const sweep_outcome *o, const trial *t) {
    printf("\nmean and its standard error over the draws, mean over law; ");
    if (ireneo_trial_one_pass(t->solver))
        printf("the law is where the rule recalls all facts in half of the draws,\nand a draw's threshold "
               "lies above "
               "it when it does so there: compare the median.\n");
    else if (t->top > 1)
        printf("'stored' is checked by a pass over all candidates;\nthat one fact more was not says nothing "
               "about "
               "other memories, and the law is an upper bound.\n");
    else
        printf("'stored' is checked by a pass over all candidates;\n'certified' counts the draws in which %s "
               "proved "
               "impossible.\n",
               o->within > 0.0 ? "the upper end of the bracket is" : "one fact more is");
    if (o->within > 0.0)
        printf("The mean takes the middle of each bracket; the widest one is %.2g %% wide.\n",
               100.0 * widest_bracket(o));
}

/* What a fact is, where it is not the usual. */
static void print_facts(const trial *t) {
    char rule[TRIAL_RULE_SIZE];
    if (t->targets != IRENEO_TARGETS_EACH)
        printf("\nanswers among %zu values by %s\n", t->candidates, ireneo_trial_targets_text(t, rule));
    if (t->top > 1) printf("\na fact counts when its value is among the %zu best\n", t->top);
}

static void print_thresholds(const sweep_outcome *o) {
    printf("%-10s %5s %5s %5s %9s %9s %7s %8s %9s %13s %10s\n", "problem", "in", "out", "rank", "law", "mean",
           "error", "ratio", "median", "range", "certified");
    for (size_t first = 0; first < o->count; first += o->draws) {
        const trial *t = &o->trials[first];
        double law = law_of(o, first);
        threshold_summary s;
        char range[48], proofs[48], rank[24], error[24] = "-";
        if (!summarise_thresholds(o, first, &s)) continue;
        snprintf(range, sizeof range, "%zu-%zu", s.least, s.most);
        snprintf(proofs, sizeof proofs, "%zu of %zu", s.certified, s.count);
        if (ireneo_trial_one_pass(t->solver) || t->top > 1) snprintf(proofs, sizeof proofs, "-");
        if (s.count > 1) snprintf(error, sizeof error, "%.2f", s.error);
        printf("%-10s %5zu %5zu %5s %9.1f %9.1f %7s %8.4f %9.1f %13s %10s\n",
               ireneo_trial_problem_name(t->problem), t->dim_in, t->dim_out, rank_text(t->rank, rank), law,
               s.mean, error, s.mean / law, s.median, range, proofs);
    }
    print_meaning(o, &o->trials[0]);
}

static void print_points(const sweep_outcome *o) {
    printf("%-10s %-8s %6s %6s %5s %8s %8s %9s %9s %8s %9s\n", "problem", "solver", "in", "out", "rank",
           "facts", "load", "accuracy", "spread", "all", "seconds");
    for (size_t first = 0; first < o->count; first += o->draws) {
        const trial *t = &o->trials[first];
        double sum = 0.0, squares = 0.0, seconds = 0.0, count = 0.0, all = 0.0;
        for (size_t i = first; i < first + o->draws && i < o->count; i++) {
            if (!has_row(o, i)) continue;
            double a = o->results[i].accuracy;
            sum += a, squares += a * a, seconds += o->results[i].seconds, count += 1.0;
            if (o->results[i].recalled == t->facts) all += 1.0;
        }
        if (count == 0.0) continue;
        char rank[24];
        double mean = sum / count, variance = fmax(0.0, squares / count - mean * mean);
        printf("%-10s %-8s %6zu %6zu %5s %8zu %8.4f %9.4f %9.4f %8.2f %9.3f\n",
               ireneo_trial_problem_name(t->problem), ireneo_trial_solver_name(t->solver), t->dim_in,
               t->dim_out, rank_text(t->rank, rank), t->facts, ireneo_trial_load(t), mean, sqrt(variance),
               all / count, seconds / count);
    }
}

void print_sweep_table(const sweep_outcome *outcome) {
    if (outcome->thresholds != NULL)
        print_thresholds(outcome);
    else
        print_points(outcome);
    print_facts(&outcome->trials[0]);
    printf("\nseeds %llu to %llu; rows are kept in %s\n", (unsigned long long)outcome->seed,
           (unsigned long long)(outcome->seed + outcome->draws - 1), outcome->database);
}

static void add_row(ireneo_json *json, const sweep_outcome *o, size_t i, double law) {
    const trial *t = &o->trials[i];
    char rule[TRIAL_RULE_SIZE];
    ireneo_json_begin_object(json, NULL);
    ireneo_json_text(json, "problem", ireneo_trial_problem_name(t->problem));
    ireneo_json_text(json, "solver", ireneo_trial_solver_name(t->solver));
    ireneo_json_size(json, "dim_in", t->dim_in);
    ireneo_json_size(json, "dim_out", t->dim_out);
    ireneo_json_size(json, "rank", t->rank);
    ireneo_json_size(json, "seed", t->seed);
    ireneo_json_text(json, "targets", ireneo_trial_targets_text(t, rule));
    ireneo_json_size(json, "top", t->top > 0 ? t->top : 1);
    if (o->thresholds != NULL) {
        const threshold *found = &o->thresholds[i];
        if (!o->own) ireneo_json_size(json, "candidates", t->candidates);
        ireneo_json_number(json, "law", law);
        ireneo_json_size(json, "stored", found->stored);
        ireneo_json_size(json, "not_stored", found->not_stored);
        ireneo_json_bool(json, "certified", found->certified);
    } else {
        const trial_result *r = &o->results[i];
        ireneo_json_size(json, "facts", t->facts);
        ireneo_json_size(json, "candidates", t->candidates);
        ireneo_json_number(json, "load", ireneo_trial_load(t));
        ireneo_json_text(json, "status", status_of(r));
        ireneo_json_size(json, "recalled", r->recalled);
        ireneo_json_number(json, "accuracy", r->accuracy);
        ireneo_json_number(json, "loss", r->loss);
        ireneo_json_number(json, "margin", r->margin);
        ireneo_json_number(json, "norm_bound", r->norm_bound);
        ireneo_json_size(json, "scans", r->scans);
        ireneo_json_size(json, "iterations", r->iterations);
        ireneo_json_number(json, "seconds", r->seconds);
    }
    ireneo_json_end_object(json);
}

int print_sweep_json(const command *self, const sweep_outcome *outcome) {
    ireneo_json json = {0};
    size_t rows = 0;
    for (size_t i = 0; i < outcome->count; i++)
        if (has_row(outcome, i)) rows++;
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "seed", outcome->seed);
    ireneo_json_size(&json, "trials", rows);
    ireneo_json_size(&json, "failed", outcome->failed);
    ireneo_json_text(&json, "database", outcome->database);
    ireneo_json_begin_array(&json, "rows");
    double law = NAN;
    for (size_t i = 0; i < outcome->count; i++) {
        law = law_again(outcome, i, law);
        if (has_row(outcome, i)) add_row(&json, outcome, i, law);
    }
    ireneo_json_end_array(&json);
    add_job(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static void print_optional(FILE *stream, double value) {
    if (isnan(value))
        fprintf(stream, ",");
    else
        fprintf(stream, ",%.10g", value);
}

static void write_rows(FILE *stream, const sweep_outcome *o) {
    fprintf(stream, o->thresholds != NULL
                        ? "problem,solver,dim_in,dim_out,rank,seed,law,stored,not_stored,certified,targets,"
                          "top,candidates\n"
                        : "problem,solver,dim_in,dim_out,rank,seed,facts,candidates,load,status,recalled,"
                          "accuracy,loss,margin,norm_bound,scans,iterations,seconds,targets,top\n");
    double law = NAN;
    for (size_t i = 0; i < o->count; i++) {
        const trial *t = &o->trials[i];
        char rule[TRIAL_RULE_SIZE];
        law = law_again(o, i, law);
        if (!has_row(o, i)) continue;
        fprintf(stream, "%s,%s,%zu,%zu,%zu,%llu", ireneo_trial_problem_name(t->problem),
                ireneo_trial_solver_name(t->solver), t->dim_in, t->dim_out, t->rank,
                (unsigned long long)t->seed);
        if (o->thresholds != NULL) {
            const threshold *found = &o->thresholds[i];
            fprintf(stream, ",%.10g,%zu,%zu,%d,%s,%zu,%zu\n", law, found->stored, found->not_stored,
                    found->certified ? 1 : 0, ireneo_trial_targets_text(t, rule), t->top > 0 ? t->top : 1,
                    o->own ? (size_t)0 : t->candidates); /* 0: as many as facts */
            continue;
        }
        const trial_result *r = &o->results[i];
        fprintf(stream, ",%zu,%zu,%.10g,%s,%zu,%.10g", t->facts, t->candidates, ireneo_trial_load(t),
                status_of(r), r->recalled, r->accuracy);
        print_optional(stream, r->loss);
        print_optional(stream, r->margin);
        print_optional(stream, r->norm_bound);
        fprintf(stream, ",%zu,%zu,%.6g,%s,%zu\n", r->scans, r->iterations, r->seconds,
                ireneo_trial_targets_text(t, rule), t->top > 0 ? t->top : 1);
    }
}

int write_sweep_csv(const command *self, const sweep_outcome *outcome, const char *path) {
    if (path[0] == '-' && path[1] == '\0') {
        write_rows(stdout, outcome);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_text text;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return complain(self, EXIT_MACHINE, "not enough memory for %s", path);
    write_rows(stream, outcome);
    bool complete = ireneo_text_close(stream, &text);
    ireneo_error failed = complete ? ireneo_save_bytes(path, text.bytes, text.length) : IRENEO_OK;
    free(text.bytes);
    if (!complete) return complain(self, EXIT_MACHINE, "not enough memory for %s", path);
    return failed == IRENEO_OK ? EXIT_DONE : report_error(self, failed);
}
