/* Thread counts. OpenBLAS's control is looked up weakly, so that another BLAS can take its place. */
#include "base/threads.h"

#include <omp.h>

extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

int ireneo_thread_count(int requested) {
    return requested > 0 ? requested : omp_get_num_procs();
}

int ireneo_blas_threads(int count) {
    if (!openblas_set_num_threads || !openblas_get_num_threads) return 0;
    int before = openblas_get_num_threads();
    if (count > 0 && count != before) openblas_set_num_threads(count);
    return before;
}
