/* The list of figures. */
#include "lab/figures.h"

const figure *const ireneo_figures[] = {
    &figure_capacity,
};
const size_t ireneo_figure_count = sizeof ireneo_figures / sizeof *ireneo_figures;
