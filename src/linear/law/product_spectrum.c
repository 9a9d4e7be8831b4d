/* The Stieltjes transform g(x) = Int rho(l) / (x - l) dl solves
 *     kappa^2 x^2 g^3 + 2 kappa (1 - kappa) x g^2 + ((1 - kappa)^2 - x) g + 1 = 0 .
 * Inside the support two roots are complex, and rho(x) = |Im g| / pi; outside all three are real. */
#include "linear/law/product_spectrum.h"
#include "base/quadrature.h"

#include <math.h>
#include <stdbool.h>

/* y^3 + p y + q, the cubic without its square term, at x. */
static void depressed_cubic(double x, double kappa, double *p, double *q) {
    double a = kappa * kappa * x * x, b = 2.0 * kappa * (1.0 - kappa) * x / a,
           c = ((1.0 - kappa) * (1.0 - kappa) - x) / a, d = 1.0 / a;
    *p = c - b * b / 3.0;
    *q = 2.0 * b * b * b / 27.0 - b * c / 3.0 + d;
}

/* Positive inside the support. */
static double complexity(double x, double kappa) {
    double p, q;
    depressed_cubic(x, kappa, &p, &q);
    return q * q / 4.0 + p * p * p / 27.0;
}

double ireneo_product_spectrum_density(double x, double kappa) {
    if (!(x > 0.0)) return 0.0;
    double p, q;
    depressed_cubic(x, kappa, &p, &q);
    double inside = q * q / 4.0 + p * p * p / 27.0;
    if (inside <= 0.0) return 0.0;
    /* Cardano; the second cube root from the product of the two, -p/3, to avoid cancellation. */
    double root = sqrt(inside), first = cbrt(q > 0.0 ? -q / 2.0 - root : -q / 2.0 + root);
    double second = first != 0.0 ? -p / (3.0 * first) : 0.0;
    return 0.5 * sqrt(3.0) * fabs(first - second) / M_PI;
}

/* Where the sign of `complexity` changes between an x inside and one outside. */
static double find_edge(double inside, double outside, double kappa) {
    for (int i = 0; i < 200 && fabs(inside - outside) > 1e-15 * inside; i++) {
        double middle = 0.5 * (inside + outside);
        if (complexity(middle, kappa) > 0.0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

void ireneo_product_spectrum_edges(double kappa, double *lower, double *upper) {
    /* The squared values lie between the products of the extreme ones of U^T U / d and V^T V / d; their mean
     * is 1. */
    double root = sqrt(kappa), least = pow(1.0 - root, 4.0), most = pow(1.0 + root, 4.0);
    *upper = find_edge(1.0, most, kappa);
    *lower = kappa >= 1.0 ? 0.0 : find_edge(1.0, least, kappa);
}

double ireneo_product_spectrum_cdf(double x, double kappa) {
    enum { NODES = 160 };
    double lower, upper, nodes[NODES], weights[NODES], sum = 0.0;
    ireneo_product_spectrum_edges(kappa, &lower, &upper);
    if (x <= lower) return 0.0;
    if (x >= upper) return 1.0;
    /* x = lower + width sin^3: smooth at a square-root edge and at the x^(-2/3) of kappa = 1 alike. */
    double width = upper - lower, end = asin(cbrt((x - lower) / width));
    ireneo_gauss_legendre(NODES, 0.0, end, nodes, weights);
    for (int i = 0; i < NODES; i++) {
        double s = sin(nodes[i]), at = lower + width * s * s * s;
        sum += weights[i] * 3.0 * width * s * s * cos(nodes[i]) * ireneo_product_spectrum_density(at, kappa);
    }
    return fmin(1.0, sum);
}
