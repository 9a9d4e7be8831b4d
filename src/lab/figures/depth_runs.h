/* Random networks over depth beside the recursion: what the figures attention_depth, attention_text and attention_decoder share. */
#ifndef IRENEO_LAB_FIGURES_DEPTH_RUNS_H
#define IRENEO_LAB_FIGURES_DEPTH_RUNS_H

#include "lab/figures/figure.h"

typedef struct depth_run {
    ireneo_transformer transformer;
    const ireneo_attention_tokens *tokens; /* NULL: Gaussian tokens */
    size_t draws, last;                    /* as in ireneo_attention_simulate_settings */
} depth_run;

/* "layer,beta,rho,error,exact,limit,encoder", one row for every depth and query-key scale: networks, and the recursion from the similarity
 * that their tokens have, for the rows that are measured; beside it that of encoders. */
extern const char ireneo_depth_header[];
ireneo_error ireneo_depth_write(const figure_request *request, const depth_run *run, const double *betas,
                                size_t beta_count, FILE *stream);

#endif
