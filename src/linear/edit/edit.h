/* An edit that is under way, for the files that share the work. */
#ifndef IRENEO_LINEAR_EDIT_EDIT_H
#define IRENEO_LINEAR_EDIT_EDIT_H

#include "linear/edit/least_change.h"

typedef struct edit_work {
    const ireneo_memory *w0;
    const ireneo_facts *facts; /* the new ones */
    ireneo_edit_settings settings;
    int threads;
    size_t *place;  /* (protected facts) row of each among the caller's */
    double *metric; /* L, or NULL */
    ireneo_edit_problem problem;
    ireneo_edit_result result; /* all: new and protected facts */
    ireneo_memory *edited;
    ireneo_edit_info *info;
} edit_work;

/* New and protected facts as one, in e->result.all. */
ireneo_error ireneo_edit_join_facts(edit_work *e);

/* Solves the problem as it stands and writes the matrix. *stopped: a stop was asked for. Release c whatever comes. */
ireneo_error ireneo_edit_least_change(edit_work *e, ireneo_least_change *c, bool *stopped);

/* The matrix W0 + D L^-1, rounded to float32; `in_metric` false: W0 + D. */
ireneo_error ireneo_edit_write(edit_work *e, const double *change, bool in_metric);

/* Checks the matrix as it is, fact by fact over all candidates, and measures its change. */
ireneo_error ireneo_edit_measure(edit_work *e);

/* Lets the judge look at the proof that a solver found, if any; an accepted one stays in e->result. */
ireneo_error ireneo_edit_prove(edit_work *e, const ireneo_least_change *c, bool *accepted);

/* Are two facts about one position, to a thousandth, but with different answers? */
bool ireneo_edit_contested(const ireneo_facts *all, size_t i, size_t j);

/* Gives up new facts until the rest fits. */
ireneo_error ireneo_edit_overload(edit_work *e);

#endif
