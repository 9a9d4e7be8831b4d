/* Comparison of numbers for the tests of the dense room. */
#ifndef IRENEO_TESTS_DENSE_EXPECT_H
#define IRENEO_TESTS_DENSE_EXPECT_H

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

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
