/* The Faddeeva function w(z) = exp(-z^2) erfc(-i z) and its values on the imaginary axis, erfcx. */
#ifndef IRENEO_BASE_FADDEEVA_H
#define IRENEO_BASE_FADDEEVA_H

#include <complex.h>

/* re + i im, part by part: C11's CMPLX, which clang does not find in every libc. */
static inline double complex ireneo_complex(double re, double im) {
    return __builtin_complex(re, im);
}

/* w(z) for Im z >= 0, where 0 < |w| <= 1: off by less than 1e-14 |w|. Below the axis, where it grows without bound, NaN:
 * the caller has w(z) = 2 exp(-z^2) - w(-z) and knows what to do about the first term. */
double complex ireneo_faddeeva(double complex z);

/* exp(x^2) erfc(x), for any x; infinite below -26.6. */
double ireneo_erfcx(double x);

#endif
