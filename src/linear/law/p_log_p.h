/* The inverse of p log p, which turns a load into a number of facts. */
#ifndef IRENEO_LINEAR_LAW_P_LOG_P_H
#define IRENEO_LINEAR_LAW_P_LOG_P_H

/* The number p with p log p = x, for x >= 0. */
double ireneo_solve_p_log_p(double x);

#endif
