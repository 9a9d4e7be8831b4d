/* Figure "capacity": facts that fit against dimension, by the law, the limit formula and the Hebbian rule. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static ireneo_error make(const figure_request *request) {
    figure_csv csv;
    IRENEO_TRY(ireneo_figure_note(
        request, "capacity",
        "Formulas, nothing drawn at random: d × d memories, original problem, as many candidates as facts"));
    IRENEO_TRY(ireneo_csv_open(request, "capacity.csv", &csv));
    fprintf(csv.stream, "dim,law,asymptotic,hebbian,bits_per_parameter\n"
                        "# facts that fit in a square memory with as many candidates as facts: finite-size "
                        "law, limit formula, Hebbian rule.\n");
    ireneo_error failed = IRENEO_OK;
    int steps = request->quick ? 25 : 49;
    for (int i = 0; i < steps && failed == IRENEO_OK; i++) {
        ireneo_shape shape = {0};
        shape.dim_in = shape.dim_out = (size_t)lround(16.0 * pow(1024.0, (double)i / (steps - 1)));
        ireneo_capacity_report report;
        failed = ireneo_capacity(&shape, &report);
        if (failed != IRENEO_OK) break;
        fprintf(csv.stream, "%zu,%.10g,%.10g,%.10g,%.10g\n", shape.dim_in, report.facts_capacity,
                report.facts_capacity_asymptotic, report.facts_capacity_hebbian, report.bits_per_parameter);
    }
    return ireneo_csv_close(&csv, failed);
}

const figure figure_capacity = {
    "capacity", "facts that fit against dimension: law, limit formula, Hebbian rule", make, {0}};
