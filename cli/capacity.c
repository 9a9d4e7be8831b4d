/* ireneo capacity: how many facts fit. */
#include "commands.h"
#include "report.h"
#include "target_frequencies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct capacity_question {
    ireneo_shape shape;
    const char *problem, *targets;
    bool free_entropy;
    double *frequencies; /* of targets, from a file */
    size_t dim, top;
    double for_facts;
    bool json;
} capacity_question;

/* What the law says about the facts asked about: they fit, or do not, or it is a matter of luck. */
static const double SURE = 0.95;   /* chance from which on facts fit, and 1 - that up to which they do not */
static const double SELDOM = 1e-6; /* chance that is not worth a line */

typedef struct capacity_answer {
    ireneo_capacity_report report;
    double best_margin;  /* NAN: no facts were asked about */
    double kept;         /* of the facts asked about, by --overload */
    size_t dim_needed;   /* smallest square memory that holds them, of the same rank if one was given */
    size_t rank_needed;  /* smallest rank of this shape that does; 0: none */
    const char *verdict; /* "fit", "may fit", "do not fit"; NULL: no facts were asked about */
    size_t top;          /* best answers that count; 0 or 1: the best alone */
    double top_facts;    /* that fit so, at most */
    bool has_volume;     /* of the memories that recall the facts asked about */
    ireneo_free_entropy_report volume;
} capacity_answer;

static void print_table(const ireneo_shape *shape, const ireneo_capacity_report *r) {
    char text[40];
    printf("A %zu x %zu memory", shape->dim_out, shape->dim_in);
    if (shape->rank > 0) printf(" of rank %zu", shape->rank);
    bool own = shape->facts > 0.0 && shape->candidates == 0.0;
    printf(" choosing among %s candidates", grouped(own ? shape->facts : r->candidates, text));
    if (shape->candidates == 0.0) printf(" (one per fact)");
    printf("\n\n");
    printf("  facts that fit              %12s   finite-size law%s\n", grouped(r->facts_capacity, text),
           shape->margin > 0.0 ? ", with the margin asked for" : "");
    if (shape->problem == IRENEO_PROBLEM_ORIGINAL)
        printf("  with candidates of their own%12s   the same if facts shared none\n",
               grouped(r->facts_capacity_decoupled, text));
    if (r->hull_probability > SELDOM)
        printf("  targets that can never win  %11.2g%%   they lie in the hull of the other values\n",
               100.0 * r->hull_probability);
    printf("  limit formula               %12s   n log P = %s / 2\n",
           grouped(r->facts_capacity_asymptotic, text), shape->rank > 0 ? "D" : "d_in d_out");
    if (shape->rank == 0) {
        printf("  Hebbian rule                %12s   in half of all draws;",
               grouped(r->facts_hebbian_half, text));
        printf(" its limit formula, / 8: %s\n", grouped(r->facts_capacity_hebbian, text));
    }
    printf("  bits per parameter          %12.3f   at capacity, %s parameters\n", r->bits_per_parameter,
           grouped(r->parameters, text));
    printf("  load  n log P / (d_in d_out)%12.4f   %s\n", r->load,
           shape->facts > 0.0 ? "of the facts asked about" : "at capacity");
}

static void print_needs(const ireneo_shape *shape, const capacity_answer *a) {
    char text[40];
    if (a->rank_needed > 0 && shape->rank > 0)
        printf("  rank that holds them        %12s   of this shape\n", grouped((double)a->rank_needed, text));
    if (a->verdict[0] == 'f') return;
    if (a->dim_needed > 0)
        printf("  dimension that holds them   %12s   square, %s, with %.0f %% chance\n",
               grouped((double)a->dim_needed, text), shape->rank > 0 ? "of this rank" : "full", 100.0 * SURE);
    if (a->kept < shape->facts)
        printf("  store --overload would keep %12s   of them, about\n", grouped(a->kept, text));
}

