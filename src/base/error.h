/* How every function of the library reports that a call went wrong.
 *
 * A function that can fail returns ireneo_error. The place that finds the fault writes one sentence with
 * ireneo_fail(); callers only pass the code on with IRENEO_TRY. The sentence is kept per thread. */
#ifndef IRENEO_BASE_ERROR_H
#define IRENEO_BASE_ERROR_H

#include "ireneo.h"

/* Keeps the sentence for ireneo_last_error() and returns the code, so that a fault is one line:
 *     return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu holds NaN", path, row); */
ireneo_error ireneo_fail(ireneo_error code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Passes an error on to the caller; only for functions that hold nothing to free. */
#define IRENEO_TRY(call)                                                                                     \
    do {                                                                                                     \
        ireneo_error ireneo_try_error_ = (call);                                                             \
        if (ireneo_try_error_ != IRENEO_OK) return ireneo_try_error_;                                        \
    } while (0)

/* Refuses an argument that must not be NULL, or must not be missing. */
#define IRENEO_REQUIRE(condition, sentence)                                                                  \
    do {                                                                                                     \
        if (!(condition)) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s", (sentence));                       \
    } while (0)

/* The room that public structs keep for later versions must be zero: then a field that moves in finds no
 * accidental value, and a struct that was never initialised is found out now. */
ireneo_error ireneo_check_reserved(const uint64_t reserved[4], const char *what);

#endif
