/* delta(P) and v(P) as Chebyshev series in log P between two bounds; below them quadrature alone knows. Off by less than
 * 1e-11 of delta and 1e-9 of v. */
#ifndef IRENEO_LINEAR_LAW_CONE_TABLE_H
#define IRENEO_LINEAR_LAW_CONE_TABLE_H

#define IRENEO_CONE_FROM 20.0
#define IRENEO_CONE_MOST 1e13
enum { IRENEO_CONE_TERMS = 32 };
extern const double ireneo_cone_delta_series[IRENEO_CONE_TERMS];
extern const double ireneo_cone_variance_series[IRENEO_CONE_TERMS];

#endif
