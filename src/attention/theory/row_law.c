/* Rows of plain attention are random energy models of spread sigma = beta sqrt(log T (1 - rho)). Others:
 *
 *     norm of queries and keys   logits are those of directions (logit_nodes.c)
 *     cap                        c tanh(a / c) of the whole logit a = common + own; the common part, of variance
 *                                rho, is the same for all keys but no longer cancels, and is averaged over
 *     rotary positions           a row on a tree (rope.c)
 *
 * The overlap of two rows is taken from Gaussian rows of the spread that has the same Y2. It is exact where rows
 * have nothing or everything in common. */
#include "attention/theory/row_law.h"
#include "base/roots.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { COMMON_NODES = 7 }; /* of a standard normal, 0.65 apart on each side */
static const double COMMON_STEP = 0.65;

double ireneo_window_keys(double rows, double window) {
    return window > 0.0 ? fmin(rows, window) : rows;
}

/* The nearest keys: middles of windows are even over a stretch of rows - window, except that half a window of rows at either
 * end have the window there. Two middles at a distance x share 1 - x / window. */
double ireneo_window_shared(double rows, double window) {
    if (window <= 0.0 || window >= rows) return 1.0;
    double stretch = rows - window, edge = 0.5 * window / rows, inner = 1.0 - 2.0 * edge;
    double reach = fmin(window, stretch), part = reach / window;
    double two = 2.0 * reach * (1.0 - 0.5 * part - reach / stretch * (0.5 - part / 3.0)) / stretch;
    double one = reach * (1.0 - 0.5 * part) / stretch, opposite = fmax(0.0, 1.0 - stretch / window);
    return inner * inner * two + 4.0 * edge * inner * one + 2.0 * edge * edge * (1.0 + opposite);
}

ireneo_error ireneo_row_law_open(const ireneo_transformer *t, ireneo_row_law *law) {
    size_t heads = t->heads > 0 ? t->heads : 1,
           head_width = t->head_width > 0 ? t->head_width : t->width / heads;
    double rows = t->keys > 0.0 ? t->keys : t->context;
    *law = (ireneo_row_law){.keys = ireneo_window_keys(rows, t->window),
                            .shared = ireneo_window_shared(rows, t->window),
                            .spread = ireneo_logit_scale(t) * sqrt(log(t->context)),
                            .sphere = t->query_key_norm > 0.0 ? head_width : 0,
                            .cap = t->soft_cap,
                            .rope = {t->rope_base, head_width}};
    return IRENEO_OK;
}

static bool plain(const ireneo_row_law *law) {
    return law->sphere == 0 && law->cap == 0.0 && law->rope.base == 0.0;
}

double ireneo_row_distance(const ireneo_row_law *law, double distance) {
    if (law->rope.base == 0.0) return distance;
    return 1.0 - (1.0 - distance) * ireneo_rope_mean(&law->rope, law->keys);
}

static void add_row(const ireneo_rem_row *one, double weight, ireneo_rem_row *sum) {
    for (int n = 1; n <= 4; n++) sum->y[n] += weight * one->y[n];
    sum->y2_squared += weight * one->y2_squared;
    sum->entropy += weight * one->entropy;
    sum->condensed += weight * one->condensed;
    sum->slope += weight * one->slope;
}

/* Averages over what all logits of a row have in common, of standard deviation `common`. */
static ireneo_error capped_row(const ireneo_row_law *law, const ireneo_logit_nodes *nodes, double common,
                               ireneo_rem_row *row) {
    double total = 0.0;
    memset(row, 0, sizeof *row);
    row->y[0] = law->keys;
    for (int j = -COMMON_NODES; j <= COMMON_NODES;
         j++) { /* a high common part brings the best keys to the cap */
        double z = COMMON_STEP * j, weight = exp(-0.5 * z * z);
        ireneo_rem_row one;
        IRENEO_TRY(ireneo_logit_nodes_row(nodes, law->keys, law->cap, common * z, &one));
        add_row(&one, weight, row);
        total += weight;
    }
    ireneo_rem_row sum = *row;
    *row = (ireneo_rem_row){.y = {law->keys}, .log_partition = NAN};
    add_row(&sum, 1.0 / total, row);
    return IRENEO_OK;
}

