/* Calls of the progress callback, rare enough to cost nothing. */
#ifndef IRENEO_BASE_PROGRESS_H
#define IRENEO_BASE_PROGRESS_H

#include "base/clock.h" /* what reports how far it is reports how long it took */
#include "base/error.h"

/* Reports and tells whether the work should stop. `progress` may be NULL. */
static inline int ireneo_report(const ireneo_progress *progress, const char *stage, double done,
                                double total) {
    if (progress == NULL || progress->report == NULL) return 0;
    return progress->report(progress->context, stage, done, total);
}

#endif
