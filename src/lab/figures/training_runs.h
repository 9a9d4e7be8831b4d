/* Training runs over the trainability diagram, and their outcomes as a table on disk. */
#ifndef IRENEO_LAB_FIGURES_TRAINING_RUNS_H
#define IRENEO_LAB_FIGURES_TRAINING_RUNS_H

#include "ireneo.h"

#include <stdio.h>

/* The network that is trained, without beta and residual strength, and how. */
ireneo_transformer ireneo_training_network(void);
ireneo_attention_train_settings ireneo_training_budget(void);

typedef struct training_point {
    double beta, residual;
} training_point;

/* The points of the diagram at which a network is trained. */
extern const training_point ireneo_training_points[];
extern const size_t ireneo_training_point_count;

/* Heading and one line of the table, with what the theory says about the run: 1 - rho after the last layer,
 * growth of gradients, and the change by a step of Adam. */
void ireneo_training_write_heading(FILE *stream);
ireneo_error ireneo_training_write_run(FILE *stream, training_point point, uint64_t seed,
                                       const ireneo_attention_train_report *report);

#endif
