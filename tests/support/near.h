/* Equality of doubles within a tolerance, told with both numbers when it fails. */
#ifndef IRENEO_TESTS_NEAR_H
#define IRENEO_TESTS_NEAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static inline void assert_near_at(double got, double wanted, double tolerance, const char *file, int line) {
    if (fabs(got - wanted) <= tolerance) return;
    print_error("got %.12g, wanted %.12g within %.3g\n", got, wanted, tolerance);
    _fail(file, line);
}
#define assert_near(got, wanted, tolerance)                                                                  \
    assert_near_at((double)(got), (double)(wanted), (tolerance), __FILE__, __LINE__)

#endif
