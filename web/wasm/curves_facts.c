/* curves facts: chance and recall against the number of facts. curves candidates: capacity against the number of
 * candidates. */
#include "page.h"

#include "linear/law/capacity.h"
#include "linear/law/hebbian_law.h"

#include <math.h>
#include <stdlib.h>

/* Facts: equal steps from 1 to a little beyond capacity, and a closer look where the chance falls. */
enum { WIDE = 33, CLOSE = 11, FACTS = WIDE + CLOSE, DECADES = 15 };

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The spread of the largest number of facts that fits: the chance is a normal distribution of that width. */
static double spread(const ireneo_capacity_report *r) {
    return sqrt(r->facts_capacity * r->variance) / (r->effective_dimension / r->facts_capacity);
}

static void choose_facts(const ireneo_shape *shape, const ireneo_capacity_report *r, double *facts) {
    double capacity = r->facts_capacity, least = shape->candidates == 0.0 ? 2.0 : 1.0;
    double most = fmax(1.4 * capacity, fmin(1.1 * shape->facts, 3.0 * capacity));
    for (size_t i = 0; i < WIDE; i++) facts[i] = stepped(least, fmax(most, least + 1.0), i, WIDE);
    for (size_t i = 0; i < CLOSE; i++)
        facts[WIDE + i] = fmax(least, capacity + stepped(-3.5, 3.5, i, CLOSE) * spread(r));
    qsort(facts, FACTS, sizeof *facts, rising);
}

/* With one candidate a fact every number of facts is a law of its own: only the close look is worth it, and the ends. */
static ireneo_error find_chances(const ireneo_shape *shape, const ireneo_capacity_report *r,
                                 const double *facts, double *chances) {
    for (size_t i = 0; i < FACTS; i++) {
        double deviations = (facts[i] - r->facts_capacity) / spread(r);
        bool wanted = shape->candidates != 0.0 || fabs(deviations) < 3.6 || i == 0 || i == FACTS - 1;
        chances[i] = wanted ? 0.0 : NAN;
    }
    if (shape->candidates != 0.0) return ireneo_capacity_chances(shape, facts, FACTS, chances);
    for (size_t i = 0; i < FACTS; i++)
        if (!isnan(chances[i])) IRENEO_TRY(ireneo_capacity_chances(shape, &facts[i], 1, &chances[i]));
    return IRENEO_OK;
}

/* What a fact asks at 2 to 1e12 candidates depends on the margin alone: kept from call to call. */
static ireneo_error find_demands(double margin, const ireneo_demand **demands) {
    static const double FEW[] = {2.0, 4.0, 10.0, 30.0}; /* where the curves bend; then powers of ten */
    enum { SMALL = sizeof FEW / sizeof *FEW };
    static ireneo_demand found[DECADES];
    static double of_margin = NAN;
    if (of_margin != margin) {
        of_margin = NAN;
        for (size_t i = 0; i < DECADES; i++) {
            double candidates = i < SMALL ? FEW[i] : pow(10.0, (double)(i - SMALL + 2));
            IRENEO_TRY(ireneo_demand_make(candidates, margin, &found[i]));
        }
        of_margin = margin;
    }
    *demands = found;
    return IRENEO_OK;
}

static ireneo_error write_candidates(ireneo_json *json, const ireneo_shape *shape) {
    const ireneo_demand *demands;
    double candidates[DECADES], law[DECADES], limit[DECADES], hebbian[DECADES];
    IRENEO_TRY(find_demands(shape->margin, &demands));
    for (size_t i = 0; i < DECADES; i++) {
        ireneo_capacities found;
        IRENEO_TRY(ireneo_capacities_among(shape, &demands[i], &found));
        candidates[i] = demands[i].candidates;
        law[i] = found.law, limit[i] = found.limit, hebbian[i] = found.hebbian;
    }
    write_numbers(json, "candidates", candidates, DECADES);
    write_numbers(json, "law", law, DECADES);
    write_numbers(json, "limit", limit, DECADES);
    write_numbers(json, "hebbian", hebbian, DECADES);
    return IRENEO_OK;
}

static ireneo_error write_curves(ireneo_json *json, const ireneo_shape *shape) {
    ireneo_shape capacity_only = *shape;
    ireneo_capacity_report report;
    double facts[FACTS], chances[FACTS], recall[FACTS];
    capacity_only.facts = 0.0;
    IRENEO_TRY(ireneo_capacity(&capacity_only, &report));
    choose_facts(shape, &report, facts);
    IRENEO_TRY(find_chances(shape, &report, facts, chances));
    for (size_t i = 0; i < FACTS; i++) {
        double candidates = shape->candidates != 0.0 ? shape->candidates : fmax(2.0, facts[i]);
        recall[i] =
            ireneo_hebbian_law_accuracy((double)shape->dim_in, (double)shape->dim_out, facts[i], candidates);
    }
    write_numbers(json, "facts", facts, FACTS);
    write_numbers(json, "chance", chances, FACTS);
    write_numbers(json, "recall", recall, FACTS);
    return IRENEO_OK;
}

static int run(const command *self, int argc, char **argv,
               ireneo_error (*write)(ireneo_json *, const ireneo_shape *)) {
    ireneo_shape shape = {0};
    bool json_wanted = false;
    option options[] = {
        COUNT("dim-in", &shape.dim_in, "A", "", 1, 1e7),
        COUNT("dim-out", &shape.dim_out, "B", "", 1, 1e7),
        COUNT("rank", &shape.rank, "M", "", 1, 1e7),
        WHOLE("candidates", &shape.candidates, "P", "", 2, 1e12),
        WHOLE("facts", &shape.facts, "N", "", 1, 1e12),
        NUMBER("margin", &shape.margin, "K", "", 0, 1e3),
        JSON(&json_wanted),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome;
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_error failed = write(&json, &shape);
    ireneo_json_end_object(&json);
    if (failed == IRENEO_OK) return print_json(self, &json, EXIT_DONE);
    ireneo_json_free(&json);
    return report_error(self, failed);
}

static int run_facts(const command *self, int argc, char **argv) {
    return run(self, argc, argv, write_curves);
}

static int run_candidates(const command *self, int argc, char **argv) {
    return run(self, argc, argv, write_candidates);
}

const command command_curves_facts = {"curves facts", "", run_facts, "", ""};
const command command_curves_candidates = {"curves candidates", "", run_candidates, "", ""};
