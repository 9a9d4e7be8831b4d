/* Singular values of a typical solution of a rank, at overlap q.
 *
 * Given the projector P of rank_saddle.c the solution is a Gaussian around the field G P. The compression P A P follows
 * from the boundary values of a complex Burgers equation: with h the resolvent of the arc, G_C(x) = h(X) at x = X -
 * (1 - kappa)/(h + theta). Adding the noise moves x and the resolvent once more, and what is left is short: with w = theta
 * / (theta + h(X)) and c = d_min / d_max, the squared singular values have
 *
 *     z = (c theta X / w^2 + (1 - c) / w) / Lambda,   (1/d_min) Tr (z - W^T W)^-1 = Lambda h(X) w / (c theta).
 *
 * The density at s is found by going down to the real axis at z = s^2 from far above, X following by Newton. */
#include "linear/law/solution_spectrum.h"
#include "linear/law/rank_entropy.h"
#include "linear/law/rank_spectrum.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>

typedef struct spectrum_path {
    rank_shape shape;
    rank_saddle saddle;
    double lambda;
    rank_rule rule;
    double complex x, root, h; /* where the path is: X, R(X) on its sheet, h(X) */
} spectrum_path;

/* g_A and its slope. */
static double complex law_resolvent(double c, double complex x, double complex *slope) {
    double low = (1.0 - sqrt(c)) * (1.0 - sqrt(c)), high = (1.0 + sqrt(c)) * (1.0 + sqrt(c));
    double complex root = csqrt(x - low) * csqrt(x - high), g = (x - 1.0 + c - root) / (2.0 * c * x);
    *slope = (1.0 - (x - 1.0 - c) / root) / (2.0 * c * x) - g / x;
    return g;
}

/* h and its slope at X. R is the root that lies nearer to the one before: the path may pass through the arc. Beside the
 * law of A, where R(a) = -|R(a)|, h is smooth on the sheet on which R is near that; on the other it is g_A - theta - h. */
static double complex resolvent(const spectrum_path *p, double complex x, double complex *root,
                                double complex *slope) {
    double complex from = x - p->saddle.u, smooth = -csqrt(from * from + p->saddle.v * p->saddle.v);
    double complex h = -0.5 * p->saddle.theta, rise = 0.0, law_rise;
    for (size_t k = 0; k < p->rule.count; k++) {
        double at = hypot(p->rule.from_u[k], p->saddle.v), half = 0.5 * p->rule.weight[k];
        double complex near = 1.0 / (from - p->rule.from_u[k]), share = (1.0 + smooth / at) * near;
        h += half * share;
        rise += half * near * (from / (smooth * at) - share);
    }
    if (cabs(smooth - *root) <= cabs(smooth + *root)) {
        *root = smooth;
        *slope = rise;
        return h;
    }
    h = law_resolvent(p->shape.aspect, x, &law_rise) - p->saddle.theta - h;
    *root = -smooth;
    *slope = law_rise - rise;
    return h;
}

/* z at X, and its slope. */
static double complex place(const spectrum_path *p, double complex x, double complex h, double complex rise,
                            double complex *slope) {
    double c = p->shape.aspect, theta = p->saddle.theta;
    double complex w = theta / (theta + h);
    *slope = (c * theta / (w * w) + (2.0 * c * x / w + (1.0 - c) / theta) * rise) / p->lambda;
    return (c * theta * x / (w * w) + (1.0 - c) / w) / p->lambda;
}

/* Newton's steps from where the path is to z(X) = target; false: they do not arrive. */
static bool step_to(spectrum_path *p, double complex target) {
    double complex x = p->x, root = p->root, rise, slope;
    for (int step = 0; step < 12; step++) {
        double complex h = resolvent(p, x, &root, &rise), z = place(p, x, h, rise, &slope);
        double complex move = (target - z) / slope;
        if (!(cabs(move) < 0.3 * cabs(x) + 1e-6)) return false;
        if (cabs(target - z) < 1e-11 * (1.0 + cabs(target))) {
            p->x = x, p->root = root, p->h = h;
            return true;
        }
        x += move;
    }
    return false;
}

/* From z = `from` to z = `to`, in pieces that are halved where Newton does not follow. */
static bool walk(spectrum_path *p, double complex from, double complex to) {
    double done = 0.0, piece = 1.0;
    while (done < 1.0) {
        double next = fmin(1.0, done + piece);
        if (step_to(p, from + next * (to - from))) {
            done = next;
            piece *= 1.5;
        } else if ((piece *= 0.5) < 1e-7) {
            return false;
        }
    }
    return true;
}

