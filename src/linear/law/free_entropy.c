/* Volume of the memories that recall everything, in the decoupled problem: Phi(alpha) = lim log(volume) /
 * d^2.
 *
 * Phi = inf_q { 1/2 log(1 - q) + q / (2 (1 - q)) - alpha psi_p(q) }. At finite p, psi is an average over the
 * xi of a one-dimensional integral; the average is taken over a fixed set of draws, so Phi is a smooth
 * deterministic function of alpha for a given seed. Every draw is used with both signs: terms that are odd in
 * xi, which would swamp psi - 1 at small q, cancel exactly. */
#include "base/faddeeva.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/roots.h"

#include <math.h>

double ireneo_free_entropy_asymptotic(double load) {
    return load < 0.5 ? 0.5 * log1p(-2.0 * load) : -INFINITY;
}

/* phi(x) / Phi(x), also far in the lower tail. */
static double hazard(double x) {
    if (x > 0.0) return ireneo_normal_density(x) / ireneo_normal_cdf(x);
    return sqrt(2.0 / M_PI) / ireneo_erfcx(-x * M_SQRT1_2);
}

enum { NODES = 48 };

/* A Gauss-Legendre rule on [0, 1]. */
typedef struct rule {
    double nodes[NODES], weights[NODES];
} rule;

/* log Int phi(z) prod_j Phi(z + shift_j) dz, shifts (count). The integrand is log-concave with curvature at
 * least 1, so a Gauss rule around its mode is enough. */
static double log_win_probability(const rule *gauss, const double *shifts, size_t count) {
    double mode = 0.0, curvature = 1.0;
    for (int step = 0; step < 50; step++) {
        double slope = -mode;
        curvature = 1.0;
        for (size_t j = 0; j < count; j++) {
            double x = mode + shifts[j], h = hazard(x);
            slope += h;
            curvature += h * (x + h);
        }
        double move = slope / curvature;
        mode += move;
        if (fabs(move) < 1e-6) break;
    }
    double lower = mode - 9.0 / sqrt(curvature), upper = mode + fmin(8.0, 4.0 + 9.0 / sqrt(curvature));
    double logs[NODES], top = -INFINITY, sum = 0.0;
    for (int i = 0; i < NODES; i++) {
        double z = lower + (upper - lower) * gauss->nodes[i];
        double log_value = -0.5 * z * z - 0.5 * log(2.0 * M_PI);
        for (size_t j = 0; j < count; j++) log_value += ireneo_normal_log_cdf(z + shifts[j]);
        logs[i] = log_value;
        top = fmax(top, log_value);
    }
    for (int i = 0; i < NODES; i++) sum += gauss->weights[i] * exp(logs[i] - top);
    return top + log(sum * (upper - lower));
}

typedef struct entropy_problem {
    double load;
    size_t candidates, pairs;
    const double *xi; /* (pairs, candidates) */
    double *shifts;   /* (candidates - 1) */
    double psi_error; /* of the last evaluation */
    rule gauss;
} entropy_problem;

/* -log Pr[target wins] for the draw sign * xi. */
static double surprise(entropy_problem *problem, const double *xi, double signed_beta) {
    size_t p = problem->candidates;
    for (size_t j = 1; j < p; j++) problem->shifts[j - 1] = signed_beta * (xi[0] - xi[j]);
    return -log_win_probability(&problem->gauss, problem->shifts, p - 1);
}

static double psi(entropy_problem *problem, double q) {
    double beta = sqrt(q / (1.0 - q)), sum = 0.0, squares = 0.0, n = (double)problem->pairs;
    problem->psi_error = 0.0;
    if (q == 0.0) return 1.0;
    for (size_t k = 0; k < problem->pairs; k++) {
        const double *xi = problem->xi + k * problem->candidates;
        double value = 0.5 * (surprise(problem, xi, beta) + surprise(problem, xi, -beta)) /
                       log((double)problem->candidates);
        sum += value;
        squares += value * value;
    }
    double mean = sum / n;
    problem->psi_error = sqrt(fmax(0.0, squares / n - mean * mean) / n);
    return mean;
}

static double entropy_at(double q, void *context) {
    entropy_problem *problem = context;
    return 0.5 * log1p(-q) + 0.5 * q / (1.0 - q) - problem->load * psi(problem, q);
}

ireneo_error ireneo_free_entropy(double load, size_t candidates, size_t draws, uint64_t seed, double *entropy,
                                 double *overlap, double *error) {
    IRENEO_REQUIRE(entropy != NULL, "the free entropy needs a place to be written to");
    *entropy = 0.0;
    if (overlap != NULL) *overlap = 0.0;
    if (error != NULL) *error = 0.0;
    if (!(load >= 0.0) || candidates < 2 || draws < 2)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "free entropy needs a load >= 0, two candidates and two draws");
    double *xi = NULL, *shifts = NULL;
    size_t count, pairs = (draws + 1) / 2;
    IRENEO_TRY(ireneo_multiply_sizes(candidates, pairs, &count, "free-entropy draws"));
    ireneo_error failed = IRENEO_ALLOCATE(&xi, count, "free-entropy draws");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&shifts, candidates, "free-entropy shifts");
    if (failed == IRENEO_OK) {
        ireneo_fill_normals(seed, 0, 0, count, xi);
        entropy_problem problem = {load, candidates, pairs, xi, shifts, 0.0, {{0.0}, {0.0}}};
        ireneo_gauss_legendre(NODES, 0.0, 1.0, problem.gauss.nodes, problem.gauss.weights);
        double q;
        *entropy = ireneo_find_minimum(entropy_at, &problem, 0.0, 0.999, 1e-6, &q);
        double at_zero = entropy_at(0.0, &problem);
        if (at_zero < *entropy) *entropy = at_zero, q = 0.0;
        if (overlap != NULL) *overlap = q;
        psi(&problem, q);
        if (error != NULL) *error = load * problem.psi_error;
    }
    free(xi);
    free(shifts);
    return failed;
}
