/* Pr[N = k], from the geometry of the cone.
 *
 * N = k when some k competitors lie above t, the mean of them and the target, and the other P - 1 - k below. The mean of
 * k + 1 normal numbers is independent of what they differ by, so
 *     Pr[N = k] = C(P-1, k) q_k Int N(t; -K/(k+1), 1/(k+1)) Phi(t)^(P-1-k) dt ,
 * with the target's mean at -K, and q_k the chance that k numbers exceed that mean. Their excesses h have the inverse
 * covariance 1 + 11^T, so with S = sum h, which is the lift of the target,
 *     q_k = sqrt(k+1) e^{K^2/(2(k+1))} (2 pi)^{-k/2} Int_{h > 0} e^{-|h|^2/2 - (S - K)^2/2} dh
 *         = sqrt(k+1) e^{K^2/(2(k+1))} Int phi(z) e^{-izK} H(z)^k dz ,     H(z) = E[e^{izg}; g > 0] = w(z/sqrt 2) / 2 .
 * The line of integration is moved up to the saddle point, where nothing cancels; the trapezoid rule converges
 * exponentially there, and moments of S cost two more factors. */
#include "linear/law/lowered.h"
#include "base/faddeeva.h"
#include "base/normal.h"
#include "linear/law/cone.h"

#include <math.h>

static const double STEP = 0.3;         /* of the width of an integrand: the error is far below 1e-16 */
static const double NEGLIGIBLE = -40.0; /* log of what is left out */
enum { MOST_NODES = 400 };

/* phi(x) / Q(x). */
static double hazard(double x) {
    if (x < 0.0) return ireneo_normal_density(x) / ireneo_normal_tail(x);
    return sqrt(2.0 / M_PI) / ireneo_erfcx(x * M_SQRT1_2);
}

/* H(z) = E[e^{izg}; g > 0]; below the real axis all but what the other half of the line gives. */
static double complex half_transform(double complex z) {
    if (cimag(z) >= 0.0) return 0.5 * ireneo_faddeeva(z * M_SQRT1_2);
    return cexp(-0.5 * z * z) - 0.5 * ireneo_faddeeva(-z * M_SQRT1_2);
}

/* The height of the saddle: y + K = k (hazard(y) - y), where the left side rises and the right falls. */
static double saddle_height(double k, double margin) {
    double low = -margin, high = sqrt(k) + 1.0;
    for (int i = 0; i < 60; i++) {
        double y = 0.5 * (low + high);
        if (y + margin < k * (hazard(y) - y))
            low = y;
        else
            high = y;
    }
    return low;
}

/* log q_k, and the mean of S and S^2 over the excesses that it counts. */
static double log_above_mean(double k, double margin, double *lift, double *lift_squared) {
    double y = saddle_height(k, margin), hazard_y = hazard(y);
    double width = 1.0 / sqrt(1.0 + k * fmax(0.0, 1.0 - hazard_y * (hazard_y - y)));
    double top = 0.5 * ireneo_erfcx(y * M_SQRT1_2), log_top = 0.5 * y * y + margin * y + k * log(top);
    double sums[3] = {0.0};
    for (int i = 0; i < MOST_NODES; i++) { /* the integrand at -x is the conjugate of that at x */
        double x = i * STEP * width, weight = i == 0 ? 0.5 : 1.0;
        double complex h = half_transform(ireneo_complex(x, y));
        double square = creal(h) * creal(h) + cimag(h) * cimag(h);
        double log_size = -0.5 * x * x + k * (0.5 * log(square) - log(top));
        double angle = k * atan2(cimag(h), creal(h)) - x * (y + margin);
        if (log_size < NEGLIGIBLE) break;
        double size = weight * exp(log_size), re = size * cos(angle), im = size * sin(angle);
        double a = ireneo_normal_density(0.0) * creal(h) / square - y; /* E[g e^{izg}] / H = a + ib */
        double b = -ireneo_normal_density(0.0) * cimag(h) / square + x;
        double c = 1.0 - y * a - x * b, d = x * a - y * b; /* E[g^2 e^{izg}] / H = c + id */
        double square_re = c + (k - 1.0) * (a * a - b * b), square_im = d + (k - 1.0) * 2.0 * a * b;
        sums[0] += re;
        sums[1] += k * (re * a - im * b);
        sums[2] += k * (re * square_re - im * square_im);
    }
    *lift = sums[1] / sums[0];
    *lift_squared = sums[2] / sums[0];
    double integral = 2.0 * STEP * width * sums[0] * ireneo_normal_density(0.0);
    return 0.5 * log(k + 1.0) + 0.5 * margin * margin / (k + 1.0) + log_top + log(integral);
}

