/* Figure "dense_thresholds": retrieval thresholds of finite memories against 1/N (Lucibello and Mezard,
 * figure 2), for one step and for converged dynamics, beside the theory of finite N; and where a parabola in
 * 1/N through the converged data would put the limit (docs/dense-simulation.md). */
#include "base/error.h"
#include "lab/figures/dense_points.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

typedef struct size_and_draws {
    size_t neurons, quick, full;
} size_and_draws;

enum { SIZES = 6 };
static const double ALPHAS[2] = {0.3, 0.5};
static const size_and_draws DIRECT[2][SIZES] = {
    {{10, 400, 900}, {14, 300, 800}, {18, 200, 500}, {22, 100, 300}, {26, 30, 160}, {30, 10, 70}},
    {{8, 400, 700}, {10, 300, 500}, {12, 150, 350}, {14, 60, 120}, {16, 24, 52}, {18, 8, 21}}};

/* Least squares of a + b/N + c/N^2 with weights 1/error^2: normal equations of size 3. */
typedef struct parabola {
    double matrix[3][3], right[3];
} parabola;

static void add_to_parabola(parabola *p, double x, double value, double error) {
    double powers[3] = {1.0, x, x * x}, weight = 1.0 / (error * error);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) p->matrix[i][j] += weight * powers[i] * powers[j];
        p->right[i] += weight * powers[i] * value;
    }
}

static double determinant(double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Cramer's rule. */
static void solve_parabola(parabola *p, double *coefficients) {
    double all = determinant(p->matrix);
    for (int k = 0; k < 3; k++) {
        double replaced[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) replaced[i][j] = j == k ? p->right[i] : p->matrix[i][j];
        coefficients[k] = determinant(replaced) / all;
    }
}

/* One row: alpha,N,1/N,one-step,error,converged,error. */
static ireneo_error write_size(const figure_request *request, FILE *stream, double alpha,
                               const size_and_draws *size, parabola *fit) {
    dense_points_request wanted = {.method = IRENEO_DENSE_METHOD_DIRECT,
                                   .measure = IRENEO_DENSE_MEASURE_LAMBDA,
                                   .neurons = size->neurons,
                                   .log_patterns = alpha * (double)size->neurons,
                                   .steps = IRENEO_CONVERGED_STEPS,
                                   .draws = request->quick ? size->quick : size->full};
    ireneo_dense_summary converged, one;
    IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &converged));
    wanted.steps = 1;
    IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &one));
    /* The search for lambda stops at 3e-4 of it. */
    double error = hypot(converged.error, 2e-4 * converged.value), x = 1.0 / (double)size->neurons;
    add_to_parabola(fit, x, converged.value, error);
    fprintf(stream, "%g,%zu,%.8g,%.8g,%.3g,%.8g,%.3g\n", alpha, size->neurons, x, one.value, one.error,
            converged.value, error);
    return IRENEO_OK;
}

static ireneo_error write_points(const figure_request *request, figure_csv *points, figure_csv *fits) {
    fprintf(points->stream, "alpha,neurons,inverse,one_step,one_step_error,converged,converged_error\n"
                            "# smallest lambda that retrieves, after one step and after many, median over "
                            "draws, with standard errors; inverse: 1/N.\n");
    fprintf(fits->stream, "alpha,limit,slope,curvature,theory\n"
                          "# parabola in 1/N through the converged points; theory: lambda_c of the limit.\n");
    for (int a = 0; a < 2; a++) {
        parabola fit = {{{0}}, {0}};
        double c[3], one, converged, limit;
        for (int i = 0; i < SIZES; i++)
            IRENEO_TRY(write_size(request, points->stream, ALPHAS[a], &DIRECT[a][i], &fit));
        fprintf(points->stream, "\n\n");
        solve_parabola(&fit, c);
        IRENEO_TRY(ireneo_dense_finite_lambdas(100, ALPHAS[a], &one, &converged, &limit));
        fprintf(fits->stream, "%g,%.8g,%.8g,%.8g,%.8g\n\n\n", ALPHAS[a], c[0], c[1], c[2], limit);
    }
    return IRENEO_OK;
}

