/* Queries and keys that are normalised to length sqrt(d_H) have logits g sqrt(d_H) u with u = cos(angle), bounded:
 * for independent directions u is a coordinate of the sphere S^{d_H - 1}, of density (1 - u^2)^{(d_H - 3)/2}. With
 * u = sin(a) that is cos(a)^{d_H - 2}, which the trapezoid rule sums as well as a Gaussian. */
#include "attention/theory/logit_nodes.h"
#include "attention/theory/rem_kernel.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

static const double REACH = 9.0;                 /* standard deviations */
static const double FINEST = 0.5, SPACING = 0.3; /* between nodes: in logits, in standard deviations */
static const double STEP = 0.4;                  /* of t */
static const double LOG_NEGLIGIBLE = -34.0;

/* Nodes at -half .. half times a step in standard deviations. */
static double node_value(double sigma, size_t sphere, double z, double *weight) {
    if (sphere < 2) {
        *weight = sphere == 1 ? 1.0 : exp(-0.5 * z * z);
        return sigma * z;
    }
    double dimension = (double)sphere, angle = z / sqrt(dimension);
    *weight = fabs(angle) < M_PI_2 ? pow(cos(angle), dimension - 2.0) : 0.0;
    return sigma * sqrt(dimension) * sin(angle);
}

ireneo_error ireneo_logit_nodes_open(double sigma, size_t sphere, ireneo_logit_nodes *nodes) {
    double step = fmin(SPACING, FINEST / fmax(sigma, 1e-12)), reach = REACH;
    if (sphere >= 2) reach = fmin(REACH, M_PI_2 * sqrt((double)sphere) - 0.5 * step);
    if (sphere == 1) reach = step = 1.0; /* plus or minus */
    step = fmax(step, 1e-4);
    ptrdiff_t half = (ptrdiff_t)ceil(reach / step);
    nodes->count = (size_t)(2 * half + 1);
    IRENEO_TRY(IRENEO_ALLOCATE(&nodes->value, 2 * nodes->count, "law of logits"));
    nodes->weight = nodes->value + nodes->count;
    double total = 0.0;
    for (ptrdiff_t j = -half; j <= half; j++) {
        double *weight = &nodes->weight[j + half];
        nodes->value[j + half] = node_value(sigma, sphere, (double)j * step, weight);
        if (sphere == 1 && j == 0) *weight = 0.0;
        total += *weight;
    }
    for (size_t j = 0; j < nodes->count; j++) nodes->weight[j] /= total;
    return IRENEO_OK;
}

void ireneo_logit_nodes_close(ireneo_logit_nodes *nodes) {
    free(nodes->value);
    memset(nodes, 0, sizeof *nodes);
}

static void add_node(double u, double weight, double *averages) {
    double e = exp(fmin(u, 60.0)), power = weight * exp(-e);
    averages[IRENEO_REM_F] += e < 1e-3 ? weight * -expm1(-e) : weight - power;
    averages[IRENEO_REM_D] += u * e * power;
    for (int n = 1; n <= IRENEO_REM_MOMENTS; n++) {
        power *= e;
        averages[n] += power;
    }
}

void ireneo_logit_nodes_at(const ireneo_logit_nodes *nodes, double t, double *averages) {
    for (int n = 0; n < IRENEO_REM_AVERAGES; n++) averages[n] = 0.0;
    for (size_t j = 0; j < nodes->count; j++) add_node(nodes->value[j] - t, nodes->weight[j], averages);
}

/* From F(t) <= E e^{x - t}, the sum formed from its largest term. */
double ireneo_logit_nodes_top(const ireneo_logit_nodes *nodes, double keys) {
    double largest = -INFINITY, sum = 0.0;
    for (size_t j = 0; j < nodes->count; j++)
        if (nodes->weight[j] > 0.0) largest = fmax(largest, nodes->value[j] + log(nodes->weight[j]));
    for (size_t j = 0; j < nodes->count; j++)
        if (nodes->weight[j] > 0.0) sum += exp(nodes->value[j] + log(nodes->weight[j]) - largest);
    return largest + log(fmax(1.0, sum)) + log(keys) - LOG_NEGLIGIBLE; /* the largest term is 1 */
}

ireneo_error ireneo_logit_nodes_row(const ireneo_logit_nodes *nodes, double keys, double cap, double shift,
                                    ireneo_rem_row *row) {
    ireneo_logit_nodes capped = {nodes->count, NULL, NULL};
    IRENEO_TRY(IRENEO_ALLOCATE(&capped.value, 2 * nodes->count, "law of logits"));
    capped.weight = capped.value + nodes->count;
    for (size_t j = 0; j < nodes->count; j++) {
        capped.value[j] = cap > 0.0 ? cap * tanh((nodes->value[j] + shift) / cap) : nodes->value[j];
        capped.weight[j] = nodes->weight[j];
    }
    memset(row, 0, sizeof *row);
    double t = ireneo_logit_nodes_top(&capped, keys), averages[IRENEO_REM_AVERAGES];
    do {
        ireneo_logit_nodes_at(&capped, t, averages);
        t -= STEP;
    } while (ireneo_rem_add_point(averages, keys, row));
    ireneo_logit_nodes_close(&capped);
    ireneo_rem_finish(STEP, keys, row);
    row->log_partition = NAN; /* what it is by parts holds for Gaussian logits only */
    return IRENEO_OK;
}
