/* What every call shares: errors, progress, version. */
#ifndef IRENEO_COMMON_H
#define IRENEO_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define IRENEO_VERSION "0.1.0"

/** The same as one number, major * 10000 + minor * 100 + patch, so that #if can ask. */
#define IRENEO_VERSION_NUMBER 100

#if defined(__GNUC__)
#define IRENEO_API __attribute__((visibility("default")))
#else
#define IRENEO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What went wrong with a call. */
typedef enum ireneo_error {
    IRENEO_OK = 0,
    /** An argument is outside its range, or arguments contradict each other. */
    IRENEO_ERROR_ARGUMENT,
    /** The data cannot be used: malformed file, wrong shape or type, NaN, index out of range. */
    IRENEO_ERROR_DATA,
    /** The machine has not enough memory. */
    IRENEO_ERROR_MEMORY,
    /** A file could not be opened, read or written: missing, no permission, no space. */
    IRENEO_ERROR_IO,
    /** A numerical method did not reach its accuracy; the result would have been wrong. */
    IRENEO_ERROR_NUMERIC,
    /** The progress callback asked to stop and nothing useful could be returned. */
    IRENEO_ERROR_CANCELLED
} ireneo_error;

/** A short name for an error code, for logs. Never NULL. */
IRENEO_API const char *ireneo_error_name(ireneo_error error);

/** One sentence about the last failure in this thread. Never NULL; valid until the next failure. */
IRENEO_API const char *ireneo_last_error(void);

/** The version of the library that is linked, as "major.minor.patch". */
IRENEO_API const char *ireneo_version(void);

/** How long work tells how far it is, and how it is stopped. */
typedef struct ireneo_progress {
    /** Called now and then, always from the calling thread, with the name of the current stage and how much
     * of it is done. A result other than 0 asks the work to stop at the next safe point. NULL: never called. */
    int (*report)(void *context, const char *stage, double done, double total);
    /** Passed to report unchanged. */
    void *context;
} ireneo_progress;

struct ireneo_holding;

/** How work runs, for calls that have no other settings. Zero-initialised settings, or NULL: all cores, no reports. */
typedef struct ireneo_run_settings {
    /** Threads, at most 4096; 0: all cores. Results do not depend on it. */
    int threads;
    /** NULL: none. */
    const ireneo_progress *progress;
    /** For rows that the processes of an MPI job share out (the program's own; see src/base/holding.h). NULL: all are
     * here. */
    const struct ireneo_holding *holding;
    /** Here and everywhere: room for later versions, which must be zero. */
    uint64_t reserved[4];
} ireneo_run_settings;

#ifdef __cplusplus
}
#endif

#endif
