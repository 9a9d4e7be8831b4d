/* The list of figures. */
#include "lab/figures.h"

const figure *const ireneo_figures[] = {
    &figure_capacity,
    &figure_dense_phases,
    &figure_dense_basins,
    &figure_attention_participation,
    &figure_attention_gradient,
    &figure_attention_gain,
    &figure_attention_depth,
    &figure_attention_training,
};
const size_t ireneo_figure_count = sizeof ireneo_figures / sizeof *ireneo_figures;
