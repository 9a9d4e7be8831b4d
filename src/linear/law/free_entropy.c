/* Volume of the memories that recall everything, in the decoupled problem: Phi(alpha) = lim log(volume) /
 * d^2.
 *
 * Phi = inf_q { 1/2 log(1 - q) + q / (2 (1 - q)) - alpha psi_p(q) }. At finite p, psi is an average over the
 * xi of a one-dimensional integral; the average is taken over a fixed set of draws, so Phi is a smooth
 * deterministic function of alpha for a given seed. Every draw is used with both signs: terms that are odd in
 * xi, which would swamp psi - 1 at small q, cancel exactly. And the squared distance of xi from the recall cone, whose mean
 * delta(p) is known, is a control variate: towards capacity psi goes to dist^2 / (2 log p (1 - q)), draw by draw. From
 * alpha = log p / delta(p) on there is no volume.
 *
 * With a rank the first two terms become S_kappa(q) (rank_entropy.c), and capacity E(kappa) log p / delta(p). Without a number
 * of candidates psi is its limit 1 / (1 - q). */
#include "base/faddeeva.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/roots.h"
#include "linear/law/cone.h"
#include "linear/law/rank_entropy.h"
#include "linear/law/rank_spectrum.h"
#include "linear/law/solution_spectrum.h"

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
    const rank_entropy *of_rank; /* NULL: full matrices */
    size_t candidates, pairs;    /* candidates 0: the limit */
    double delta;
    const double *xi; /* (pairs, candidates) */
    double *shifts;   /* (candidates - 1) */
    double *control;  /* (pairs) squared distance from the recall cone, mean over both signs */
    double *value;    /* (pairs) -log Pr[target wins] / log p of the last evaluation, likewise */
    rule gauss;
} entropy_problem;

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* dist^2 of sign * xi from the cone: the level is the mean of the target and the competitors above it. */
static double cone_distance(entropy_problem *problem, const double *xi, double sign) {
    size_t count = problem->candidates - 1, above = 0;
    double *others = problem->shifts, target = sign * xi[0], sum = target;
    for (size_t j = 0; j < count; j++) others[j] = sign * xi[j + 1];
    qsort(others, count, sizeof *others, falling);
    while (above < count && others[above] > sum / ((double)above + 1.0)) sum += others[above++];
    double level = sum / ((double)above + 1.0), squares = (target - level) * (target - level);
    for (size_t j = 0; j < above; j++) squares += (others[j] - level) * (others[j] - level);
    return squares;
}

/* -log Pr[target wins] for the draw sign * xi. */
static double surprise(entropy_problem *problem, const double *xi, double signed_beta) {
    size_t p = problem->candidates;
    for (size_t j = 1; j < p; j++) problem->shifts[j - 1] = signed_beta * (xi[0] - xi[j]);
    return -log_win_probability(&problem->gauss, problem->shifts, p - 1);
}

static void fill_values(entropy_problem *problem, double q) {
    double beta = sqrt(q / (1.0 - q));
    for (size_t k = 0; k < problem->pairs; k++) {
        const double *xi = problem->xi + k * problem->candidates;
        problem->value[k] = q == 0.0 ? 1.0
                                     : 0.5 * (surprise(problem, xi, beta) + surprise(problem, xi, -beta)) /
                                           log((double)problem->candidates);
    }
}

/* The mean of values (pairs) with the control's known mean, and its standard error. */
static double controlled_mean(const entropy_problem *problem, const double *values, double *error) {
    double n = (double)problem->pairs, mean = 0.0, of_control = 0.0, both = 0.0, squares = 0.0, left = 0.0;
    for (size_t k = 0; k < problem->pairs; k++) mean += values[k] / n, of_control += problem->control[k] / n;
    for (size_t k = 0; k < problem->pairs; k++) {
        double c = problem->control[k] - of_control;
        both += c * (values[k] - mean), squares += c * c;
    }
    double slope = squares > 0.0 ? both / squares : 0.0;
    for (size_t k = 0; k < problem->pairs; k++) {
        double rest = values[k] - mean - slope * (problem->control[k] - of_control);
        left += rest * rest;
    }
    if (error != NULL) *error = sqrt(left / fmax(1.0, n - 2.0) / n);
    return mean - slope * (of_control - problem->delta);
}

static double psi(entropy_problem *problem, double q, double *error) {
    if (problem->candidates == 0) {
        if (error != NULL) *error = 0.0;
        return 1.0 / (1.0 - q);
    }
    fill_values(problem, q);
    return controlled_mean(problem, problem->value, error);
}

static double entropy_at(double q, void *context) {
    entropy_problem *problem = context;
    double pairs = problem->of_rank != NULL ? ireneo_rank_entropy_at(problem->of_rank, q)
                                            : 0.5 * log1p(-q) + 0.5 * q / (1.0 - q);
    return pairs - problem->load * psi(problem, q, NULL);
}

/* The error of q, where the slope of the entropy vanishes: that of load psi'(q) over the curvature there, both from
 * differences; `before` (pairs) is room. */
