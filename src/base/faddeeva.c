/* Above the real axis w(z) = i/pi Int exp(-t^2) / (z - t) dt. A sum over equidistant points t_k converges exponentially
 * to such an integral but for the share of the pole at t = z, which is known. With t_k = (k + 1/2) h, and with k h,
 *
 *     w(z) = 2ihz/pi Sum_{k >= 0} e^(-t_k^2) / (z^2 - t_k^2)             + 2 e^(-z^2) / (1 + e^(-2 pi i z / h)) ,
 *     w(z) = 2ihz/pi Sum_{k >= 1} e^(-t_k^2) / (z^2 - t_k^2) + ih/(pi z) + 2 e^(-z^2) / (1 - e^(-2 pi i z / h)) .
 *
 * The sum whose points stay away from z is taken. With h = sqrt(pi / 12) and twelve terms both are right to 2e-15:
 * Al Azah and Chandler-Wilde, arXiv 2010.05659. */
#include "base/faddeeva.h"

#include <math.h>
#include <stdbool.h>

enum { TERMS = 12 };
static const double PI_OVER_H = 6.139960247678930930877; /* beyond it the pole has no share */
static const double OVER_H = 1.954410047611679686346;    /* 1/h, h = sqrt(pi / TERMS) */
static const double H_OVER_PI = 0.1628675039676399738621;
static const double NEGLIGIBLE = 42.0; /* minus the log of a share of the pole that |w| does not notice */
static const double FAR = 1e7;         /* where two terms of the expansion in 1/z are exact */
static const double OVER_SQRT_PI = 0.56418958354775628695;

/* t_k^2 and e^(-t_k^2). */
typedef struct points {
    double squares[TERMS], weights[TERMS];
} points;

/* At (k + 1/2) h. */
static const points BETWEEN = {
    {0.0654498469497873591, 0.589048622548086232, 1.63624617374468398, 3.2070425005395806,
     5.30143760293277609, 7.91943148092427046, 11.0610241345140637, 14.7262155637021558, 18.9150057684885468,
     23.6273947488732366, 28.8633825048562254, 34.622969036437513},
    {0.936646021236595906, 0.554854910159853409, 0.194709578085290299, 0.0404761446038057424,
     0.0049844231324685865, 0.00036360898638930447, 0.0000157129690178004798, 4.02240542156481385e-7,
     6.09982491591215961e-9, 5.47965023975752709e-11, 2.91603175517949939e-13, 9.19254152513437274e-16}};
/* At (k + 1) h. */
static const points AT = {
    {0.261799387799149437, 1.04719755119659775, 2.35619449019234493, 4.18879020478639098, 6.54498469497873591,
     9.42477796076937972, 12.8281700021583224, 16.7551608191455639, 21.2057504117311044, 26.1799387799149437,
     31.6777259236970818, 37.6991118430775189},
    {0.769665412493239808, 0.350919807178410968, 0.0947802248421548528, 0.01516461986454657,
     0.00143730608040753177, 0.0000806995175703045992, 2.68408679309674335e-6, 5.28842211694415733e-8,
     6.17247886522430957e-10, 4.26773113545522469e-12, 1.74798794056550129e-14, 4.24115118301607754e-17}};

/* 2ihz/pi Sum e^(-t_k^2) / (z^2 - t_k^2), z = x + iy. */
static double complex sum_over(const points *p, double x, double y) {
    double a = (x - y) * (x + y), b = 2.0 * x * y, re = 0.0, im = 0.0;
    for (int k = 0; k < TERMS; k++) {
        double distance = a - p->squares[k], share = p->weights[k] / (distance * distance + b * b);
        re += share * distance;
        im -= share * b;
    }
    double scale = 2.0 * H_OVER_PI;
    return ireneo_complex(-scale * (x * im + y * re), scale * (x * re - y * im));
}

/* 2 e^(-z^2) / (1 + sign e^(-2 pi i z / h)): what the pole at t = z adds. */
static double complex pole_share(double x, double y, double sign) {
    double size = 2.0 * exp((y - x) * (y + x)), angle = -2.0 * x * y;
    double growth = sign * exp(2.0 * PI_OVER_H * y), turn = -2.0 * PI_OVER_H * x;
    double re = 1.0 + growth * cos(turn), im = growth * sin(turn), norm = re * re + im * im;
    double c = size * cos(angle) / norm, s = size * sin(angle) / norm;
    return ireneo_complex(c * re + s * im, s * re - c * im);
}

/* i/(sqrt(pi) z) (1 + 1/(2 z^2)): the next term is 3/(4 z^4). */
static double complex far_away(double x, double y) {
    double largest = fmax(x, y), u = x / largest, v = y / largest, norm = u * u + v * v;
    double re = u / norm / largest, im = -v / norm / largest; /* 1/z */
    double a = 0.5 * (re - im) * (re + im), b = re * im;      /* 1/(2 z^2) */
    return ireneo_complex(-OVER_SQRT_PI * (im + re * b + im * a), OVER_SQRT_PI * (re + re * a - im * b));
}

/* x >= 0, y >= 0. */
static double complex first_quadrant(double x, double y) {
    if (fmax(x, y) > FAR) return far_away(x, y);
    double steps = x * OVER_H;
    bool at = y < x && fabs(steps - floor(steps) - 0.5) <= 0.25; /* near a point of the other sum */
    double complex w = sum_over(at ? &AT : &BETWEEN, x, y);
    if (at) { /* the point t = 0, which is not in the table: ih/(pi z) */
        double norm = x * x + y * y;
        w += ireneo_complex(H_OVER_PI * y / norm, H_OVER_PI * x / norm);
    }
    bool small = y >= PI_OVER_H || 2.0 * PI_OVER_H * y + (x - y) * (x + y) > NEGLIGIBLE;
    return small ? w : w + pole_share(x, y, at ? -1.0 : 1.0);
}

double complex ireneo_faddeeva(double complex z) {
    double x = creal(z), y = cimag(z);
    if (isnan(x) || !(y >= 0.0)) return ireneo_complex(NAN, NAN);
    if (isinf(x) || isinf(y)) return 0.0;
    return x < 0.0 ? conj(first_quadrant(-x, y)) : first_quadrant(x, y);
}

double ireneo_erfcx(double x) {
    if (x < 0.0) return 2.0 * exp(x * x) - ireneo_erfcx(-x);
    if (isinf(x)) return 0.0;
    if (x > FAR) return OVER_SQRT_PI / x * (1.0 - 0.5 / x / x);
    double sum = 0.0; /* the first of the two sums at z = ix, all of it real */
    for (int k = 0; k < TERMS; k++) sum += BETWEEN.weights[k] / (x * x + BETWEEN.squares[k]);
    sum *= 2.0 * H_OVER_PI * x;
    return x < PI_OVER_H ? sum + 2.0 * exp(x * x) / (1.0 + exp(2.0 * PI_OVER_H * x)) : sum;
}