/* The sizes between direct simulation and the limit: hybrid and tail. */
static ireneo_error write_far_points(const figure_request *request, figure_csv *csv) {
    static const size_t sizes[] = {40, 60, 100, 200};
    fprintf(csv->stream, "alpha,neurons,inverse,one_step,one_step_error,converged,converged_error\n"
                         "# smallest lambda that retrieves, after one step and after many, median over "
                         "draws, with standard errors; inverse: 1/N.\n");
    for (int a = 0; a < 2; a++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            dense_points_request wanted = {.method = IRENEO_DENSE_METHOD_HYBRID,
                                           .measure = IRENEO_DENSE_MEASURE_LAMBDA,
                                           .neurons = sizes[i],
                                           .log_patterns = ALPHAS[a] * (double)sizes[i],
                                           .steps = IRENEO_CONVERGED_STEPS,
                                           .draws = request->quick ? 16 : 100};
            ireneo_dense_summary converged, one;
            IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &converged));
            wanted.method = IRENEO_DENSE_METHOD_TAIL;
            wanted.steps = 1;
            wanted.draws = request->quick ? 1000 : 10000;
            IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &one));
            fprintf(csv->stream, "%g,%zu,%.8g,%.8g,%.3g,%.8g,%.3g\n", ALPHAS[a], sizes[i],
                    1.0 / (double)sizes[i], one.value, one.error, converged.value,
                    hypot(converged.error, 2e-4 * converged.value));
        }
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error write_theory(figure_csv *csv) {
    fprintf(csv->stream, "alpha,neurons,inverse,one_step,converged\n"
                         "# smallest lambda that retrieves by the theory of finite N; inverse: 1/N.\n");
    for (int a = 0; a < 2; a++) {
        for (double n = 8.0; n < 1e5; n *= 1.05) {
            double one, converged, limit;
            IRENEO_TRY(ireneo_dense_finite_lambdas((size_t)lround(n), ALPHAS[a], &one, &converged, &limit));
            if (!isfinite(one) || !isfinite(converged)) continue;
            fprintf(csv->stream, "%g,%.0f,%.8g,%.8g,%.8g\n", ALPHAS[a], round(n), 1.0 / round(n), one,
                    converged);
        }
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    figure_csv points, fits, far, theory;
    bool quick = request->quick;
    IRENEO_TRY(ireneo_figure_note(
        request, "dense_thresholds",
        "N = 8 to 30 direct, %zu to %zu draws a point; N = 40 to 200 hybrid (%d) and tail sampler (%d); "
        "bars: standard "
        "error;\nparabola: least squares through the converged points in 1/N, which misses the limit (star)",
        quick ? DIRECT[1][SIZES - 1].quick : DIRECT[1][SIZES - 1].full,
        quick ? DIRECT[0][0].quick : DIRECT[0][0].full, quick ? 16 : 100, quick ? 1000 : 10000));
    IRENEO_TRY(ireneo_csv_open(request, "dense_thresholds.csv", &points));
    ireneo_error failed = ireneo_csv_open(request, "dense_thresholds_fit.csv", &fits);
    if (failed == IRENEO_OK) {
        failed = write_points(request, &points, &fits);
        failed = ireneo_csv_close(&fits, failed);
    }
    failed = ireneo_csv_close(&points, failed);
    IRENEO_TRY(failed);
    IRENEO_TRY(ireneo_csv_open(request, "dense_thresholds_far.csv", &far));
    IRENEO_TRY(ireneo_csv_close(&far, write_far_points(request, &far)));
    IRENEO_TRY(ireneo_csv_open(request, "dense_thresholds_theory.csv", &theory));
    return ireneo_csv_close(&theory, write_theory(&theory));
}

const figure figure_dense_thresholds = {
    "dense_thresholds",
    "dense memories: simulated retrieval thresholds of finite N beside the theory",
    make,
    {0}};
