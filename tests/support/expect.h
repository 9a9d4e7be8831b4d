/* Comparison of numbers in tests, and statistical verdicts with a stated chance of a false alarm. */
#ifndef IRENEO_TESTS_EXPECT_H
#define IRENEO_TESTS_EXPECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* |got - wanted| <= tolerance; both NaN or the same infinity also agree. */
static inline void expect_close_at(double got, double wanted, double tolerance, const char *file, int line) {
    if (fabs(got - wanted) <= tolerance || got == wanted || (isnan(got) && isnan(wanted))) return;
    print_error("got %.15g, wanted %.15g within %g (off by %g)\n", got, wanted, tolerance, got - wanted);
    _fail(file, line);
}
#define expect_close(got, wanted, tolerance) expect_close_at((got), (wanted), (tolerance), __FILE__, __LINE__)

/* The same relative to |wanted|. */
#define expect_ratio(got, wanted, tolerance)                                                                 \
    expect_close_at((got), (wanted), (tolerance)*fabs(wanted), __FILE__, __LINE__)

/* lower <= got <= upper. */
static inline void expect_between_at(double got, double lower, double upper, const char *file, int line) {
    if (got >= lower && got <= upper) return;
    print_error("got %.15g, wanted %.15g to %.15g\n", got, lower, upper);
    _fail(file, line);
}
#define expect_between(got, lower, upper) expect_between_at((got), (lower), (upper), __FILE__, __LINE__)

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
