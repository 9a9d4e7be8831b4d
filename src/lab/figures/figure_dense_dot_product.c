/* Figure "dense_dot_product": scaled dot products, lambda = l / sqrt(N) and P = exp(a sqrt(N)): the threshold
 * l = a is approached slowly, along the curve of exact N (docs/dense-simulation.md). */
#include "base/error.h"
#include "lab/figures/dense_points.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static const double LOADS[] = {0.5, 1.0, 1.5};
enum { LOAD_COUNT = sizeof LOADS / sizeof *LOADS };

/* Up to e^12 patterns are drawn one by one, exactly. */
static const double LARGEST_SCALARS = 12.0;

static ireneo_error write_point(const figure_request *request, FILE *stream, double load, size_t neurons) {
    double root = sqrt((double)neurons), log_patterns = load * root;
    bool scalars = log_patterns < LARGEST_SCALARS;
    dense_points_request wanted = {.method = scalars ? IRENEO_DENSE_METHOD_SCALARS : IRENEO_DENSE_METHOD_TAIL,
                                   .measure = IRENEO_DENSE_MEASURE_LAMBDA,
                                   .neurons = neurons,
                                   .log_patterns = log_patterns,
                                   .steps = 1,
                                   .draws = request->quick ? (log_patterns < 8.0 ? 2000 : 400) : 5000};
    ireneo_dense_summary s;
    IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &s));
    fprintf(stream, "%g,%zu,%.6g,%.10g,%.3g,%s\n", load, neurons, log_patterns, s.value * root,
            s.error * root, ireneo_dense_method_name(wanted.method));
    return IRENEO_OK;
}

static ireneo_error write_points(const figure_request *request, figure_csv *csv) {
    static const size_t sizes[] = {36, 64, 100, 144, 256, 576, 1024, 4096, 16384};
    fprintf(csv->stream, "scaled_alpha,neurons,log_patterns,scaled_lambda,error,method\n"
                         "# scaled_lambda: smallest lambda sqrt(N) that retrieves, and its standard error; "
                         "scaled_alpha: log(P) / sqrt(N).\n");
    for (int a = 0; a < LOAD_COUNT; a++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            IRENEO_TRY(write_point(request, csv->stream, LOADS[a], sizes[i]));
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error write_theory(figure_csv *csv) {
    fprintf(csv->stream, "scaled_alpha,neurons,scaled_lambda\n"
                         "# scaled_lambda: smallest lambda sqrt(N) that retrieves after one step, by the "
                         "theory of finite N.\n");
    for (int a = 0; a < LOAD_COUNT; a++) {
        for (double n = 30.0; n < 1e6; n *= 1.1) {
            double root = sqrt(round(n)), one, converged, limit;
            if (LOADS[a] * root < log(30.0)) continue; /* so few patterns that the last one shows */
            IRENEO_TRY(
                ireneo_dense_finite_lambdas((size_t)round(n), LOADS[a] / root, &one, &converged, &limit));
            fprintf(csv->stream, "%g,%.0f,%.10g\n", LOADS[a], round(n), one * root);
        }
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    figure_csv points, theory;
    IRENEO_TRY(ireneo_figure_note(
        request, "dense_dot_product",
        "N = 36 to 16384, %d%s draws a point; bars: standard error; P = e^{a√N} patterns.\nThe curve "
        "of a = 0.5 begins where there are 30 patterns; with fewer each one shows.",
        request->quick ? 400 : 5000, request->quick ? " to 2000" : ""));
    IRENEO_TRY(ireneo_csv_open(request, "dense_dot_product.csv", &points));
    IRENEO_TRY(ireneo_csv_close(&points, write_points(request, &points)));
    IRENEO_TRY(ireneo_csv_open(request, "dense_dot_product_theory.csv", &theory));
    return ireneo_csv_close(&theory, write_theory(&theory));
}

const figure figure_dense_dot_product = {
    "dense_dot_product", "dense memories: threshold of scaled dot products against N", make, {0}};
