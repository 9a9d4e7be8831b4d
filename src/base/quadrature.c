/* Gauss-Legendre and Gauss-Hermite nodes by Newton's method, adaptive Gauss-Kronrod with a list of intervals.
 */
#include "base/quadrature.h"
#include "base/ram.h"

#include <math.h>

void ireneo_gauss_legendre(size_t count, double lower, double upper, double *nodes, double *weights) {
    double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower), n = (double)count;
    for (size_t i = 0; i < (count + 1) / 2; i++) {
        double x = cos(M_PI * ((double)i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; step++) {
            double p = 1.0, previous = 0.0;
            for (size_t k = 0; k < count; k++) {
                double kk = (double)k, older = previous;
                previous = p;
                p = ((2.0 * kk + 1.0) * x * previous - kk * older) / (kk + 1.0);
            }
            slope = n * (x * p - previous) / (x * x - 1.0);
            double move = p / slope;
            x -= move;
            if (fabs(move) < 1e-15) break;
        }
        double weight = 2.0 / ((1.0 - x * x) * slope * slope);
        nodes[i] = middle - half * x;
        nodes[count - 1 - i] = middle + half * x;
        weights[i] = weights[count - 1 - i] = half * weight;
    }
}

/* Orthonormal Hermite function of degree n for the weight N(0, 1), and the one below it. */
static double orthonormal_hermite(size_t degree, double x, double *below) {
    double p = 1.0, previous = 0.0;
    for (size_t k = 0; k < degree; k++) {
        double older = previous;
        previous = p;
        p = (x * previous - sqrt((double)k) * older) / sqrt((double)k + 1.0);
    }
    *below = previous;
    return p;
}

void ireneo_gauss_hermite(size_t count, double *nodes, double *weights) {
    double n = (double)count;
    /* Roots are found from the largest down; between the last root and zero lies at least one sign change per
     * spacing, so a scan with a fraction of the smallest spacing brackets each. */
    double spacing = 0.2 * M_PI / sqrt(4.0 * n + 2.0), below;
    double right = sqrt(4.0 * n + 2.0), value_right = orthonormal_hermite(count, right, &below);
    size_t found = 0;
    while (found < count / 2) {
        double left = right - spacing, value_left = orthonormal_hermite(count, left, &below);
        if ((value_left < 0.0) != (value_right < 0.0)) {
            double x = 0.5 * (left + right), lower = left, upper = right;
            for (int step = 0; step < 200; step++) {
                double p = orthonormal_hermite(count, x, &below);
                if ((p < 0.0) == (value_right < 0.0))
                    upper = x;
                else
                    lower = x;
                double next = x - p / (sqrt(n) * below);
                if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
                double moved = fabs(next - x);
                x = next;
                if (moved <= 4e-16 * fmax(1.0, fabs(x))) break;
            }
            orthonormal_hermite(count, x, &below);
            nodes[count - 1 - found] = x;
            nodes[found] = -x;
            weights[found] = weights[count - 1 - found] = 1.0 / (n * below * below);
            found++;
        }
        right = left;
        value_right = value_left;
    }
    if (count % 2 == 1) {
        orthonormal_hermite(count, 0.0, &below);
        nodes[count / 2] = 0.0;
        weights[count / 2] = 1.0 / (n * below * below);
    }
}

/* ---- adaptive Gauss-Kronrod ---- */

static const double KRONROD_NODES[8] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0};
static const double KRONROD_WEIGHTS[8] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double GAUSS_WEIGHTS[4] = {
    0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
    0.381830050505118944950369775488975, 0.417959183673469387755102040816327};

/* The integrand with an infinite end mapped to a finite one: x = t / (1 - t^2) or x = end +- t / (1 - t). */
typedef struct mapped_integrand {
    ireneo_function f;
    void *context;
    double lower, upper;
} mapped_integrand;

static double evaluate(const mapped_integrand *g, double t) {
    if (isinf(g->lower) && isinf(g->upper)) {
        double s = 1.0 - t * t;
        return g->f(t / s, g->context) * (1.0 + t * t) / (s * s);
    }
    if (isinf(g->upper)) return g->f(g->lower + t / (1.0 - t), g->context) / ((1.0 - t) * (1.0 - t));
    if (isinf(g->lower)) return g->f(g->upper - t / (1.0 - t), g->context) / ((1.0 - t) * (1.0 - t));
    return g->f(t, g->context);
}

typedef struct interval {
    double lower, upper, result, error;
} interval;

static interval gauss_kronrod(const mapped_integrand *g, double lower, double upper) {
    double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower);
    double centre = evaluate(g, middle);
    double kronrod = KRONROD_WEIGHTS[7] * centre, gauss = GAUSS_WEIGHTS[3] * centre;
    for (int i = 0; i < 7; i++) {
        double pair =
            evaluate(g, middle - half * KRONROD_NODES[i]) + evaluate(g, middle + half * KRONROD_NODES[i]);
        kronrod += KRONROD_WEIGHTS[i] * pair;
        if (i % 2 == 1) gauss += GAUSS_WEIGHTS[i / 2] * pair;
    }
    double difference = fabs((kronrod - gauss) * half);
    /* The usual sharpening: the Kronrod rule is far better than the difference of the two suggests. */
    double error = fmin(difference, pow(200.0 * difference, 1.5));
    return (interval){lower, upper, kronrod * half, fmax(error, 1e-16 * fabs(kronrod * half))};
}

ireneo_error ireneo_integrate(ireneo_function f, void *context, double lower, double upper, double absolute,
                              double relative, double *result, double *error_estimate) {
    enum { MOST = 1000 };
    interval *list = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&list, MOST + 1, "quadrature intervals"));
    mapped_integrand g = {f, context, lower, upper};
    double from = lower, to = upper;
    if (isinf(lower) && isinf(upper))
        from = -1.0, to = 1.0;
    else if (isinf(lower) || isinf(upper))
        from = 0.0, to = 1.0;
    size_t count = 1;
    list[0] = gauss_kronrod(&g, from, to);
    ireneo_error outcome = IRENEO_OK;
    double total, error;
    for (;;) {
        size_t worst = 0;
        total = 0.0, error = 0.0;
        for (size_t i = 0; i < count; i++) {
            total += list[i].result;
            error += list[i].error;
            if (list[i].error > list[worst].error) worst = i;
        }
        if (error <= fmax(absolute, relative * fabs(total))) break;
        if (count >= MOST || isnan(total)) {
            outcome = ireneo_fail(IRENEO_ERROR_NUMERIC, "an integral did not converge: %.3g with error %.1g",
                                  total, error);
            break;
        }
        interval bad = list[worst];
        double middle = 0.5 * (bad.lower + bad.upper);
        list[worst] = gauss_kronrod(&g, bad.lower, middle);
        list[count++] = gauss_kronrod(&g, middle, bad.upper);
    }
    free(list);
    *result = total;
    if (error_estimate != NULL) *error_estimate = error;
    return outcome;
}
