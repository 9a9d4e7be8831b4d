/* Products of the factors of a memory of limited rank. */
#include "linear/solver/factors.h"

#include <cblas.h>

/* out (dim_out, dim_in) = beta out + left right^T for factors (dim_out, rank) and (dim_in, rank). */
static void multiply_factors(const ireneo_minimiser *minimiser, const float *left, const float *right,
                             float beta, float *out) {
    const ireneo_problem *p = minimiser->problem;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)p->dim_out, (int)p->dim_in,
                (int)minimiser->rank, 1.0f, left, (int)minimiser->rank, right, (int)minimiser->rank, beta,
                out, (int)p->dim_in);
}

void ireneo_factors_compose(ireneo_minimiser *minimiser) {
    if (minimiser->rank > 0)
        multiply_factors(minimiser, minimiser->point,
                         minimiser->point + minimiser->problem->dim_out * minimiser->rank, 0.0f,
                         minimiser->w);
}

void ireneo_factors_line(ireneo_minimiser *minimiser) {
    if (minimiser->rank == 0) return;
    size_t cut = minimiser->problem->dim_out * minimiser->rank;
    const float *u = minimiser->point, *v = u + cut, *du = minimiser->direction, *dv = du + cut;
    multiply_factors(minimiser, du, v, 0.0f, minimiser->line);
    multiply_factors(minimiser, u, dv, 1.0f, minimiser->line);
    multiply_factors(minimiser, du, dv, 0.0f, minimiser->curve);
}

void ireneo_factors_gradient(ireneo_minimiser *minimiser) {
    const ireneo_problem *p = minimiser->problem;
    if (minimiser->rank == 0) return;
    size_t cut = p->dim_out * minimiser->rank;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->dim_out, (int)minimiser->rank,
                (int)p->dim_in, 1.0f, minimiser->matrix_gradient, (int)p->dim_in, minimiser->point + cut,
                (int)minimiser->rank, 0.0f, minimiser->gradient, (int)minimiser->rank);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_in, (int)minimiser->rank,
                (int)p->dim_out, 1.0f, minimiser->matrix_gradient, (int)p->dim_in, minimiser->point,
                (int)minimiser->rank, 0.0f, minimiser->gradient + cut, (int)minimiser->rank);
}