static double overlap_error_at(entropy_problem *problem, double q, double *before) {
    double step = 0.05 * fmin(q, 1.0 - q), low = entropy_at(q - step, problem), error;
    if (step < 1e-6) return 0.0;
    for (size_t k = 0; k < problem->pairs; k++) before[k] = problem->value[k];
    double high = entropy_at(q + step, problem);
    for (size_t k = 0; k < problem->pairs; k++) problem->value[k] -= before[k];
    controlled_mean(problem, problem->value, &error);
    double slope_error = problem->load * error / (2.0 * step);
    double curvature = (low + high - 2.0 * entropy_at(q, problem)) / (step * step);
    return curvature > 0.0 ? slope_error / curvature : NAN;
}

/* Where the entropy is least, with its errors. */
static void find_least(entropy_problem *problem, double *room, ireneo_free_entropy_report *report) {
    double q = 0.0, error, at_zero = entropy_at(0.0, problem);
    report->entropy = ireneo_find_minimum(entropy_at, problem, 0.0, 0.999, 1e-6, &q);
    if (at_zero < report->entropy) report->entropy = at_zero, q = 0.0;
    psi(problem, q, &error);
    report->overlap = q;
    report->entropy_error = problem->load * error;
    report->overlap_error = room == NULL ? 0.0 : overlap_error_at(problem, q, room);
}

static ireneo_error make_problem(size_t draws, uint64_t seed, double **xi, double **room,
                                 entropy_problem *problem) {
    size_t count, pairs = (draws + 1) / 2, p = problem->candidates;
    IRENEO_TRY(ireneo_multiply_sizes(p, pairs, &count, "free-entropy draws"));
    IRENEO_TRY(IRENEO_ALLOCATE(xi, count, "free-entropy draws"));
    IRENEO_TRY(IRENEO_ALLOCATE(room, p + 3 * pairs, "free-entropy averages"));
    ireneo_fill_normals(seed, 0, 0, count, *xi);
    problem->pairs = pairs;
    problem->xi = *xi;
    problem->shifts = *room;
    problem->control = *room + p;
    problem->value = *room + p + pairs;
    ireneo_gauss_legendre(NODES, 0.0, 1.0, problem->gauss.nodes, problem->gauss.weights);
    for (size_t k = 0; k < pairs; k++)
        problem->control[k] =
            0.5 * (cone_distance(problem, *xi + k * p, 1.0) + cone_distance(problem, *xi + k * p, -1.0));
    return IRENEO_OK;
}

/* Where the volume ends: E(kappa) log p / delta(p), E(kappa) / 2 in the limit. */
static ireneo_error find_capacity(rank_shape shape, entropy_problem *problem, double *capacity) {
    double energy = ireneo_rank_spectrum_energy(shape.kappa, shape.aspect), p = (double)problem->candidates;
    *capacity = 0.5 * energy;
    if (problem->candidates == 0) return IRENEO_OK;
    IRENEO_TRY(ireneo_cone_delta(p, &problem->delta));
    *capacity = energy * log(p) / problem->delta;
    return IRENEO_OK;
}

static ireneo_error solve(entropy_problem *problem, size_t draws, uint64_t seed,
                          ireneo_free_entropy_report *report) {
    double *xi = NULL, *room = NULL;
    ireneo_error failed =
        problem->candidates == 0 ? IRENEO_OK : make_problem(draws, seed, &xi, &room, problem);
    if (failed == IRENEO_OK)
        find_least(problem, room == NULL ? NULL : room + problem->candidates + 2 * problem->pairs, report);
    free(xi);
    free(room);
    return failed;
}

static ireneo_error fill_spectrum(rank_shape shape, ireneo_free_entropy_report *report) {
    spectrum_summary summary;
    IRENEO_TRY(ireneo_solution_spectrum_summary(shape, report->overlap, &summary));
    report->singular_low = summary.low;
    report->singular_high = summary.high;
    report->singular_fourth = summary.fourth;
    return IRENEO_OK;
}

ireneo_error ireneo_free_entropy_of_rank(double load, size_t candidates, double rank_share, double aspect,
                                         size_t draws, uint64_t seed, ireneo_free_entropy_report *report) {
    IRENEO_REQUIRE(report != NULL, "the free entropy needs a place to be written to");
    *report = (ireneo_free_entropy_report){0};
    if (!(load >= 0.0) || candidates == 1 || (candidates > 0 && draws < 6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "free entropy needs a load >= 0, two candidates and six draws");
    if (!(rank_share > 0.0 && rank_share <= 1.0) || !(aspect > 0.0 && aspect <= 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "free entropy needs a rank share and an aspect in (0, 1]");
    rank_shape shape = {rank_share, aspect};
    rank_entropy table;
    entropy_problem problem = {.load = load, .candidates = candidates};
    double capacity;
    IRENEO_TRY(find_capacity(shape, &problem, &capacity));
    if (load >= capacity) {
        *report = (ireneo_free_entropy_report){.entropy = -INFINITY, .overlap = 1.0};
        return IRENEO_OK;
    }
    if (rank_share < 1.0) {
        IRENEO_TRY(ireneo_rank_entropy_make(shape, &table));
        problem.of_rank = &table;
    }
    IRENEO_TRY(solve(&problem, draws, seed, report));
    return fill_spectrum(shape, report);
}

ireneo_error ireneo_free_entropy(double load, size_t candidates, size_t draws, uint64_t seed,
                                 ireneo_free_entropy_report *report) {
    if (report != NULL) *report = (ireneo_free_entropy_report){0};
    if (candidates < 2)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "free entropy needs a load >= 0, two candidates and six draws");
    return ireneo_free_entropy_of_rank(load, candidates, 1.0, 1.0, draws, seed, report);
}
