/* Volume of solutions of a rank: the saddle by GSL, by free cumulants and by a simulation of tilted projectors; capacity; the
 * limit of full rank; singular values in cases that are known. */
#include "linear/law/rank_entropy.h"
#include "base/random.h"
#include "expect.h"
#include "linear/law/rank_spectrum.h"
#include "linear/law/solution_spectrum.h"
#include "scratch.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <stdbool.h>

/* ---- the saddle ---- */

typedef struct oracle {
    double c, u, v;
    int what;
} oracle;

/* The Marchenko-Pastur law as a density of s = sqrt a, without its singularity at 0. */
static double integrand(double s, void *context) {
    const oracle *o = context;
    double a = s * s, low = (1.0 - sqrt(o->c)) * (1.0 - sqrt(o->c)),
           high = (1.0 + sqrt(o->c)) * (1.0 + sqrt(o->c));
    double density = sqrt(fmax(0.0, (high - a) * (a - low))) / (M_PI * o->c * s), r = hypot(a - o->u, o->v);
    return density * (o->what == 0 ? 1.0 / r : o->what == 1 ? (a - o->u) / r : a * (a - o->u) / r);
}

static double by_gsl(oracle o, int what) {
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(5000);
    double points[] = {1.0 - sqrt(o.c) + 1e-12, sqrt(fmax(o.u, 0.0)), 1.0 + sqrt(o.c)}, value, error;
    bool inside = points[1] > points[0] && points[1] < points[2];
    if (!inside) points[1] = points[2];
    o.what = what;
    gsl_function f = {integrand, &o};
    gsl_integration_qagp(&f, points, inside ? 3 : 2, 1e-11, 1e-11, 5000, w, &value, &error);
    gsl_integration_workspace_free(w);
    return value;
}

static void test_saddle_by_gsl(void **state) {
    (void)state;
    static const double rows[][3] = {{0.5, 1.0, 1.0}, {0.25, 1.0, 0.05}, {0.7, 0.5, 0.3}, {0.1, 0.2, 2.0}};
    for (size_t k = 0; k < COUNT(rows); k++) { /* kappa, c, v */
        rank_shape shape = {rows[k][0], rows[k][1]};
        rank_saddle s;
        expect_ok(ireneo_rank_saddle_at(shape, rows[k][2], &s));
        oracle o = {.c = shape.aspect, .u = s.u, .v = s.v};
        expect_close(by_gsl(o, 0), s.theta, 1e-8 * s.theta);
        expect_close(by_gsl(o, 1), 2.0 * shape.kappa - 1.0, 1e-8);
        double energy = 0.5 * (1.0 + by_gsl(o, 2) + 0.5 * s.v * s.v * s.theta) -
                        shape.kappa * (1.0 - shape.kappa) / s.theta;
        expect_close(energy, s.energy, 1e-8);
    }
}

/* Small tilts: free cumulants of A, 1, c, c^2, times those of the projector. Large ones: E(kappa), less what fluctuates. */
static void test_saddle_ends(void **state) {
    (void)state;
    for (double kappa = 0.1; kappa < 0.95; kappa += 0.2)
        for (double c = 0.25; c <= 1.0; c *= 2.0) {
            rank_shape shape = {kappa, c};
            double spread = kappa * (1.0 - kappa), t;
            rank_saddle s;
            expect_ok(ireneo_rank_saddle_at(shape, 50.0 * c, &s));
            t = c * s.theta;
            expect_close(s.energy, kappa + spread * t + spread * (1.0 - 2.0 * kappa) * t * t, 5e-5 * spread);
            expect_ok(ireneo_rank_saddle_at(shape, 1e-20, &s));
            expect_close(s.energy + spread / s.theta, ireneo_rank_spectrum_energy(kappa, c), 1e-9);
        }
}

enum { N = 40, M = 16 };

