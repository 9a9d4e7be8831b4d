/* What the Hebbian rule W = sum_i y_f(i) x_i^T recalls at finite size. */
#ifndef IRENEO_LINEAR_LAW_HEBBIAN_LAW_H
#define IRENEO_LINEAR_LAW_HEBBIAN_LAW_H

#include "base/error.h"

/* Expected share of n facts recalled among P candidates (docs/linear.md, "The Hebbian rule"). */
double ireneo_hebbian_law_accuracy(double dim_in, double dim_out, double facts, double candidates);

/* The chance that all n facts are recalled, taken as independent. */
double ireneo_hebbian_law_all(double dim_in, double dim_out, double facts, double candidates);

/* The number of facts (P = n when candidates is 0) that are all recalled with chance 1/2: what the rule really holds. */
double ireneo_hebbian_law_half(double dim_in, double dim_out, double candidates);

/* n with n log P = d_in d_out / 8 (P = n when candidates is 0): the asymptotic capacity for all facts at
 * once. */
double ireneo_hebbian_law_capacity(double dim_in, double dim_out, double candidates);

#endif
