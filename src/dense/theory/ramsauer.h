/* The bound of Ramsauer et al. (Hopfield networks is all you need, 2021), for spherical patterns. */
#ifndef IRENEO_DENSE_THEORY_RAMSAUER_H
#define IRENEO_DENSE_THEORY_RAMSAUER_H

typedef enum ireneo_ramsauer_variant {
    IRENEO_RAMSAUER_THEOREM_3,       /* W0(2 lambda / 5) / 4 */
    IRENEO_RAMSAUER_SEPARATION_ONE,  /* separation condition of theorems 4 and 5, one pattern */
    IRENEO_RAMSAUER_SEPARATION_PAIRS /* the same for all pairs: half of it */
} ireneo_ramsauer_variant;
double ireneo_ramsauer_alpha(ireneo_ramsauer_variant variant, double lambda);

#endif