/* Turns column `in` of the frame towards column `out` (N, N) by Metropolis' rule for exp(N theta Tr A P / 2). */
static void turn_pair(ireneo_generator *random, const double *a, double theta, size_t in, size_t out,
                      double frame[N][N]) {
    double angle = 2.0 * M_PI * ireneo_draw_uniform(random), cosine = cos(angle), sine = sin(angle),
           gain = 0.0;
    for (size_t i = 0; i < N; i++) {
        double now = frame[in][i], then = cosine * now + sine * frame[out][i];
        gain += a[i] * (then * then - now * now);
    }
    if (log(ireneo_draw_uniform(random)) > 0.5 * N * theta * gain) return;
    for (size_t i = 0; i < N; i++) {
        double x = frame[in][i], y = frame[out][i];
        frame[in][i] = cosine * x + sine * y;
        frame[out][i] = cosine * y - sine * x;
    }
}

/* Tr A P / N of tilted projectors of rank M in N dimensions, A with the quantiles of its law. */
static double simulate(double theta) {
    static double frame[N][N];
    double a[N], sum = 0.0;
    ireneo_generator random = {.seed = 41};
    for (size_t i = 0; i < N; i++) { /* s has the quarter circle: its quantile by bisection */
        double low = 0.0, high = 2.0, share = ((double)i + 0.5) / N;
        for (int step = 0; step < 50; step++) {
            double s = 0.5 * (low + high);
            if (ireneo_rank_spectrum_cdf(s, 1.0) < share)
                low = s;
            else
                high = s;
        }
        a[i] = low * low;
        for (size_t j = 0; j < N; j++) frame[i][j] = i == j ? 1.0 : 0.0;
    }
    enum { SWEEPS = 300, BURN = 60 };
    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t in = 0; in < M; in++)
            for (size_t out = M; out < N; out++) turn_pair(&random, a, theta, in, out, frame);
        for (size_t in = 0; in < M && sweep >= BURN; in++)
            for (size_t i = 0; i < N; i++)
                sum += a[i] * frame[in][i] * frame[in][i] / (N * (double)(SWEEPS - BURN));
    }
    return sum;
}

static void test_saddle_by_simulation(void **state) {
    (void)state;
    rank_shape shape = {(double)M / N, 1.0};
    static const double heights[] = {1.0, 0.2, 0.02};
    for (size_t k = 0; k < COUNT(heights); k++) {
        rank_saddle s;
        expect_ok(ireneo_rank_saddle_at(shape, heights[k], &s));
        expect_close(simulate(s.theta), s.energy, 0.02); /* of 1/N, and of errors below .003 */
    }
}

/* ---- the entropy ---- */

static void test_full_rank_recovered(void **state) {
    (void)state;
    static rank_entropy table;
    expect_ok(ireneo_rank_entropy_make((rank_shape){1.0 - 1e-6, 1.0}, &table));
    for (double q = 0.0; q < 0.999; q += 0.037) {
        double full = 0.5 * log1p(-q) + 0.5 * q / (1.0 - q);
        expect_close(ireneo_rank_entropy_at(&table, q), full, 2e-5 * (1.0 + full));
    }
    ireneo_free_entropy_report with, without;
    expect_ok(ireneo_free_entropy(0.4, 10, 200, 5, &without));
    expect_ok(ireneo_free_entropy_of_rank(0.4, 10, 1.0, 1.0, 200, 5, &with));
    assert_memory_equal(&with, &without, sizeof with);
    expect_ok(ireneo_free_entropy_of_rank(0.4, 10, 1.0 - 1e-6, 1.0, 200, 5, &with));
    expect_close(with.entropy, without.entropy, 1e-4);
    expect_close(with.overlap, without.overlap, 1e-3);
    for (double load = 0.02; load < 0.5; load += 0.06) {
        expect_ok(ireneo_free_entropy_of_rank(load, 0, 1.0, 1.0, 0, 1, &with));
        expect_close(with.entropy, ireneo_free_entropy_asymptotic(load), 1e-6);
        expect_close(with.overlap, 2.0 * load, 1e-4);
    }
}

