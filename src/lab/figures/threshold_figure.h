/* Thresholds of several draws of one shape, summarised, for figures. */
#ifndef IRENEO_LAB_FIGURES_THRESHOLD_FIGURE_H
#define IRENEO_LAB_FIGURES_THRESHOLD_FIGURE_H

#include "lab/figures/curves.h"
#include "lab/sweep/threshold.h"

enum { MOST_DRAWS = 64 };

typedef struct threshold_group {
    trial like;   /* facts = candidates: as many candidates as facts; otherwise candidates are fixed */
    size_t draws; /* seeds like.seed, like.seed + 1, ... */
    /* Found: */
    size_t sizes[MOST_DRAWS];      /* largest number stored, ascending */
    size_t certified;              /* draws in which one fact more is proved impossible */
    double law, median, low, high; /* facts; low and high: quartiles */
    double distance,
        chance; /* Kolmogorov distance from the law of thresholds, and the chance of a larger one */
} threshold_group;

/* Searches all thresholds of all groups and fills in what was found. */
ireneo_error ireneo_threshold_groups(const figure_request *request, const char *stage,
                                     threshold_group *groups, size_t count);

/* Chance that `facts` facts fit in the group's shape. */
ireneo_error ireneo_threshold_probability(const trial *like, bool own, double facts, double *probability);

#endif
