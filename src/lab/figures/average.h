/* Mean and standard deviation over draws, taken one by one; values that are NaN do not count. */
#ifndef IRENEO_LAB_FIGURES_AVERAGE_H
#define IRENEO_LAB_FIGURES_AVERAGE_H

/* Zero-initialised: nothing taken yet. */
typedef struct draw_average {
    double count, mean, squares; /* squares: sum of squared distances from the mean */
} draw_average;

void ireneo_average_take(draw_average *a, double value);

/* NaN when nothing was taken. */
double ireneo_average_mean(const draw_average *a);

/* The standard deviation (n - 1) over the draws, which is what bars show; 0 for one draw. */
double ireneo_average_spread(const draw_average *a);

#endif
