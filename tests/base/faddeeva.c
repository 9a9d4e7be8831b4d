/* w(z) and erfcx against a table by mpmath, and against what GSL knows of them: Dawson's integral on the real axis,
 * the hazard function on the imaginary one. */
#include "base/faddeeva.h"
#include "expect.h"
#include "faddeeva_table.h"

#include <gsl/gsl_sf_dawson.h>
#include <gsl/gsl_sf_erf.h>

static const double TOLERANCE = 1e-14; /* of |w|; seen: 7e-16 */

static void expect_complex(double complex got, double complex wanted, double tolerance) {
    double off = cabs(got - wanted);
    if (!(off <= tolerance * cabs(wanted)))
        print_error("got %.17g %+.17gi, wanted %.17g %+.17gi\n", creal(got), cimag(got), creal(wanted),
                    cimag(wanted));
    assert_true(off <= tolerance * cabs(wanted));
}

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(FADDEEVA); i++) {
        const double *row = FADDEEVA[i];
        double complex wanted = ireneo_complex(row[2], row[3]);
        expect_complex(ireneo_faddeeva(ireneo_complex(row[0], row[1])), wanted, TOLERANCE);
        expect_complex(ireneo_faddeeva(ireneo_complex(-row[0], row[1])), conj(wanted), TOLERANCE);
    }
    for (size_t i = 0; i < COUNT(ERFCX); i++) expect_ratio(ireneo_erfcx(ERFCX[i][0]), ERFCX[i][1], 2e-14);
}

/* w(x) = e^(-x^2) + 2i/sqrt(pi) D(x), which crosses every place where one sum takes over from the other. */
static void test_real_axis_against_gsl(void **state) {
    (void)state;
    for (double x = 0.0; x < 30.0; x += 0.00731)
        expect_complex(ireneo_faddeeva(x), ireneo_complex(exp(-x * x), M_2_SQRTPI * gsl_sf_dawson(x)), 2e-14);
}

/* The hazard phi(x) / Q(x) is sqrt(2/pi) / erfcx(x / sqrt 2). Up to 25 GSL divides by erfc, which loses x^2 roundings. */
static void test_imaginary_axis_against_gsl(void **state) {
    (void)state;
    for (double x = -8.0; x < 60.0; x += 0.00731) {
        expect_ratio(sqrt(2.0 / M_PI) / ireneo_erfcx(x * M_SQRT1_2), gsl_sf_hazard(x),
                     1e-13 + 4e-16 * x * x * (x < 25.0));
        if (x >= 0.0) expect_complex(ireneo_faddeeva(ireneo_complex(0.0, x)), ireneo_erfcx(x), TOLERANCE);
    }
}

/* w' = 2i/sqrt(pi) - 2 z w, by central differences over the seams between the regions: a jump of 1e-12 would show. */
static void test_no_seams(void **state) {
    (void)state;
    static const double h = 1e-4;
    for (double x = 0.0; x < 7.0; x += 0.0617)
        for (double y = h; y < 7.0; y += 0.0617) {
            double complex z = ireneo_complex(x, y),
                           slope = 2.0 * I / sqrt(M_PI) - 2.0 * z * ireneo_faddeeva(z);
            double complex across = (ireneo_faddeeva(z + h) - ireneo_faddeeva(z - h)) / (2.0 * h);
            double complex up = (ireneo_faddeeva(z + I * h) - ireneo_faddeeva(z - I * h)) / (2.0 * I * h);
            assert_true(cabs(across - slope) < 2e-8);
            assert_true(cabs(up - slope) < 2e-8);
        }
}

static void test_ends(void **state) {
    (void)state;
    assert_true(isnan(creal(ireneo_faddeeva(ireneo_complex(1.0, -1e-300)))));
    assert_true(isnan(creal(ireneo_faddeeva(ireneo_complex(NAN, 1.0)))));
    assert_true(ireneo_faddeeva(ireneo_complex(-INFINITY, 0.0)) == 0.0);
    assert_true(ireneo_faddeeva(ireneo_complex(0.0, INFINITY)) == 0.0);
    assert_true(ireneo_erfcx(INFINITY) == 0.0 && isnan(ireneo_erfcx(NAN)));
    assert_true(isinf(ireneo_erfcx(-27.0)) && isinf(ireneo_erfcx(-INFINITY)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_real_axis_against_gsl),
        cmocka_unit_test(test_imaginary_axis_against_gsl),
        cmocka_unit_test(test_no_seams),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