/* log Int N(t; -K/(k+1), 1/(k+1)) Phi(t)^others dt, around its mode. */
static double log_below(double k, double others, double margin) {
    double mean = -margin / (k + 1.0), mode = mean, curvature = k + 1.0;
    for (int step = 0; step < 100;
         step++) { /* Newton on a concave function with falling curvature, from the left */
        double rate = hazard(-mode), slope = (k + 1.0) * (mean - mode) + others * rate;
        curvature = k + 1.0 + others * rate * (mode + rate);
        double move = slope / curvature;
        mode += move;
        if (fabs(move) < 1e-9 / sqrt(curvature)) break;
    }
    double width = 1.0 / sqrt(curvature), sum = 0.0;
    double log_top = -0.5 * (k + 1.0) * (mode - mean) * (mode - mean) + others * ireneo_normal_log_cdf(mode);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = side < 0; i < MOST_NODES; i++) {
            double t = mode + side * i * STEP * width;
            double log_value =
                -0.5 * (k + 1.0) * (t - mean) * (t - mean) + others * ireneo_normal_log_cdf(t) - log_top;
            if (log_value < NEGLIGIBLE) break;
            sum += exp(log_value);
        }
    }
    return log_top + log(sum * STEP * width * sqrt(k + 1.0) * ireneo_normal_density(0.0));
}

/* Given log C(P-1, k). */
static ireneo_lowered lowered_at(double candidates, double margin, double k, double log_binomial) {
    double lift = 0.0, lift_squared = 0.0, log_above = 0.0;
    if (k > 0.0) log_above = log_above_mean(k, margin, &lift, &lift_squared);
    double chance = exp(log_binomial + log_above + log_below(k, candidates - 1.0 - k, margin));
    return (ireneo_lowered){chance, chance * lift, chance * lift_squared};
}

void ireneo_lowered_distribution(double candidates, double margin, size_t count, ireneo_lowered *of) {
    double log_binomial = 0.0;
    for (size_t k = 0; k < count; k++) {
        of[k] = lowered_at(candidates, margin, (double)k, log_binomial);
        log_binomial += log((candidates - 1.0 - (double)k) / ((double)k + 1.0));
    }
}

/* Beyond this N does not come: the tail falls faster than that of a normal number with twice the mean as variance. */
static double beyond_chance(double delta) {
    return delta + 13.0 * sqrt(2.0 * delta) + 12.0;
}

ireneo_narrowness ireneo_narrow_values(double dim_out, double candidates, double delta) {
    ireneo_narrowness found = {0.0, delta};
    double log_binomial = 0.0, most = fmin(floor(candidates) - 1.0, beyond_chance(delta));
    if (dim_out >= most) return found;
    for (double k = 0.0; k <= most; k++) {
        if (k > dim_out) {
            double chance = lowered_at(candidates, 0.0, k, log_binomial).chance;
            if (fmod(k - dim_out, 2.0) == 1.0) found.hull_probability += 2.0 * chance;
            found.delta -= (k - dim_out) * chance;
        }
        log_binomial += log((candidates - 1.0 - k) / (k + 1.0));
    }
    found.hull_probability = fmin(1.0, found.hull_probability);
    return found;
}

double ireneo_lowered_lean(double candidates, double delta) {
    double log_binomial = 0.0, most = fmin(floor(candidates) - 1.0, beyond_chance(delta)), b = 0.0, m = 0.0;
    for (double k = 0.0; k <= most; k++) {
        ireneo_lowered at = lowered_at(candidates, 0.0, k, log_binomial);
        b += k / (k + 1.0) * at.chance;
        m += at.lift_squared;
        log_binomial += log((candidates - 1.0 - k) / (k + 1.0));
    }
    return b * (m - b);
}

ireneo_error ireneo_lowered_variance(double candidates, double margin, double *variance) {
    enum { MOST = 1000 };
    static const double WIDE = 20.0;
    double delta, distance, log_binomial = 0.0, mean = 0.0, square = 0.0, lift = 0.0;
    IRENEO_TRY(ireneo_cone_moments(candidates, &delta, variance));
    if (margin == 0.0) return IRENEO_OK;
    IRENEO_TRY(ireneo_cone_margin_distance(candidates, margin, &distance));
    double most = fmin(floor(candidates) - 1.0, beyond_chance(distance));
    if (most > MOST ||
        margin >
            WIDE) { /* so wide a margin lowers many competitors: N and the lift hardly vary, the target does */
        *variance = distance + margin * margin;
        return IRENEO_OK;
    }
    for (double k = 0.0; k <= most; k++) {
        ireneo_lowered at = lowered_at(candidates, margin, k, log_binomial);
        mean += k * at.chance + margin * at.lift;
        square += k * k * at.chance + 2.0 * margin * k * at.lift + margin * margin * at.lift_squared;
        lift += at.lift;
        log_binomial += log((candidates - 1.0 - k) / (k + 1.0));
    }
    *variance = square - mean * mean + margin * lift;
    return IRENEO_OK;
}