static ireneo_error start(rank_shape shape, double overlap, spectrum_path *p) {
    p->shape = shape;
    IRENEO_TRY(ireneo_rank_saddle_of(shape, fmax(1e-4, overlap), &p->saddle, &p->lambda));
    ireneo_rank_rule_fill(shape.aspect, p->saddle.u, p->saddle.v, &p->rule);
    return IRENEO_OK;
}

/* Far above the point s^2, where X = z Lambda / (c theta) nearly. */
static double complex begin(spectrum_path *p, double s) {
    double complex z = s * s + 1e4 * I;
    p->x = z * p->lambda / (p->shape.aspect * p->saddle.theta);
    p->root = p->x;
    return step_to(p, z) ? z : NAN;
}

/* Density of the non-zero singular values at s > 0. */
static double density(spectrum_path *p, double s) {
    double complex z = begin(p, s), goal;
    if (isnan(creal(z))) return NAN;
    for (double height = 3e3; height > 1e-7; height *= 0.3, z = goal) {
        goal = s * s + height * I;
        if (!walk(p, z, goal)) return NAN;
    }
    double complex g = p->lambda * p->h / (p->shape.aspect * (p->saddle.theta + p->h) * p->shape.kappa);
    return fmax(0.0, -2.0 * s * cimag(g) / M_PI);
}

/* The end of the support between a point inside and one outside: the density rises from it like a root. */
static double edge(spectrum_path *p, double inside, double outside) {
    for (int step = 0; step < 40 && fabs(inside - outside) > 1e-7; step++) {
        double middle = 0.5 * (inside + outside);
        if (density(p, middle) > 1e-3)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

/* Mean of s^4 over all d_min: (1 / 2 pi i) times the integral of z^2 g dz around everything. */
static double fourth_moment(spectrum_path *p) {
    enum { POINTS = 256 };
    double complex sum = 0.0;
    double radius = 4.0 * (4.0 + hypot(p->saddle.u, p->saddle.v) + 1.0 / p->saddle.theta);
    for (int k = 0; k < POINTS; k++) {
        double complex x = radius * cexp(2.0 * M_PI * I * (k + 0.5) / POINTS), root = x, rise, slope;
        double complex h = resolvent(p, x, &root, &rise), z = place(p, x, h, rise, &slope);
        double complex g = p->lambda * h / (p->shape.aspect * (p->saddle.theta + h));
        sum += z * z * g * slope * x;
    }
    return creal(sum) / POINTS;
}

/* Full matrices: the Marchenko-Pastur law, whatever the overlap. */
static void full_summary(double aspect, spectrum_summary *summary) {
    double root = sqrt(aspect);
    *summary = (spectrum_summary){1.0 - root, 1.0 + root, 1.0 + aspect};
}

static double full_density(double aspect, double s) {
    double low = 1.0 - sqrt(aspect), high = 1.0 + sqrt(aspect), l = s * s;
    if (s <= low || s >= high) return 0.0;
    return sqrt((high * high - l) * (l - low * low)) / (M_PI * aspect * s);
}

ireneo_error ireneo_solution_spectrum_summary(rank_shape shape, double overlap, spectrum_summary *summary) {
    if (shape.kappa >= 1.0) {
        full_summary(shape.aspect, summary);
        return IRENEO_OK;
    }
    spectrum_path p;
    IRENEO_TRY(start(shape, overlap, &p));
    double middle = 1.0 / sqrt(shape.kappa); /* the root mean square of the values that are not zero */
    summary->low = edge(&p, middle, 0.0);
    summary->high = edge(&p, middle, 4.0 * middle);
    summary->fourth = fourth_moment(&p);
    return IRENEO_OK;
}

ireneo_error ireneo_solution_spectrum(double overlap, double rank_share, double aspect, size_t count,
                                      const double *values, double *densities) {
    IRENEO_REQUIRE(count == 0 || (values != NULL && densities != NULL),
                   "a density of singular values needs where, and room for it");
    if (!(overlap >= 0.0 && overlap < 1.0) || !(rank_share > 0.0 && rank_share <= 1.0) ||
        !(aspect > 0.0 && aspect <= 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a spectrum needs an overlap in [0, 1), and rank share and aspect in (0, 1]");
    rank_shape shape = {rank_share, aspect};
    spectrum_path p;
    if (rank_share < 1.0) IRENEO_TRY(start(shape, overlap, &p));
    for (size_t k = 0; k < count; k++) {
        if (!(values[k] > 0.0))
            densities[k] = 0.0;
        else
            densities[k] = rank_share < 1.0 ? density(&p, values[k]) : full_density(aspect, values[k]);
        if (isnan(densities[k]))
            return ireneo_fail(IRENEO_ERROR_NUMERIC, "no density of singular values was found at %g",
                               values[k]);
    }
    return IRENEO_OK;
}
