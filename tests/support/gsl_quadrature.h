/* Integrals by GSL, as oracles. */
#ifndef IRENEO_TESTS_GSL_QUADRATURE_H
#define IRENEO_TESTS_GSL_QUADRATURE_H

#include <gsl/gsl_integration.h>
#include <math.h>
#include <string.h>

/* Over a finite interval, adaptively; GSL ends the program when it cannot reach the tolerances. */
static inline double integrate_with_gsl(double (*f)(double, void *), void *context, double lower,
                                        double upper, double absolute, double relative) {
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(2000);
    gsl_function g = {f, context};
    double result, error;
    gsl_integration_qag(&g, lower, upper, absolute, relative, 2000, GSL_INTEG_GAUSS31, w, &result, &error);
    gsl_integration_workspace_free(w);
    return result;
}

/* Nodes and weights (count) for averages over N(0, 1). */
static inline void gauss_hermite_with_gsl(size_t count, double *nodes, double *weights) {
    gsl_integration_fixed_workspace *w =
        gsl_integration_fixed_alloc(gsl_integration_fixed_hermite, count, 0.0, 0.5, 0.0, 0.0);
    memcpy(nodes, gsl_integration_fixed_nodes(w), count * sizeof *nodes);
    for (size_t i = 0; i < count; i++) weights[i] = gsl_integration_fixed_weights(w)[i] / sqrt(2.0 * M_PI);
    gsl_integration_fixed_free(w);
}

#endif
