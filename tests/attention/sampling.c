/* Softmax rows drawn at random against the exact averages, and Poisson-Dirichlet sequences against the limit.
 *
 * Every mean must lie within 4.5 standard errors of the formula: with another seed one of the about 60 checks
 * would fail with probability below 0.001. */
#include "near.h"
#include "scratch.h"

#include "attention/theory/rem.h"
#include "base/random.h"

#include <math.h>

typedef struct sample_mean {
    double sum, squares;
    size_t count;
} sample_mean;

static void add(sample_mean *m, double value) {
    m->sum += value;
    m->squares += value * value;
    m->count++;
}

static void expect_mean(const sample_mean *m, double expected, const char *what) {
    double n = (double)m->count, mean = m->sum / n;
    double error = sqrt(fmax(0.0, m->squares / n - mean * mean) / n);
    if (fabs(mean - expected) > 4.5 * error) {
        print_error("%s: mean %g, standard error %g, formula %g\n", what, mean, error, expected);
        fail();
    }
}

enum { DRAWS = 20000, MOST_KEYS = 128 };

/* Turns logits into weights; returns log Z. */
static double softmax(double *logits, size_t keys) {
    double largest = logits[0], sum = 0.0;
    for (size_t k = 1; k < keys; k++) largest = fmax(largest, logits[k]);
    for (size_t k = 0; k < keys; k++) sum += exp(logits[k] - largest);
    for (size_t k = 0; k < keys; k++) logits[k] = exp(logits[k] - largest) / sum;
    return largest + log(sum);
}

static void test_rows(void **state) {
    (void)state;
    static const struct {
        size_t keys;
        double sigma;
    } cases[] = {{2, 1.0}, {8, 0.15}, {16, 3.0}, {64, 2.0}, {128, 6.0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t keys = cases[c].keys;
        sample_mean y2 = {0}, y3 = {0}, y4 = {0}, y2_squared = {0}, entropy = {0}, log_z = {0}, pairs = {0};
        for (size_t d = 0; d < DRAWS; d++) {
            double e[MOST_KEYS], a[MOST_KEYS], sums[5] = {0}, h = 0.0, ae = 0.0, aaee = 0.0;
            ireneo_fill_normals(7, c, d * keys, keys, e);
            for (size_t k = 0; k < keys; k++) a[k] = e[k] *= cases[c].sigma;
            add(&log_z, softmax(a, keys));
            for (size_t k = 0; k < keys; k++) {
                for (int n = 2; n <= 4; n++) sums[n] += pow(a[k], n);
                if (a[k] > 0.0) h -= a[k] * log(a[k]);
                ae += a[k] * e[k];
                aaee += a[k] * a[k] * e[k] * e[k];
            }
            add(&y2, sums[2]);
            add(&y3, sums[3]);
            add(&y4, sums[4]);
            add(&y2_squared, sums[2] * sums[2]);
            add(&entropy, h);
            add(&pairs, ae * ae - aaee);
        }
        ireneo_rem_row row;
        expect_ok(ireneo_rem_exact(cases[c].sigma, (double)keys, &row));
        expect_mean(&y2, row.y[2], "Y2");
        expect_mean(&y3, row.y[3], "Y3");
        expect_mean(&y4, row.y[4], "Y4");
        expect_mean(&y2_squared, row.y2_squared, "Y2^2");
        expect_mean(&entropy, row.entropy, "entropy");
        expect_mean(&log_z, row.log_partition, "log Z");
        double s4 = pow(cases[c].sigma, 4); /* the finite-width term of docs/attention.md */
        expect_mean(&pairs, s4 * (1.0 - 5.0 * row.y[2] + 4.0 * row.y[3] + 6.0 * (row.y2_squared - row.y[4])),
                    "sum of A A e e");
    }
}

static void test_overlaps(void **state) {
    (void)state;
    static const struct {
        size_t keys;
        double sigma, rho;
    } cases[] = {{2, 1.0, 0.5},  {16, 0.2, 0.7}, {32, 2.0, 0.1},
                 {64, 3.0, 0.5}, {64, 5.0, 0.9}, {128, 4.0, 0.99}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t keys = cases[c].keys;
        double rho = cases[c].rho;
        sample_mean overlap = {0};
        for (size_t d = 0; d < DRAWS; d++) {
            double z[2 * MOST_KEYS], a[MOST_KEYS], b[MOST_KEYS], sum = 0.0;
            ireneo_fill_normals(11, c, d * 2 * keys, 2 * keys, z);
            for (size_t k = 0; k < keys; k++) {
                a[k] = cases[c].sigma * z[k];
                b[k] = cases[c].sigma * (rho * z[k] + sqrt(1.0 - rho * rho) * z[keys + k]);
            }
            softmax(a, keys);
            softmax(b, keys);
            for (size_t k = 0; k < keys; k++) sum += a[k] * b[k];
            add(&overlap, sum);
        }
        double expected = NAN;
        expect_ok(ireneo_rem_row_overlap(cases[c].sigma, rho, (double)keys, &expected));
        expect_mean(&overlap, expected, "O12");
    }
}

/* Atoms Gamma_i^{-1/m} of a Poisson process; what lies beyond the last atom is added by its mean. */
static void test_poisson_dirichlet(void **state) {
    (void)state;
    enum { ATOMS = 1500, SEQUENCES = 3000 };
    static const double ms[] = {0.283, 0.471, 0.6};
    for (size_t c = 0; c < sizeof ms / sizeof *ms; c++) {
        double m = ms[c];
        sample_mean y2 = {0}, y3 = {0}, y2_squared = {0}, combination = {0}, entropy = {0};
        for (uint64_t d = 0; d < SEQUENCES; d++) {
            ireneo_generator g = {13 + c, d, 0};
            double z = 0.0, gamma = 0.0, sums[4] = {0}, x_log_x = 0.0;
            for (int i = 0; i < ATOMS; i++) {
                gamma += ireneo_draw_exponential(&g);
                double x = pow(gamma, -1.0 / m);
                z += x;
                sums[2] += x * x;
                sums[3] += x * x * x;
                x_log_x += x * log(x);
            }
            double rest = pow(gamma, 1.0 - 1.0 / m) / (1.0 / m - 1.0);   /* mean of the atoms left out */
            x_log_x += -rest / m * (log(gamma) + 1.0 / (1.0 / m - 1.0)); /* and of x log x over them */
            z += rest;
            double p2 = sums[2] / (z * z), p3 = sums[3] / (z * z * z);
            add(&y2, p2);
            add(&y3, p3);
            add(&y2_squared, p2 * p2);
            add(&combination, p2 - 2.0 * p3 + p2 * p2);
            add(&entropy, log(z) - x_log_x / z);
        }
        ireneo_rem_row row;
        ireneo_rem_limit(M_SQRT2 / m, 1e4, &row);
        expect_mean(&y2, row.y[2], "Poisson-Dirichlet Y2");
        expect_mean(&y3, row.y[3], "Poisson-Dirichlet Y3");
        expect_mean(&y2_squared, row.y2_squared, "Poisson-Dirichlet Y2^2");
        expect_mean(&combination, m * (1.0 - m) / 3.0, "Poisson-Dirichlet gradient factor");
        expect_mean(&entropy, row.entropy, "Poisson-Dirichlet entropy");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_poisson_dirichlet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