static void print_facts(const ireneo_shape *shape, const capacity_answer *a) {
    const ireneo_capacity_report *r = &a->report;
    char text[40];
    printf("\n  %s facts %s: they are %.1f %% of capacity\n", grouped(shape->facts, text), a->verdict,
           100.0 * r->fraction_of_capacity);
    printf("  chance that all of them fit %12.4g\n", r->probability_all_fit);
    print_needs(shape, a);
    if (shape->rank == 0)
        printf("  the Hebbian rule would recall %8.1f %% of them\n", 100.0 * r->hebbian_accuracy);
    if (a->best_margin > 0.0 && isfinite(a->best_margin))
        printf("  best margin                 %12.4f   score spreads (asymptotic law)\n", a->best_margin);
}

static void print_top(const ireneo_shape *shape, const capacity_answer *a) {
    char text[40];
    printf("  among the %3zu best          %12s   at most: facts whose value is one of those", a->top,
           grouped(a->top_facts, text));
    if (shape->facts > 0.0) printf("; asked about: %.1f %%", 100.0 * shape->facts / a->top_facts);
    putchar('\n');
}

static void print_volume(const ireneo_free_entropy_report *v) {
    if (isinf(v->entropy)) {
        printf("  volume of solutions                 0   none is left, by the decoupled law\n");
        return;
    }
    printf("  volume of solutions         %12.4f   log(volume) / (d_in d_out), error %.1g\n", v->entropy,
           v->entropy_error);
    printf("  overlap of two solutions    %12.4f   typically, error %.1g\n", v->overlap, v->overlap_error);
    printf("  their singular values  %8.4f to %.4f   where their mean square is 1, zeros counted\n",
           v->singular_low, v->singular_high);
}

