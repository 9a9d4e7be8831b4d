/* Targets that can never win: a value inside the convex hull of other candidates. */
#ifndef IRENEO_LINEAR_CERTIFICATE_HULL_H
#define IRENEO_LINEAR_CERTIFICATE_HULL_H

#include "base/error.h"

/* Looks whether the value of a fact is, up to float64 rounding, a weighted mean of other candidates: y_t = sum l_j y_j
 * with l >= 0 and sum l = 1. Then no memory can make it win, and the l are a certificate of that one fact, with a reason
 * that names it. *certificate is NULL when it is not. */
ireneo_error ireneo_find_hull_point(const ireneo_facts *facts, size_t fact, ireneo_certificate **certificate);

#endif
