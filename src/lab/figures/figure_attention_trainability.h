/* The trainability diagram as a table, and as a picture. */
#ifndef IRENEO_LAB_FIGURES_FIGURE_ATTENTION_TRAINABILITY_H
#define IRENEO_LAB_FIGURES_FIGURE_ATTENTION_TRAINABILITY_H

#include "lab/figures/figure.h"

/* A heading and one line for each point; `blocks` puts an empty line between query-key scales, as gnuplot's
 * surfaces want it. */
void ireneo_trainability_write(FILE *stream, const ireneo_attention_trainability *diagram, bool blocks);

/* Data of a transformer for figures/attention_trainability.gp, at least two values on each axis, and the pictures, into the
 * request's directory. */
ireneo_error ireneo_trainability_picture(const figure_request *request, const ireneo_transformer *transformer,
                                         const ireneo_attention_trainability *diagram);

#endif
