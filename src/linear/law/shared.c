/* The second-order theory of shared candidates. Fact i asks W x_i into the cone Gamma of its target. For g ~ N(0, 1) let r
 * be what the projection on Gamma moves, B the mean projector on the span of the active y_t - y_j and M = E r r^T, both
 * without their traces. Keys i and i' overlap by a random number of variance 1 / d_in, and a pair of facts changes the
 * dimensions that are used by <B, M' - B'> / d_in. Over n (n - 1) pairs, a share pi of them with one target,
 *     eps = (n - 1) / (delta d_in) [ (1 - pi) (u + s) / (P - 1) - pi s ] / ((1 - b) (1 - delta / d_in)) ,
 * s = <B, M - B> on one cone, u = P <B, B - M> of the means over all cones. 1 / (1 - b) is the Hessian of the matrices
 * that W adapts, b = (delta + v / delta + 2) / (d_out + 2) - 1 / d_out; the other factor is its mirror on the side of the
 * keys, found by symmetry. */
#include "linear/law/shared.h"
#include "linear/law/shared_table.h"

#include <math.h>
#include <stddef.h>

/* Where x lies between the ascending marks: the lower one, and the way to the next; below 0 or above 1 outside. */
static size_t find_place(const double *marks, size_t count, double x, double *way) {
    size_t k = 0;
    while (k + 2 < count && x > marks[k + 1]) k++;
    *way = log(x / marks[k]) / log(marks[k + 1] / marks[k]);
    return k;
}

static double between(double from, double to, double way) {
    return from + way * (to - from);
}

ireneo_lean ireneo_cone_lean(double dim_out, double candidates) {
    double down, across, ratio = fmax(ireneo_shared_ratio[0], (candidates - 1.0) / dim_out);
    size_t i = find_place(ireneo_shared_dim, IRENEO_SHARED_DIMS, fmax(ireneo_shared_dim[0], dim_out), &down);
    size_t k = find_place(ireneo_shared_ratio, IRENEO_SHARED_RATIOS,
                          fmin(ireneo_shared_ratio[IRENEO_SHARED_RATIOS - 1], ratio), &across);
    double near = fmin(1.0, down); /* s goes on growing with log d beyond the table, u does not */
    return (ireneo_lean){
        between(between(ireneo_shared_self[i][k], ireneo_shared_self[i][k + 1], across),
                between(ireneo_shared_self[i + 1][k], ireneo_shared_self[i + 1][k + 1], across), down),
        between(between(ireneo_shared_tilt[i][k], ireneo_shared_tilt[i][k + 1], across),
                between(ireneo_shared_tilt[i + 1][k], ireneo_shared_tilt[i + 1][k + 1], across), near)};
}

/* Where a memory has hardly more dimensions than a fact uses the factors of the Hessian lose their meaning. */
static const double MOST_RESPONSE = 0.6;

/* 1 / (1 - b): what W adapts on the side of the values. */
static double value_response(const ireneo_sharing *s) {
    double b = (s->delta + s->variance / s->delta + 2.0) / (s->dim_out + 2.0) - 1.0 / s->dim_out;
    return 1.0 / (1.0 - fmin(MOST_RESPONSE, fmax(0.0, b)));
}

static double response(const ireneo_sharing *s) {
    return value_response(s) / (1.0 - fmin(MOST_RESPONSE, s->delta / s->dim_in));
}

static double per_pair(const ireneo_sharing *s, double facts) {
    return fmax(0.0, facts - 1.0) / (s->delta * s->dim_in) * response(s);
}

double ireneo_shared_correction(const ireneo_sharing *s, double facts, double coincidence) {
    ireneo_lean lean = ireneo_cone_lean(s->dim_out, s->candidates);
    double cross = (lean.tilt + lean.self) / (s->candidates - 1.0);
    return per_pair(s, facts) * ((1.0 - coincidence) * cross - coincidence * lean.self);
}

/* The n_t facts of one answer are coupled through the direction of its value alone. There W gives the scores a variance A and
 * lets them move at a price 1 / theta, at the saddle point of
 *     A / theta - A + theta - 1 - nu (D(A, theta) - delta) ,   nu = n_t / d_in ,
 * D the mean squared distance of a fact whose target has that variance and that price (docs/linear.md, "Skewed answers").
 * Its value is -s nu^2 e^{y(nu)}; y is a fit to the saddle within 2 % up to nu = 1.7 and P = 87 to 1000. It diverges at
 * nu = 2, where no half-space holds the keys of the answer. */
static double saddle_growth(double candidates, double nu) {
    double l = log(candidates), x = fmin(nu, 2.0);
    double first = 0.241 + 0.066 * l, second = 0.083 + 0.019 * fmin(3.0, l - 4.47),
           fourth = 0.017 * fmax(0.0, l - 3.6);
    return x * (first + x * (second + x * x * fourth));
}

/* That is for values of many dimensions. In few the cones lean less, by s over its leading value, and the growth is seen to
 * go with it: none at less than half. This step alone is measured, on square memories of 20 to 100 dimensions and
 * 20 x 40. */
static double growth_share(const ireneo_sharing *s, double self) {
    return 1.25 * fmin(1.0, fmax(0.0, 4.0 * (self / s->leading - 0.47)));
}

double ireneo_shared_answer(const ireneo_sharing *s, double facts) {
    double self = ireneo_cone_lean(s->dim_out, s->candidates).self, nu = facts / s->dim_in,
           factor = response(s);
    if (!(s->leading > 0.0) || facts <= 0.0 || self <= 0.0) return 0.0;
    double growth = saddle_growth(s->candidates, growth_share(s, self) * value_response(s) * nu);
    return s->dim_in * self * factor * nu * nu * expm1(growth);
}
