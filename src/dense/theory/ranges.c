/* One sentence for each way in which a question can be out of range. */
#include "dense/theory/ranges.h"

#include <math.h>

ireneo_error ireneo_check_ensemble(ireneo_dense_ensemble ensemble) {
    if (ensemble != IRENEO_DENSE_ENSEMBLE_SPHERICAL && ensemble != IRENEO_DENSE_ENSEMBLE_GAUSSIAN &&
        ensemble != IRENEO_DENSE_ENSEMBLE_BINARY)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the ensemble is spherical, gaussian or binary, not number %d", (int)ensemble);
    return IRENEO_OK;
}

ireneo_error ireneo_check_lambda(double lambda) {
    if (!(lambda >= 1e-9 && lambda <= 1e9))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "lambda must lie between 1e-9 and 1e9, not %g", lambda);
    return IRENEO_OK;
}

ireneo_error ireneo_check_alpha(double alpha) {
    if (!(alpha >= 1e-9 && alpha <= 100.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the load alpha = log(P)/N must lie between 1e-9 and 100, not %g", alpha);
    return IRENEO_OK;
}

ireneo_error ireneo_check_neurons(double neurons) {
    if (!(neurons >= 2.0 && neurons <= 1e9 && neurons == floor(neurons)))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the number of neurons must be a whole number between 2 and 1e9, not %g", neurons);
    return IRENEO_OK;
}

ireneo_error ireneo_check_patterns(double patterns) {
    if (!(patterns >= 2.0 && patterns <= 0x1p63 && patterns == floor(patterns)))
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "the number of patterns must be a whole number between 2 and 2^63, not %g; give the "
            "load alpha for more",
            patterns);
    return IRENEO_OK;
}
