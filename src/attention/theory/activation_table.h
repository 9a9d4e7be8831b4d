/* Gaps of an activation whose averages are sums over two dimensions, for tokens of any scale: a recursion over
 * unnormalised tokens asks for ten thousand of them. */
#ifndef IRENEO_ATTENTION_THEORY_ACTIVATION_TABLE_H
#define IRENEO_ATTENTION_THEORY_ACTIVATION_TABLE_H

#include "attention/theory/chebyshev.h"

typedef struct ireneo_activation_table {
    ireneo_activation activation;
    ireneo_chebyshev table; /* over log q, of gap / (q distance) at Chebyshev points of the distance */
} ireneo_activation_table;

ireneo_error ireneo_activation_table_open(ireneo_activation activation, ireneo_activation_table *table);
void ireneo_activation_table_close(ireneo_activation_table *table);

/* As ireneo_activation_gap, to seven digits. */
double ireneo_activation_table_at(const ireneo_activation_table *table, double q, double distance);

#endif
