/* The BLAS that this process computes with. It is chosen when the program is linked, or by the system when it starts
 * (Debian's alternatives), so it is asked about at run time: OpenBLAS, MKL, BLIS (also AMD's AOCL), or one without
 * threads of its own. There may be a second one, which LAPACK brought along. */
#ifndef IRENEO_BASE_BLAS_H
#define IRENEO_BASE_BLAS_H

#include <stddef.h>

/* "OpenBLAS", "MKL", "BLIS"; "other" for one whose threads, if it has any, cannot be controlled. */
const char *ireneo_blas_name(void);

/* What the library says of its version, or "" when it says nothing. */
void ireneo_blas_version(char *text, size_t size);

/* The file that holds its products, links followed, to be freed; NULL when that cannot be told. */
char *ireneo_blas_file(void);

/* How many threads one of its calls may use; 0 when it has no such number. The setter then does nothing. */
int ireneo_blas_threads(void);
void ireneo_blas_set_threads(int count);

/* One thread from now on, in every library that our products and LAPACK's run in; and what it was before. */
enum { IRENEO_BLAS_KINDS = 3 };
typedef struct ireneo_blas_counts {
    int threads[IRENEO_BLAS_KINDS]; /* 0: not there */
} ireneo_blas_counts;
ireneo_blas_counts ireneo_blas_hold(void);
void ireneo_blas_release(const ireneo_blas_counts *before);

#endif
