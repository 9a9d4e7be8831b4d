/* The page does without rotary positions, which need more code than they are worth in a browser; the program has them. */
#include "attention/theory/block.h"

double ireneo_rope_mean(const ireneo_rope *rope, double keys) {
    (void)rope, (void)keys;
    return 1.0;
}

double ireneo_rope_own(const ireneo_rope *rope, double keys, double rho) {
    (void)rope, (void)keys;
    return 1.0 - rho;
}

ireneo_error ireneo_rope_row(const ireneo_rope *rope, double keys, double spread, double rho,
                             const ireneo_logit_nodes *leaf, ireneo_rem_row *row) {
    (void)rope, (void)keys, (void)spread, (void)rho, (void)leaf, (void)row;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the page does not know rotary positions; the program does");
}