static ireneo_error row_of_nodes(const ireneo_row_law *law, double distance, ireneo_rem_row *row) {
    double rho = 1.0 - distance, own = ireneo_rope_own(&law->rope, law->keys, rho);
    bool rotated = law->rope.base > 0.0 && law->cap == 0.0;
    ireneo_logit_nodes nodes;
    if (law->rope.base > 0.0 && law->cap > 0.0)
        own = ireneo_row_distance(law, distance); /* the cap sees it all */
    IRENEO_TRY(ireneo_logit_nodes_open(law->spread * sqrt(own), law->sphere, &nodes));
    ireneo_error failed = rotated ? ireneo_rope_row(&law->rope, law->keys, law->spread, rho, &nodes, row)
                          : law->cap > 0.0 ? capped_row(law, &nodes, law->spread * sqrt(1.0 - own), row)
                                           : ireneo_logit_nodes_row(&nodes, law->keys, 0.0, 0.0, row);
    ireneo_logit_nodes_close(&nodes);
    return failed;
}

ireneo_error ireneo_row_averages(const ireneo_row_law *law, double distance, ireneo_rem_row *row) {
    double sigma = law->spread * sqrt(ireneo_row_distance(law, distance));
    if (plain(law)) return ireneo_rem_exact(sigma, law->keys, row);
    if (law->cap > 0.0 || sigma <= IRENEO_REM_WIDEST) return row_of_nodes(law, distance, row);
    ireneo_row_law narrow = *law;
    narrow.spread *= IRENEO_REM_WIDEST / sigma;
    IRENEO_TRY(row_of_nodes(&narrow, distance, row));
    ireneo_rem_shrink(row, IRENEO_REM_WIDEST / sigma);
    return IRENEO_OK;
}

typedef struct equal_participation {
    double keys, wanted;
    ireneo_error failed;
} equal_participation;

static double participation_excess(double sigma, void *context) {
    equal_participation *problem = context;
    ireneo_rem_row row = {.y = {0.0, 0.0, NAN}};
    ireneo_logit_nodes nodes;
    ireneo_error failed = ireneo_logit_nodes_open(sigma, 0, &nodes);
    if (failed == IRENEO_OK) {
        failed = ireneo_logit_nodes_row(&nodes, problem->keys, 0.0, 0.0, &row);
        ireneo_logit_nodes_close(&nodes);
    }
    if (failed != IRENEO_OK) problem->failed = failed;
    return log(row.y[2]) - problem->wanted;
}

ireneo_error ireneo_row_gaussian_spread(const ireneo_row_law *law, double distance, double *sigma) {
    ireneo_rem_row row;
    *sigma = 0.0;
    IRENEO_TRY(ireneo_row_averages(law, distance, &row));
    equal_participation problem = {law->keys, log(row.y[2]), IRENEO_OK};
    double high = 2.0 * law->spread + 1e-6;
    if (participation_excess(0.0, &problem) > -1e-9) return problem.failed;
    if (participation_excess(high, &problem) < 0.0) return *sigma = high, problem.failed;
    IRENEO_TRY(ireneo_find_root(participation_excess, &problem, 0.0, high, 1e-7, sigma));
    return problem.failed;
}

ireneo_error ireneo_row_overlap(const ireneo_row_law *law, double distance, double *overlap) {
    double sigma, rho = ireneo_row_correlation(law, law->keys, 1.0 - distance);
    if (plain(law)) {
        IRENEO_TRY(ireneo_rem_row_overlap(law->spread * sqrt(distance), 1.0 - distance, law->keys, overlap));
    } else {
        IRENEO_TRY(ireneo_row_gaussian_spread(law, distance, &sigma));
        IRENEO_TRY(ireneo_rem_causal_overlap(sigma, rho, law->keys, law->keys, overlap));
    }
    *overlap *= law->shared;
    return IRENEO_OK;
}

double ireneo_row_correlation(const ireneo_row_law *law, double keys, double rho) {
    if (law->rope.base == 0.0) return rho;
    double mean = fmax(0.0, ireneo_rope_mean(&law->rope, keys));
    return rho * mean * (1.0 - rho) / fmax(1e-12, 1.0 - rho * mean);
}

double ireneo_query_gradient(double logit_variance, double beta, double log_context, double q, double apart) {
    if (beta == 0.0) beta = sqrt(logit_variance / log_context) / q; /* what has these logits without a norm */
    return logit_variance == 0.0 ? 0.0 : logit_variance / (beta * q * log_context) * apart;
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
