/* The figures, one file each (src/lab/figure_NAME.c). */
#ifndef IRENEO_LAB_FIGURES_H
#define IRENEO_LAB_FIGURES_H

#include "lab/figure.h"

extern const figure figure_capacity;

#endif
