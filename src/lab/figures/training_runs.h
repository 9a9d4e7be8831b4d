/* Training runs of figures, each made once and kept in the store as a series of numbers. */
#ifndef IRENEO_LAB_FIGURES_TRAINING_RUNS_H
#define IRENEO_LAB_FIGURES_TRAINING_RUNS_H

#include "lab/figures/figure.h"

/* What is kept of a run's report. */
typedef struct training_outcome {
    double unigram_entropy, final_loss, held_out_unigram, held_out_loss; /* nats */
    double rho_before, rho_after, entropy_before, entropy_after;
    double diverged; /* 1: it did */
    double seconds;  /* on one core */
} training_outcome;

typedef struct training_run {
    ireneo_transformer network;
    ireneo_attention_train_settings settings; /* all of them said, none left to a default */
    const char *text;                         /* a file of the data folder */
    training_outcome outcome;
} training_run;

/* Fills the outcomes of all runs (count), from the request's store or by training that is kept there. */
ireneo_error ireneo_training_runs_make(const figure_request *request, const char *stage, training_run *runs,
                                       size_t count);

/* Copies the outcomes that are shipped as a table of the data folder into the request's: the quick figure. */
ireneo_error ireneo_training_runs_copy(const figure_request *request, const char *shipped, const char *name);

#endif
