/* The rigorous lower bound of Ramsauer et al. on the number of patterns, and its limit for P = e^(alpha N).
 *
 * Theorem 3: a = 2/(d-1) (1 + log(2 beta K^2 p (d-1))), b = 2 K^2 beta / 5, c = b / W0(exp(a + log b)). With
 * d to infinity, K = 1 and beta = lambda: a -> 0, c = exp(W0(b)) and alpha = log(c) / 4. The separation
 * condition of their theorems 4 and 5 with the largest overlap of random patterns gives two sharper, less
 * rigorous readings. */
#include "dense/theory/ramsauer.h"
#include "base/roots.h"

#include <math.h>

/* W0(e^x): the w with w + log w = x, by Newton's steps. */
static double lambert_of_exp(double x) {
    double w = x > 1.0 ? x - log(x) : exp(x) / (1.0 + exp(x));
    for (int i = 0; i < 50; i++) {
        double next = w * (1.0 + x - log(w)) / (1.0 + w);
        if (fabs(next - w) <= 1e-16 * w) return next;
        w = next;
    }
    return w;
}

/* lambda (1 - sqrt(1 - e^(-2a))) - a: separation of a pattern from its nearest one, against the load. */
static double separation_balance(double load, void *context) {
    double lambda = *(const double *)context, q = exp(-2.0 * load);
    return lambda * q / (1.0 + sqrt(-expm1(-2.0 * load))) - load;
}

double ireneo_ramsauer_alpha(ireneo_ramsauer_variant variant, double lambda) {
    if (variant == IRENEO_RAMSAUER_THEOREM_3) return 0.25 * lambert_of_exp(log(0.4 * lambda));
    double load = NAN;
    (void)ireneo_find_root(separation_balance, &lambda, 0.0, fmin(lambda, 1.0 + 0.5 * log1p(lambda)), 1e-16,
                           &load);
    return variant == IRENEO_RAMSAUER_SEPARATION_ONE ? load : 0.5 * load;
}
