/* The figures, one file each (src/lab/figure_NAME.c). */
#ifndef IRENEO_LAB_FIGURES_H
#define IRENEO_LAB_FIGURES_H

#include "lab/figure.h"

extern const figure figure_attention_gain;
extern const figure figure_attention_gradient;
extern const figure figure_attention_participation;
extern const figure figure_capacity;
extern const figure figure_dense_basins;
extern const figure figure_dense_thresholds;
extern const figure figure_dense_basins_points;
extern const figure figure_dense_dot_product;
extern const figure figure_dense_finite_size;
extern const figure figure_dense_words;
extern const figure figure_dense_phases;

#endif
