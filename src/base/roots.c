/* Brent's root finder and Brent's minimiser ("Algorithms for Minimization without Derivatives", 1973). */
#include "base/roots.h"

#include <float.h>
#include <math.h>

ireneo_error ireneo_find_root(ireneo_function f, void *context, double lower, double upper, double absolute,
                              double *root) {
    double a = lower, b = upper, fa = f(a, context), fb = f(b, context);
    if (fa == 0.0) return *root = a, IRENEO_OK;
    if (fb == 0.0) return *root = b, IRENEO_OK;
    if (!((fa < 0.0 && fb > 0.0) || (fa > 0.0 && fb < 0.0))) /* a product could underflow */
        return ireneo_fail(IRENEO_ERROR_NUMERIC,
                           "no sign change between %.6g and %.6g (values %.3g and %.3g)", lower, upper, fa,
                           fb);
    double c = a, fc = fa, step = b - a, previous = step;
    for (int iteration = 0; iteration < 300; iteration++) {
        if (fabs(fc) < fabs(fb)) { /* b is always the best point, c the other end of the bracket */
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        double tolerance = 2.0 * DBL_EPSILON * fabs(b) + 0.5 * absolute, middle = 0.5 * (c - b);
        if (fabs(middle) <= tolerance || fb == 0.0) break;
        if (fabs(previous) >= tolerance && fabs(fa) > fabs(fb)) {
            double s = fb / fa, p, q;
            if (a == c) {
                p = 2.0 * middle * s, q = 1.0 - s;
            } else {
                double r = fb / fc, w = fa / fc;
                p = s * (2.0 * middle * w * (w - r) - (b - a) * (r - 1.0));
                q = (w - 1.0) * (r - 1.0) * (s - 1.0);
            }
            if (p > 0.0)
                q = -q;
            else
                p = -p;
            if (2.0 * p < fmin(3.0 * middle * q - fabs(tolerance * q), fabs(previous * q)))
                previous = step, step = p / q;
            else
                step = previous = middle;
        } else {
            step = previous = middle;
        }
        a = b, fa = fb;
        b += fabs(step) > tolerance ? step : copysign(tolerance, middle);
        fb = f(b, context);
        if ((fb > 0.0) == (fc > 0.0)) c = a, fc = fa, step = previous = b - a;
    }
    *root = b;
    return IRENEO_OK;
}

double ireneo_find_minimum(ireneo_function f, void *context, double lower, double upper, double relative,
                           double *at) {
    const double golden = 0.3819660112501051;
    double a = lower, b = upper, x = a + golden * (b - a), w = x, v = x, step = 0.0, previous = 0.0;
    double fx = f(x, context), fw = fx, fv = fx;
    for (int iteration = 0; iteration < 200; iteration++) {
        double middle = 0.5 * (a + b), tolerance = relative * fabs(x) + 1e-12;
        if (fabs(x - middle) <= 2.0 * tolerance - 0.5 * (b - a)) break;
        double p = 0.0, q = 0.0, r = 0.0;
        if (fabs(previous) > tolerance) {
            r = (x - w) * (fx - fv), q = (x - v) * (fx - fw);
            p = (x - v) * q - (x - w) * r, q = 2.0 * (q - r);
            if (q > 0.0) p = -p;
            q = fabs(q);
            r = previous, previous = step;
        }
        if (fabs(p) < fabs(0.5 * q * r) && p > q * (a - x) && p < q * (b - x)) {
            step = p / q;
            double u = x + step;
            if (u - a < 2.0 * tolerance || b - u < 2.0 * tolerance) step = copysign(tolerance, middle - x);
        } else {
            previous = x < middle ? b - x : a - x;
            step = golden * previous;
        }
        double u = x + (fabs(step) >= tolerance ? step : copysign(tolerance, step)), fu = f(u, context);
        if (fu <= fx) {
            if (u < x)
                b = x;
            else
                a = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            if (u < x)
                a = u;
            else
                b = u;
            if (fu <= fw || w == x)
                v = w, fv = fw, w = u, fw = fu;
            else if (fu <= fv || v == x || v == w)
                v = u, fv = fu;
        }
    }
    if (at != NULL) *at = x;
    return fx;
}
