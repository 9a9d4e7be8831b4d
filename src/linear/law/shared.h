/* What facts gain or lose by sharing their candidates (docs/linear.md, "Shared candidates"): to second order in the overlap
 * of their keys, from how the recall cones lean. */
#ifndef IRENEO_LINEAR_LAW_SHARED_H
#define IRENEO_LINEAR_LAW_SHARED_H

/* s and u: what facts with one target cost each other, and P times what facts with different targets save, for values of
 * so many dimensions and at least as many candidates besides one. Measured, in a table. */
typedef struct ireneo_lean {
    double self, tilt;
} ireneo_lean;
ireneo_lean ireneo_cone_lean(double dim_out, double candidates);

/* The setting of the correction: white values of dim_out <= candidates - 1 dimensions. */
typedef struct ireneo_sharing {
    double dim_in, dim_out, candidates;
    double delta, variance; /* delta(P), v(P) */
    double leading; /* s for values of many dimensions, E[N/(N+1)] (E L^2 - E[N/(N+1)]); 0: not needed */
} ireneo_sharing;

/* eps of n facts, two of which have one target with chance `coincidence`: they use n delta (1 - eps) dimensions. */
double ireneo_shared_correction(const ireneo_sharing *sharing, double facts, double coincidence);

/* What so many facts of one answer, beyond those of an average one, use besides: the orders of their coupling beyond the
 * second, in dimensions. */
double ireneo_shared_answer(const ireneo_sharing *sharing, double facts);

#endif
