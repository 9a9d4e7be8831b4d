/* Rows of plain attention are random energy models of spread sigma = beta sqrt(log T (1 - rho)). */
#include "attention/theory/row_law.h"

#include <math.h>

ireneo_error ireneo_row_law_open(const ireneo_transformer *t, ireneo_row_law *law) {
    *law = (ireneo_row_law){.keys = t->keys > 0.0 ? t->keys : t->context,
                            .spread = ireneo_logit_scale(t) * sqrt(log(t->context))};
    if (t->window > 0.0) law->keys = fmin(law->keys, t->window);
    return IRENEO_OK;
}

ireneo_error ireneo_row_averages(const ireneo_row_law *law, double distance, ireneo_rem_row *row) {
    return ireneo_rem_exact(law->spread * sqrt(distance), law->keys, row);
}

ireneo_error ireneo_row_overlap(const ireneo_row_law *law, double distance, double *overlap) {
    return ireneo_rem_row_overlap(law->spread * sqrt(distance), 1.0 - distance, law->keys, overlap);
}

double ireneo_logit_scale(const ireneo_transformer *t) {
    return t->query_key_norm > 0.0 ? t->query_key_norm / sqrt(log(t->context)) : t->beta;
}

ireneo_transformer ireneo_with_logit_scale(const ireneo_transformer *transformer, double beta) {
    ireneo_transformer t = *transformer;
    if (t.query_key_norm > 0.0)
        t.query_key_norm = fmax(1e-9, beta * sqrt(log(t.context))); /* 0 would be no norm at all */
    else
        t.beta = beta;
    return t;
}

int ireneo_logits_unbound(const ireneo_transformer *t) {
    return (t->normalisation == IRENEO_NORMALISATION_NONE ||
            t->normalisation == IRENEO_NORMALISATION_BRANCH) &&
           t->query_key_norm == 0.0;
}
