/* The text of the progress line: numbers that never go back, and a time left that only shrinks. */
#ifndef IRENEO_CLI_PROGRESS_H
#define IRENEO_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

enum { PROGRESS_STAGES = 8, PROGRESS_LINE = 160 };

typedef struct progress_stage {
    char name[48];
    double start;  /* seconds on any clock */
    double most;   /* done so far, at best */
    double end;    /* when it was last expected to end; 0: not yet */
    bool doubted;  /* it fell too far behind: nothing is promised any more */
    size_t passes; /* how often it began again after its end */
} progress_stage;

/* Work that goes back to an earlier stage finds it as it left it. Zero-initialise, and set start. */
typedef struct progress_view {
    double start;
    progress_stage stages[PROGRESS_STAGES];
    size_t count;
} progress_view;

/* Takes a report of the work at a time, and writes "storing facts: 2 500 of 7 000 (36 %), 12 s, 21 s left". */
void write_progress(progress_view *view, const char *name, double done, double total, double time,
                    char line[PROGRESS_LINE]);

#endif
