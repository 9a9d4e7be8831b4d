/* Hebbian scores are nearly Gaussian: off-target ones with mean 0, the target's with mean d_in d_out. */
#include "linear/law/hebbian_law.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "linear/law/p_log_p.h"

#include <math.h>

double ireneo_hebbian_law_capacity(double dim_in, double dim_out, double candidates) {
    double budget = dim_in * dim_out / 8.0;
    return candidates > 0.0 ? budget / log(candidates) : ireneo_solve_p_log_p(budget);
}

double ireneo_hebbian_law_accuracy(double dim_in, double dim_out, double facts, double candidates) {
    enum { NODES = 96 };
    double area = dim_in * dim_out;
    double off = area * (facts + dim_in + dim_out * fmin(1.0, facts / candidates));
    double target = area * (facts + 2.0 * dim_in + 2.0 * dim_out);
    double mean = area / sqrt(off), deviation = sqrt(target / off), nodes[NODES], weights[NODES], sum = 0.0;
    ireneo_gauss_legendre(NODES, -9.0, 9.0, nodes, weights);
    for (int i = 0; i < NODES; i++)
        sum += weights[i] * ireneo_normal_density(nodes[i]) *
               exp((candidates - 1.0) * ireneo_normal_log_cdf(mean + deviation * nodes[i]));
    return fmin(1.0, sum);
}
