/* The law of the logits of one row, and what softmax makes of it, for normalised tokens (q = 1) at a distance
 * 1 - rho from each other. */
#ifndef IRENEO_ATTENTION_THEORY_ROW_LAW_H
#define IRENEO_ATTENTION_THEORY_ROW_LAW_H

#include "attention/theory/rope.h"

typedef struct ireneo_row_law {
    double keys;   /* that the row sees */
    double shared; /* the share of them that another row sees, mean over rows: 1 without a window */
    double
        spread; /* standard deviation of a logit: beta sqrt(log T), or the gain of a norm of queries and keys */
    size_t sphere; /* dimension of normalised queries and keys; 0: Gaussian logits */
    double cap;    /* of the logits; 0: none */
    ireneo_rope rope;
} ireneo_row_law;

/* Windows of `window` keys (0: none) among `rows` rows: the keys that a row sees, and the share of these that another sees. */
double ireneo_window_keys(double rows, double window);
double ireneo_window_shared(double rows, double window);

/* For a checked transformer. */
ireneo_error ireneo_row_law_open(const ireneo_transformer *transformer, ireneo_row_law *law);

/* Averages of a row, and the overlap O12 of two rows. */
ireneo_error ireneo_row_averages(const ireneo_row_law *law, double distance, ireneo_rem_row *row);
ireneo_error ireneo_row_overlap(const ireneo_row_law *law, double distance, double *overlap);

/* The spread of independent Gaussian logits with the participation of this row. */
ireneo_error ireneo_row_gaussian_spread(const ireneo_row_law *law, double distance, double *sigma);

/* 1 - rho as the spread of a row's logits knows it: rotations make keys share less. */
double ireneo_row_distance(const ireneo_row_law *law, double distance);

/* Correlation of two rows' centred logits for the same key among `keys`, the mean over pairs of rows of cosine rho. */
double ireneo_row_correlation(const ireneo_row_law *law, double keys, double rho);

/* beta q (q - p) of the law of |dL/dW_Q|^2 (layer.c), where logits have this variance, weights the scale beta, and keys are q - p
 * = apart from each other as the logits know it. */
double ireneo_query_gradient(double logit_variance, double beta, double log_context, double q, double apart);

/* The query-key scale that a transformer's logits amount to, and the transformer with another one: beta, or the
 * gain of a norm of queries and keys over sqrt(log T). */
double ireneo_logit_scale(const ireneo_transformer *transformer);
ireneo_transformer ireneo_with_logit_scale(const ireneo_transformer *transformer, double beta);

/* Whether logits grow with the tokens that attention reads: no norm before it, and none of queries and keys. */
int ireneo_logits_unbound(const ireneo_transformer *transformer);

#endif
