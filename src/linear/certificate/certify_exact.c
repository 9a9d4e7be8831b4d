/* Instances so close to their limit that neither the minimiser nor Newton's method comes to an end: the
 * interior point method tells on which side of the limit they lie. */
#include "linear/certificate/certify_exact.h"
#include "linear/certificate/interior_point.h"

#include <math.h>

/* Relative distance from the largest margin at which the method stops: any positive gap would do, and the last
 * digits of the margin are not wanted. */
static const double ACCURACY = 1e-3;

ireneo_error ireneo_certify_exact(const ireneo_problem *problem, const ireneo_working_set *set,
                                  const ireneo_progress *progress, float *w, bool *solved,
                                  ireneo_certificate **certificate) {
    ireneo_pair_loss pairs;
    ireneo_interior_point point;
    *certificate = NULL;
    *solved = false;
    IRENEO_TRY(ireneo_pair_loss_make(problem, set, 0.0, &pairs));
    ireneo_error failed = ireneo_interior_point_solve(&pairs, ACCURACY, progress, &point);
    if (failed == IRENEO_OK) {
        *solved = point.gap > 0.0;
        double scale = sqrt((double)problem->dim_in) / point.norm;
        for (size_t k = 0; *solved && k < pairs.area; k++) w[k] = (float)(scale * point.w[k]);
        if (!*solved) failed = ireneo_pair_loss_certificate(&pairs, point.weights, certificate);
        ireneo_interior_point_free(&point);
    }
    ireneo_pair_loss_free(&pairs);
    return failed;
}