static int print_report(const command *self, const ireneo_shape *shape, const capacity_answer *a,
                        bool json_wanted) {
    const ireneo_capacity_report *r = &a->report;
    int exit_code = a->verdict != NULL && a->verdict[0] == 'd' ? EXIT_NO : EXIT_DONE;
    if (!json_wanted) {
        print_table(shape, r);
        if (a->verdict != NULL) print_facts(shape, a);
        if (a->top > 1) print_top(shape, a);
        if (a->has_volume) print_volume(&a->volume);
        if (r->caveat[0] != '\0') printf("\n  Not sure to 3 %%: %s.\n", r->caveat);
        return finish_output(self, exit_code);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "dim_in", shape->dim_in);
    ireneo_json_size(&json, "dim_out", shape->dim_out);
    ireneo_json_size(&json, "rank", shape->rank);
    ireneo_json_text(&json, "problem", ireneo_problem_kind_name(shape->problem));
    ireneo_json_number(&json, "facts_capacity", r->facts_capacity);
    ireneo_json_number(&json, "facts_capacity_decoupled", r->facts_capacity_decoupled);
    ireneo_json_number(&json, "correction", r->correction);
    ireneo_json_number(&json, "hull_probability", r->hull_probability);
    ireneo_json_number(&json, "facts_capacity_asymptotic", r->facts_capacity_asymptotic);
    ireneo_json_number(&json, "facts_capacity_hebbian", r->facts_capacity_hebbian);
    ireneo_json_number(&json, "facts_hebbian_half", r->facts_hebbian_half);
    ireneo_json_number(&json, "candidates", r->candidates);
    ireneo_json_number(&json, "load", r->load);
    ireneo_json_number(&json, "delta", r->delta);
    ireneo_json_number(&json, "variance", r->variance);
    ireneo_json_number(&json, "effective_dimension", r->effective_dimension);
    ireneo_json_number(&json, "parameters", r->parameters);
    ireneo_json_number(&json, "bits_per_parameter", r->bits_per_parameter);
    ireneo_json_number(&json, "hebbian_accuracy", r->hebbian_accuracy);
    ireneo_json_text(&json, "caveat", r->caveat);
    if (shape->facts > 0.0) {
        ireneo_json_number(&json, "facts", shape->facts);
        ireneo_json_number(&json, "fraction_of_capacity", r->fraction_of_capacity);
        ireneo_json_number(&json, "probability_all_fit", r->probability_all_fit);
        ireneo_json_number(&json, "best_margin", a->best_margin);
        ireneo_json_text(&json, "verdict", a->verdict);
        ireneo_json_number(&json, "overload_estimate", a->kept);
        ireneo_json_size(&json, "dim_needed", a->dim_needed);
        ireneo_json_size(&json, "rank_needed", a->rank_needed);
    }
    if (a->top > 1) {
        ireneo_json_size(&json, "top", a->top);
        ireneo_json_number(&json, "facts_capacity_top", a->top_facts);
    }
    if (a->has_volume) {
        ireneo_json_number(&json, "free_entropy", a->volume.entropy);
        ireneo_json_number(&json, "free_entropy_error", a->volume.entropy_error);
        ireneo_json_number(&json, "overlap", a->volume.overlap);
        ireneo_json_number(&json, "overlap_error", a->volume.overlap_error);
        ireneo_json_number(&json, "singular_low", a->volume.singular_low);
        ireneo_json_number(&json, "singular_high", a->volume.singular_high);
        ireneo_json_number(&json, "singular_fourth", a->volume.singular_fourth);
    }
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

static ireneo_error answer(const ireneo_shape *shape, capacity_answer *a) {
    ireneo_error failed = ireneo_capacity(shape, &a->report);
    if (failed != IRENEO_OK || shape->facts == 0.0) return failed;
    double chance = a->report.probability_all_fit;
    a->verdict = chance >= SURE ? "fit" : chance > 1.0 - SURE ? "may fit" : "do not fit";
    failed = ireneo_capacity_margin(shape, &a->best_margin);
    if (failed == IRENEO_OK) failed = ireneo_capacity_overload(shape, &a->kept);
    if (failed == IRENEO_OK && ireneo_capacity_dim(shape, SURE, &a->dim_needed) != IRENEO_OK)
        a->dim_needed = 0; /* beyond what is offered anywhere */
    return failed == IRENEO_OK ? ireneo_capacity_rank(shape, SURE, &a->rank_needed) : failed;
}

/* How often targets are asked for, from the options or a file. */
static int fill_targets(const command *self, const option *options, capacity_question *q) {
    ireneo_shape *shape = &q->shape;
    if (strcmp(q->problem, "decoupled") == 0) shape->problem = IRENEO_PROBLEM_DECOUPLED;
    if (given(options, "zipf")) shape->targets = IRENEO_TARGETS_ZIPF;
    if (q->targets == NULL && shape->targets == IRENEO_TARGETS_EACH) return 0;
    if (q->targets != NULL && shape->targets == IRENEO_TARGETS_ZIPF)
        return complain(self, EXIT_USAGE, "--targets and --zipf exclude each other");
    if (shape->candidates == 0.0)
        return complain(self, EXIT_USAGE, "--targets and --zipf need the number of values, --candidates P");
    if (q->targets == NULL) return 0;
    double facts = 0.0;
    int outcome = load_frequencies(self, q->targets, shape->candidates, &q->frequencies, &facts);
    shape->frequencies = q->frequencies;
    if (shape->facts == 0.0 && q->for_facts == 0.0) shape->facts = facts;
    return outcome;
}

/* The shape from the options, which must not contradict each other. */
static int fill_shape(const command *self, const option *options, capacity_question *q) {
    bool in = given(options, "dim-in"), out = given(options, "dim-out"), square = given(options, "dim");
    if (q->for_facts > 0.0) {
        if (in || out || square || q->shape.facts > 0.0)
            return complain(self, EXIT_USAGE, "--for-facts finds the dimension; leave out --dim and --facts");
        q->shape.facts = q->for_facts;
        ireneo_error failed = ireneo_capacity_dim(&q->shape, SURE, &q->dim);
        if (failed != IRENEO_OK) return report_error(self, failed);
        q->shape.dim_in = q->shape.dim_out = q->dim;
        return 0;
    }
    if (square && (in || out))
        return complain(self, EXIT_USAGE, "give --dim, or --dim-in and --dim-out, not both");
    if (!square && !(in && out))
        return complain(self, EXIT_USAGE, "give --dim, or both --dim-in and --dim-out");
    if (square) q->shape.dim_in = q->shape.dim_out = q->dim;
    return 0;
}

/* The volume of solutions for the facts asked about; draws that keep it to seconds. */
static ireneo_error find_volume(const ireneo_shape *shape, capacity_answer *a) {
    double candidates = shape->candidates == 0.0 ? shape->facts : shape->candidates;
    size_t draws = (size_t)fmin(2000.0, fmax(60.0, 1e5 / candidates));
    double narrow = (double)(shape->dim_in < shape->dim_out ? shape->dim_in : shape->dim_out);
    double wide = (double)(shape->dim_in > shape->dim_out ? shape->dim_in : shape->dim_out);
    double share = shape->rank > 0 ? fmin(1.0, (double)shape->rank / narrow) : 1.0;
    a->has_volume = true;
    return ireneo_free_entropy_of_rank(a->report.load, (size_t)candidates, share, narrow / wide, draws, 1,
                                       &a->volume);
}

static int answer_question(const command *self, const capacity_question *q) {
    static const double MOST = 5000.0;
    capacity_answer found = {.best_margin = NAN, .top = q->top};
    if (q->free_entropy && q->shape.facts < 2.0)
        return complain(self, EXIT_USAGE, "--free-entropy needs the number of facts, --facts N");
    if (q->free_entropy && q->shape.margin > 0.0)
        return complain(self, EXIT_USAGE, "--free-entropy is for memories without a margin");
    if (q->free_entropy &&
        fmax(q->shape.candidates, q->shape.candidates == 0.0 ? q->shape.facts : 0.0) > MOST)
        return complain(self, EXIT_USAGE, "--free-entropy takes at most %.0f candidates", MOST);
    ireneo_error failed = answer(&q->shape, &found);
    if (failed == IRENEO_OK && q->top > 1) failed = ireneo_capacity_top(&q->shape, q->top, &found.top_facts);
    if (failed == IRENEO_OK && q->free_entropy) failed = find_volume(&q->shape, &found);
    if (failed != IRENEO_OK) return report_error(self, failed);
    return print_report(self, &q->shape, &found, q->json);
}

static int run(const command *self, int argc, char **argv) {
    capacity_question q = {.problem = "original"};
    option options[] = {
        COUNT("dim", &q.dim, "D", "dimension of keys and values", 1, 1e7),
        COUNT("dim-in", &q.shape.dim_in, "A", "dimension of keys", 1, 1e7),
        COUNT("dim-out", &q.shape.dim_out, "B", "dimension of values", 1, 1e7),
        COUNT("rank", &q.shape.rank, "M", "largest rank of the matrix (default: full)", 1, 1e7),
        WHOLE("candidates", &q.shape.candidates, "P", "values to choose from (default: one per fact)", 2,
              1e12),
        WHOLE("facts", &q.shape.facts, "N", "tell whether N facts fit", 1, 1e12),
        WHOLE("for-facts", &q.for_facts, "N",
              "the smallest square memory that holds N facts, instead of --dim", 1, 1e12),
        NUMBER("margin", &q.shape.margin, "K", "facts must win by K score spreads (default 0)", 0, 1e3),
        COUNT("top", &q.top, "K", "also the facts whose value can be among the K best", 1, 256),
        CHOICE("problem", &q.problem, "original|decoupled",
               "candidates shared by all facts (default), or a set of its own for each"),
        TEXT("targets", &q.targets, "FILE",
             "index of each fact's value: answers that are not equally frequent"),
        FLAG("free-entropy", &q.free_entropy,
             "also the volume of the memories that recall N facts, and their overlap"),
        NUMBER("zipf", &q.shape.zipf, "S", "targets drawn at random, the t-th value with chance ~ 1 / t^S", 0,
               10),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = fill_targets(self, options, &q);
    if (outcome == 0) outcome = fill_shape(self, options, &q);
    if (outcome == 0) outcome = answer_question(self, &q);
    free(q.frequencies);
    return outcome;
}

const command command_capacity = {
    "capacity", "how many facts a linear memory can hold", run, "",
    "The finite-size law predicts the number of random facts that fit; it does "
    "not depend on\n"
    "the covariance of the embeddings or on the mean of the values. Embeddings "
    "that span fewer dimensions: give their ranks.\n"
    "Values are asked for equally often unless --targets or --zipf say otherwise; "
    "where the law may be\n"
    "off by more than 3 %, the report says why.\n"
    "With --facts: they fit when the chance is 95 % or more and do not when it "
    "is 5 % or less.\n"
    "Exit code 0: they fit, or may; 1: they do not fit."};
