/* The list of figures. */
#include "lab/figures.h"

const figure *const ireneo_figures[] = {
    &figure_capacity,                //
    &figure_dense_phases,            //
    &figure_dense_basins,            //
    &figure_dense_thresholds,        //
    &figure_dense_basins_points,     //
    &figure_dense_dot_product,       //
    &figure_dense_finite_size,       //
    &figure_dense_words,             //
    &figure_attention_participation, //
    &figure_attention_gradient,      //
    &figure_attention_gain,          //
};
const size_t ireneo_figure_count = sizeof ireneo_figures / sizeof *ireneo_figures;