/* The table: S' by differences is the slope that was summed, and the minimum of Phi lies where 1/(1-q)^2 times the load is
 * that: alpha(q) = (1 - q) theta e / 2, without a table. */
static void test_load_of_overlap(void **state) {
    (void)state;
    static const double kappas[] = {0.1, 0.5, 0.8};
    for (size_t k = 0; k < COUNT(kappas); k++)
        for (double c = 0.5; c <= 1.0; c += 0.5)
            for (double q = 0.2; q < 0.95; q += 0.35) {
                rank_shape shape = {kappas[k], c};
                rank_saddle s;
                double lambda;
                expect_ok(ireneo_rank_saddle_of(shape, q, &s, &lambda));
                double load = 0.5 * (1.0 - q) * c * s.theta * s.energy;
                expect_close((1.0 - q) * lambda, s.energy, 1e-8);
                ireneo_free_entropy_report r;
                expect_ok(ireneo_free_entropy_of_rank(load, 0, shape.kappa, c, 0, 1, &r));
                expect_close(r.overlap, q, 1e-3);
            }
}

/* alpha_c(kappa) = E(kappa) / 2 as q -> 1, from overlaps of 0.98 and 0.99 by a straight line; docs/linear.md has the values. */
static void test_capacity_of_rank(void **state) {
    (void)state;
    static const double rows[][2] = {{0.05, 0.0860841175},
                                     {0.1, 0.1567840054},
                                     {0.25, 0.3114562756},
                                     {0.5, 0.4468653969},
                                     {0.75, 0.4935239015}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        double load[2];
        for (size_t i = 0; i < 2; i++) {
            rank_saddle s;
            double lambda, q = i == 0 ? 0.97 : 0.985;
            expect_ok(ireneo_rank_saddle_of((rank_shape){rows[k][0], 1.0}, q, &s, &lambda));
            load[i] = 0.5 * (1.0 - q) * s.theta * s.energy;
        }
        expect_close(2.0 * load[1] - load[0], rows[k][1], 1e-3);
        ireneo_free_entropy_report r;
        expect_ok(ireneo_free_entropy_of_rank(rows[k][1] + 1e-6, 0, rows[k][0], 1.0, 0, 1, &r));
        assert_true(r.entropy == -INFINITY && r.overlap == 1.0);
        expect_ok(ireneo_free_entropy_of_rank(0.99 * rows[k][1], 0, rows[k][0], 1.0, 0, 1, &r));
        assert_true(isfinite(r.entropy) && r.overlap > 0.9 && r.overlap < 1.0);
    }
    ireneo_free_entropy_report r;
    expect_error(ireneo_free_entropy_of_rank(0.1, 10, 0.0, 1.0, 10, 1, &r), IRENEO_ERROR_ARGUMENT, "rank",
                 "");
    expect_error(ireneo_free_entropy_of_rank(0.1, 10, 1.5, 1.0, 10, 1, &r), IRENEO_ERROR_ARGUMENT, "rank",
                 "");
    expect_error(ireneo_free_entropy_of_rank(0.1, 10, NAN, 1.0, 10, 1, &r), IRENEO_ERROR_ARGUMENT, "rank",
                 "");
    expect_error(ireneo_free_entropy_of_rank(0.1, 10, 0.5, 0.0, 10, 1, &r), IRENEO_ERROR_ARGUMENT, "aspect",
                 "");
    expect_error(ireneo_free_entropy_of_rank(0.1, 1, 0.5, 1.0, 10, 1, &r), IRENEO_ERROR_ARGUMENT, "two", "");
    expect_error(ireneo_free_entropy_of_rank(-0.1, 0, 0.5, 1.0, 10, 1, &r), IRENEO_ERROR_ARGUMENT, "load",
                 "");
}

/* ---- singular values ---- */

