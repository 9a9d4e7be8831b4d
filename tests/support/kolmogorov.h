/* The two-sample and one-sample tests of Kolmogorov and Smirnov, for samplers against each other and against
 * exact laws. Seeds are fixed, so a test passes or fails for good; with fresh seeds a correct sampler would
 * fail a comparison with the chance that the test states. */
#ifndef IRENEO_TESTS_KOLMOGOROV_H
#define IRENEO_TESTS_KOLMOGOROV_H

#include <math.h>
#include <stdlib.h>

static inline int kolmogorov_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chance of a distance at least this large (Stephens' approximation to Kolmogorov's law). */
static inline double kolmogorov_chance(double distance, double effective_count) {
    double root = sqrt(effective_count), x = (root + 0.12 + 0.11 / root) * distance, sum = 0.0;
    if (x < 0.2) return 1.0;
    for (int k = 1; k < 100; k++) sum += (k % 2 == 1 ? 2.0 : -2.0) * exp(-2.0 * k * k * x * x);
    return fmin(1.0, fmax(0.0, sum));
}

/* Sorts both samples. */
static inline double kolmogorov_two(double *a, size_t n, double *b, size_t m) {
    double distance = 0.0;
    qsort(a, n, sizeof *a, kolmogorov_compare);
    qsort(b, m, sizeof *b, kolmogorov_compare);
    for (size_t i = 0, j = 0; i < n && j < m;) {
        double x = fmin(a[i], b[j]);
        while (i < n && a[i] <= x) i++;
        while (j < m && b[j] <= x) j++;
        distance = fmax(distance, fabs((double)i / (double)n - (double)j / (double)m));
    }
    return kolmogorov_chance(distance, (double)n * (double)m / (double)(n + m));
}

/* Values of the exact distribution function at the sample; sorts them. */
static inline double kolmogorov_one(double *levels, size_t n) {
    double distance = 0.0;
    qsort(levels, n, sizeof *levels, kolmogorov_compare);
    for (size_t i = 0; i < n; i++)
        distance =
            fmax(distance, fmax((double)(i + 1) / (double)n - levels[i], levels[i] - (double)i / (double)n));
    return kolmogorov_chance(distance, (double)n);
}

#endif
