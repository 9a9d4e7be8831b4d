/* Hebbian or given start in white coordinates. */
#include "linear/solver/start.h"
#include "base/ram.h"
#include "linear/solver/factorise.h"
#include "linear/solver/factors.h"
#include "linear/solver/hebbian.h"

#include <cblas.h>

/* The given memory as a white matrix (dim_out, dim_in). */
static ireneo_error import_memory(const ireneo_problem *p, const ireneo_memory *m, float *w) {
    if (m->rank == 0) return ireneo_matrix_to_white(p, m->matrix, w);
    float *full = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&full, m->dim_out * m->dim_in, "memory to start from"));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m->dim_out, (int)m->dim_in, (int)m->rank, 1.0f,
                m->left, (int)m->rank, m->right, (int)m->rank, 0.0f, full, (int)m->dim_in);
    ireneo_error failed = ireneo_matrix_to_white(p, full, w);
    free(full);
    return failed;
}

ireneo_error ireneo_start(const ireneo_problem *p, const ireneo_memory *initial, size_t rank,
                          ireneo_minimiser *minimiser) {
    if (p->dim_in == 0 || p->dim_out == 0) return IRENEO_OK;
    IRENEO_TRY(initial != NULL ? import_memory(p, initial, minimiser->w)
                               : ireneo_hebbian_sum(p, minimiser->w));
    ireneo_problem_scale(p, minimiser->w);
    if (rank > 0) {
        IRENEO_TRY(ireneo_factorise(minimiser->w, p->dim_out, p->dim_in, rank, minimiser->point,
                                    minimiser->point + p->dim_out * rank));
        ireneo_factors_compose(minimiser);
    }
    return IRENEO_OK;
}
