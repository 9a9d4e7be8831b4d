/* How many threads the work uses, OpenMP's and BLAS's alike. */
#ifndef IRENEO_BASE_THREADS_H
#define IRENEO_BASE_THREADS_H

/* The number to use for a request: 0 means all cores this process may run on. */
int ireneo_thread_count(int requested);

/* BLAS has a thread count for the whole process. Work that is parallel itself sets it to one and puts the old
 * value back: int before = ireneo_blas_threads(1);  ...  ireneo_blas_threads(before); Returns the count that
 * was in force; 0 if the BLAS in use has no such control. */
int ireneo_blas_threads(int count);

#endif
