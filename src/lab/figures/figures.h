/* The figures, one file each (src/lab/figure_NAME.c). */
#ifndef IRENEO_LAB_FIGURES_FIGURES_H
#define IRENEO_LAB_FIGURES_FIGURES_H

#include "lab/figures/figure.h"

extern const figure figure_attention_decoder;
extern const figure figure_attention_depth;
extern const figure figure_attention_gain;
extern const figure figure_attention_gradient;
extern const figure figure_attention_participation;
extern const figure figure_attention_stories;
extern const figure figure_attention_text;
extern const figure figure_attention_trainability;
extern const figure figure_attention_training;
extern const figure figure_capacity;
extern const figure figure_linear_1;
extern const figure figure_linear_2;
extern const figure figure_linear_3;
extern const figure figure_linear_4;
extern const figure figure_linear_a1;
extern const figure figure_linear_a2;
extern const figure figure_linear_c1;
extern const figure figure_linear_c2;
extern const figure figure_linear_d1;
extern const figure figure_law;
extern const figure figure_entropy;
extern const figure figure_words;
extern const figure figure_overload;
extern const figure figure_sequential;
extern const figure figure_speed;
extern const figure figure_dense_basins;
extern const figure figure_dense_thresholds;
extern const figure figure_dense_basins_points;
extern const figure figure_dense_dot_product;
extern const figure figure_dense_finite_size;
extern const figure figure_dense_words;
extern const figure figure_dense_phases;

#endif
