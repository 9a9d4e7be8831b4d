/* The list of figures. */
#include "lab/figures/figures.h"

const figure *const ireneo_figures[] = {
    &figure_capacity,                //
    &figure_linear_1,                //
    &figure_linear_2,                //
    &figure_linear_3,                //
    &figure_linear_4,                //
    &figure_linear_a1,               //
    &figure_linear_a2,               //
    &figure_linear_c1,               //
    &figure_linear_c2,               //
    &figure_linear_d1,               //
    &figure_law,                     //
    &figure_entropy,                 //
    &figure_words,                   //
    &figure_overload,                //
    &figure_sequential,              //
    &figure_speed,                   //
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
    &figure_attention_depth,         //
    &figure_attention_text,          //
    &figure_attention_decoder,       //
    &figure_attention_trainability,  //
    &figure_attention_training,      //
    &figure_attention_stories,       //
};
const size_t ireneo_figure_count = sizeof ireneo_figures / sizeof ireneo_figures[0];
