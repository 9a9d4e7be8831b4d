/* Thresholds of several draws of one shape, summarised, for figures. */
#ifndef IRENEO_LAB_FIGURES_THRESHOLD_FIGURE_H
#define IRENEO_LAB_FIGURES_THRESHOLD_FIGURE_H

#include "lab/figures/curves.h"
#include "lab/figures/note.h"
#include "lab/sweep/threshold_rows.h"

enum { MOST_DRAWS = FIGURE_MOST_TRIALS };

typedef struct threshold_group {
    trial like;   /* facts = candidates: as many candidates as facts; otherwise candidates are fixed */
    size_t draws; /* seeds like.seed, like.seed + 1, ... */
    bool known;   /* the draws are those of the rows, whatever their seeds */
    /* Found: */
    size_t sizes
        [MOST_DRAWS]; /* largest numbers that fit, ascending: what is stored, or the middle of what a bracket leaves open */
    size_t certified; /* draws in which the smallest number that is not stored is proved impossible */
    size_t open; /* the widest bracket: numbers between stored and not stored, 0 when every draw is settled */
    double law, mean, error;  /* facts; error: of the mean, with half of the widest bracket */
    double median, low, high; /* low and high: quartiles */
    double distance,
        chance; /* Kolmogorov distance from the law of thresholds, and the chance of a larger one */
} threshold_group;

/* The thresholds of the request's file; none when it has none. */
ireneo_error ireneo_threshold_known(const figure_request *request, threshold_rows *known);

/* The square shapes of a problem, n = P and full rank, that the rows hold, by dimension: at most `most` groups. */
size_t ireneo_threshold_squares(const threshold_rows *known, trial_problem problem, threshold_group *groups,
                                size_t most);

/* Takes all thresholds of all groups from the rows, searches those that are not there, and fills in what was found. */
ireneo_error ireneo_threshold_groups(const figure_request *request, const char *stage,
                                     const threshold_rows *known, threshold_group *groups, size_t count);

/* Chance that `facts` facts fit in the group's shape. */
ireneo_error ireneo_threshold_probability(const trial *like, bool own, double facts, double *probability);

/* "20 (100), 30 (100)": dimensions and draws of a note. */
const char *ireneo_threshold_text(const threshold_group *groups, size_t count, char text[DIMS_TEXT]);

#endif