/* Nothing learned: Gaussian d_max x m, Marchenko-Pastur. Everything learned: the largest singular values of a Gaussian matrix. In
 * between: a density of mass 1, mean square 1 / kappa, and the fourth moment that the contour gives. */
static void test_spectrum(void **state) {
    (void)state;
    static const double rows[][2] = {{0.5, 1.0}, {0.25, 1.0}, {0.5, 0.5}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        rank_shape shape = {rows[k][0], rows[k][1]};
        double y = sqrt(shape.kappa * shape.aspect), unit = 1.0 / sqrt(shape.kappa);
        spectrum_summary summary;
        expect_ok(ireneo_solution_spectrum_summary(shape, 0.0, &summary));
        expect_close(summary.low, unit * (1.0 - y), 1e-3);
        expect_close(summary.high, unit * (1.0 + y), 1e-3);
        expect_close(summary.fourth, (1.0 + y * y) / shape.kappa, 1e-3);
        for (double q = 0.4; q < 1.0; q += 0.5) {
            enum { POINTS = 60 };
            double mass = 0.0, square = 0.0, fourth = 0.0, s[POINTS], density[POINTS];
            expect_ok(ireneo_solution_spectrum_summary(shape, q, &summary));
            double width =
                (summary.high - summary.low) / M_PI; /* s = middle - half cos: the roots at the ends go */
            for (int i = 0; i < POINTS; i++)
                s[i] = summary.low + 0.5 * M_PI * width * (1.0 - cos(M_PI * (i + 0.5) / POINTS));
            expect_ok(ireneo_solution_spectrum(q, shape.kappa, shape.aspect, POINTS, s, density));
            for (int i = 0; i < POINTS; i++) {
                double part =
                    density[i] * 0.5 * M_PI * width * sin(M_PI * (i + 0.5) / POINTS) * M_PI / POINTS;
                mass += part, square += part * s[i] * s[i], fourth += part * pow(s[i], 4.0);
            }
            expect_close(mass, 1.0, 1e-3);
            expect_close(shape.kappa * square, 1.0, 1e-3);
            expect_close(shape.kappa * fourth, summary.fourth, 3e-3);
        }
    }
    spectrum_summary end;
    double unit = 1.0 / sqrt(ireneo_rank_spectrum_energy(0.5, 1.0));
    expect_ok(ireneo_solution_spectrum_summary((rank_shape){0.5, 1.0}, 0.985, &end));
    expect_close(end.low, unit * ireneo_rank_spectrum_edge(0.5), 0.04);
    expect_close(end.high, 2.0 * unit, 0.02);
}

static void test_full_spectrum(void **state) {
    (void)state;
    double s[] = {0.0, 0.5, 1.5, 2.5, -1.0}, density[5];
    expect_ok(ireneo_solution_spectrum(0.4, 1.0, 1.0, 5, s, density));
    expect_close(density[1], sqrt(4.0 - 0.25) / M_PI, 1e-12);
    expect_close(density[2], sqrt(4.0 - 2.25) / M_PI, 1e-12);
    assert_true(density[0] == 0.0 && density[3] == 0.0 && density[4] == 0.0);
    expect_error(ireneo_solution_spectrum(1.0, 0.5, 1.0, 1, s, density), IRENEO_ERROR_ARGUMENT, "overlap",
                 "");
    expect_error(ireneo_solution_spectrum(0.5, 0.5, 2.0, 1, s, density), IRENEO_ERROR_ARGUMENT, "aspect", "");
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saddle_by_gsl),
        cmocka_unit_test(test_saddle_ends),
        cmocka_unit_test(test_saddle_by_simulation),
        cmocka_unit_test(test_full_rank_recovered),
        cmocka_unit_test(test_load_of_overlap),
        cmocka_unit_test(test_capacity_of_rank),
        cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_full_spectrum),
    };
    return cmocka_run_group_tests_name("rank entropy", tests, NULL, NULL);
}
