/* Hebbian scores at finite size. For the key x and the value y of a fact, with A = |x|^2 and B = |y|^2, the memory answers
 * W x = A y + v, v the noise of the other n - 1 facts. The target's score is
 *     T = A B + y . v ,   of variance  A B (n - 1) + A B^2 (n / P - 1)_+ ,
 * the second term where several facts have one value. A competitor's score is its product with W x, Gaussian of variance
 * |W x|^2, and the noise of the facts whose value it is itself:
 *     T^2 / B + A (n - 1 - n / P) C + A d_out^2 n / P ,
 * where T^2 / B is the part of W x along y, so a lucky target meets stronger competitors, and C = |v|^2 across y, in
 * units of its mean entry. A, B and C are chi-squared with d_in, d_out and d_out - 1 degrees of freedom; chances are
 * averaged over them and over T. */
#include "linear/law/hebbian_law.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "base/roots.h"
#include "linear/law/p_log_p.h"

#include <math.h>

double ireneo_hebbian_law_capacity(double dim_in, double dim_out, double candidates) {
    double budget = dim_in * dim_out / 8.0;
    return candidates > 0.0 ? budget / log(candidates) : ireneo_solve_p_log_p(budget);
}

enum { NORMS = 7, SCORES = 24 };

/* Squared norms of Gaussian vectors and their weights: Gauss and Hermite's rule for a normal number, taken to a chi-squared
 * one by Wilson and Hilferty's cube. */
typedef struct norm_rule {
    double squares[NORMS];
} norm_rule;

static const double NORM_NODES[NORMS] = {-3.7504397177257425, -2.3667594107345415, -1.1544053947399682, 0.0,
                                         1.1544053947399682,  2.3667594107345415,  3.7504397177257425};
static const double NORM_WEIGHTS[NORMS] = {0.000548268855972218, 0.0307571239675865, 0.2401231786050126,
                                           0.4571428571428573,   0.2401231786050126, 0.0307571239675865,
                                           0.000548268855972218};

static norm_rule squared_norms(double dim) {
    norm_rule rule;
    double small = 2.0 / (9.0 * dim);
    for (int i = 0; i < NORMS; i++) {
        double root = fmax(0.05, 1.0 - small + NORM_NODES[i] * sqrt(small));
        rule.squares[i] = dim * root * root * root;
    }
    return rule;
}

typedef struct hebbian_setting {
    double dim_out, facts, candidates;
    norm_rule across; /* C */
    double nodes[SCORES], weights[SCORES];
} hebbian_setting;

/* Chance that a target of squared norms A and B loses to one of its competitors. */
static double miss_chance(const hebbian_setting *s, double a, double b) {
    double share = s->facts / s->candidates, others = fmax(0.0, s->facts - 1.0), sum = 0.0;
    double deviation = sqrt(a * b * (others + b * fmax(0.0, share - 1.0)));
    double own = a * s->dim_out * s->dim_out * share, noise = a * fmax(0.0, others - share);
    for (int i = 0; i < SCORES; i++) {
        double score = a * b + deviation * s->nodes[i], lost = 0.0;
        for (int k = 0; k < NORMS; k++) {
            double off = score * score / b + noise * s->across.squares[k] + own;
            lost -= NORM_WEIGHTS[k] * expm1((s->candidates - 1.0) * ireneo_normal_log_cdf(score / sqrt(off)));
        }
        sum += s->weights[i] * lost;
    }
    return sum;
}

/* The share of facts that is not recalled, exact also where it is tiny. */
static double miss_share(double dim_in, double dim_out, double facts, double candidates) {
    norm_rule a = squared_norms(dim_in), b = squared_norms(dim_out);
    hebbian_setting s = {dim_out, facts, candidates, squared_norms(fmax(1.0, dim_out - 1.0)), {0.0}, {0.0}};
    double sum = 0.0;
    ireneo_gauss_legendre(SCORES, -7.5, 7.5, s.nodes, s.weights);
    for (int i = 0; i < SCORES; i++) s.weights[i] *= ireneo_normal_density(s.nodes[i]);
    for (int i = 0; i < NORMS; i++)
        for (int k = 0; k < NORMS; k++)
            sum += NORM_WEIGHTS[i] * NORM_WEIGHTS[k] * miss_chance(&s, a.squares[i], b.squares[k]);
    return fmin(1.0, fmax(0.0, sum));
}

double ireneo_hebbian_law_accuracy(double dim_in, double dim_out, double facts, double candidates) {
    return 1.0 - miss_share(dim_in, dim_out, facts, candidates);
}

double ireneo_hebbian_law_all(double dim_in, double dim_out, double facts, double candidates) {
    return exp(facts * log1p(-miss_share(dim_in, dim_out, facts, candidates)));
}

typedef struct half_problem {
    double dim_in, dim_out, candidates;
} half_problem;

static double half_excess(double log_facts, void *context) {
    const half_problem *p = context;
    double facts = exp(log_facts), candidates = p->candidates > 0.0 ? p->candidates : fmax(2.0, facts);
    return ireneo_hebbian_law_all(p->dim_in, p->dim_out, facts, candidates) - 0.5;
}

double ireneo_hebbian_law_half(double dim_in, double dim_out, double candidates) {
    half_problem problem = {dim_in, dim_out, candidates};
    double most = log(2.0 + 4.0 * ireneo_hebbian_law_capacity(dim_in, dim_out, candidates)), root;
    if (half_excess(0.0, &problem) <= 0.0) return 1.0;
    if (ireneo_find_root(half_excess, &problem, 0.0, most, 1e-4, &root) != IRENEO_OK) return exp(most);
    return exp(root);
}
