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
static const double STEP = 0.4;                  /* of t, where logits are not wide */
static const double LOG_NEGLIGIBLE = -34.0;
static const double MERGED = 1e-3; /* nodes so near to each other count as one under a cap */
/* Of value - t: below, 1e12 keys have nothing to add; above, M_n and D are 0 and F is 1. */
static const double WINDOW_LOW = -70.0, WINDOW_HIGH = 4.0;

/* Room for as many nodes as there are, their weights and the tails of these. */
static ireneo_error allocate(ireneo_logit_nodes *nodes) {
    IRENEO_TRY(IRENEO_ALLOCATE(&nodes->value, 3 * nodes->count + 1, "law of logits"));
    nodes->weight = nodes->value + nodes->count;
    nodes->tail = nodes->weight + nodes->count;
    return IRENEO_OK;
}

static void sum_tail(ireneo_logit_nodes *nodes) {
    nodes->tail[nodes->count] = 0.0;
    for (size_t j = nodes->count; j-- > 0;) nodes->tail[j] = nodes->tail[j + 1] + nodes->weight[j];
}

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
    IRENEO_TRY(allocate(nodes));
    double total = 0.0;
    for (ptrdiff_t j = -half; j <= half; j++) {
        double *weight = &nodes->weight[j + half];
        nodes->value[j + half] = node_value(sigma, sphere, (double)j * step, weight);
        if (sphere == 1 && j == 0) *weight = 0.0;
        total += *weight;
    }
    for (size_t j = 0; j < nodes->count; j++) nodes->weight[j] /= total;
    sum_tail(nodes);
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

/* The first node above a value. */
static size_t first_above(const ireneo_logit_nodes *nodes, double value) {
    size_t low = 0, high = nodes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (nodes->value[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void ireneo_logit_nodes_at(const ireneo_logit_nodes *nodes, double t, double *averages) {
    size_t end = first_above(nodes, t + WINDOW_HIGH);
    for (int n = 0; n < IRENEO_REM_AVERAGES; n++) averages[n] = 0.0;
    for (size_t j = first_above(nodes, t + WINDOW_LOW); j < end; j++)
        add_node(nodes->value[j] - t, nodes->weight[j], averages);
    averages[IRENEO_REM_F] += nodes->tail[end];
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

/* c tanh((x + shift) / c) of all nodes; those that the cap makes one become one. */
static ireneo_error cap_nodes(const ireneo_logit_nodes *nodes, double cap, double shift,
                              ireneo_logit_nodes *capped) {
    capped->count = nodes->count;
    IRENEO_TRY(allocate(capped));
    size_t count = 0;
    for (size_t j = 0; j < nodes->count; j++) {
        double value = cap * tanh((nodes->value[j] + shift) / cap);
        if (count > 0 && value - capped->value[count - 1] < MERGED) {
            capped->weight[count - 1] += nodes->weight[j];
            continue;
        }
        capped->value[count] = value;
        capped->weight[count++] = nodes->weight[j];
    }
    capped->count = count;
    sum_tail(capped);
    return IRENEO_OK;
}

/* M_1 with the slope of the cap, 1 - tanh^2, in it, and M_2, M_3 and M_4 with its square. */
static void sloped_moments(const ireneo_logit_nodes *capped, double t, double cap, double *moments) {
    size_t end = first_above(capped, t + WINDOW_HIGH);
    for (int n = 1; n <= IRENEO_REM_MOMENTS; n++) moments[n] = 0.0;
    for (size_t j = first_above(capped, t + WINDOW_LOW); j < end; j++) {
        double ratio = capped->value[j] / cap, slope = 1.0 - ratio * ratio, e = exp(capped->value[j] - t);
        double power = capped->weight[j] * slope * exp(-e) * e;
        moments[1] += power;
        power *= slope;
        for (int n = 2; n <= IRENEO_REM_MOMENTS; n++) moments[n] += power *= e;
    }
}

/* Adds one t to `condensed` and `slope` (rem_row.c). */
static void add_sloped(const ireneo_logit_nodes *capped, double t, double cap, double keys,
                       const double *averages, double *condensed, double *slope) {
    double m[IRENEO_REM_MOMENTS + 1], log_phi = log1p(-fmin(averages[IRENEO_REM_F], 1.0));
    double others = keys * exp((keys - 1.0) * log_phi);
    sloped_moments(capped, t, cap, m);
    *slope += others * m[1];
    *condensed += others * (m[2] - m[3] + m[4] / 6.0) +
                  keys * (keys - 1.0) / 6.0 * m[2] * averages[2] * exp((keys - 2.0) * log_phi);
}

/* Of t: the integrands vary over a part of the spread of logits or over 1, whichever is larger. */
static double step_of(const ireneo_logit_nodes *nodes, double cap) {
    double spread = (nodes->value[nodes->count - 1] - nodes->value[0]) / (2.0 * REACH);
    return cap > 0.0 && cap < 2.0 * REACH * spread ? STEP : fmax(STEP, spread / 64.0);
}

static void integrate(const ireneo_logit_nodes *nodes, double keys, double cap, double step,
                      ireneo_rem_row *row) {
    double averages[IRENEO_REM_AVERAGES], condensed = 0.0, slope = 0.0;
    double t = ireneo_logit_nodes_top(nodes, keys);
    memset(row, 0, sizeof *row);
    for (;; t -= step) {
        ireneo_logit_nodes_at(nodes, t, averages);
        if (!ireneo_rem_add_point(averages, keys, row)) break;
        if (cap > 0.0) add_sloped(nodes, t, cap, keys, averages, &condensed, &slope);
    }
    ireneo_rem_finish(step, keys, row);
    if (cap > 0.0) row->condensed = step * condensed, row->slope = step * slope;
    row->log_partition = NAN; /* what it is by parts holds for Gaussian logits only */
}

ireneo_error ireneo_logit_nodes_row(const ireneo_logit_nodes *nodes, double keys, double cap, double shift,
                                    ireneo_rem_row *row) {
    if (cap <= 0.0) {
        integrate(nodes, keys, 0.0, step_of(nodes, 0.0), row);
        return IRENEO_OK;
    }
    ireneo_logit_nodes capped;
    IRENEO_TRY(cap_nodes(nodes, cap, shift, &capped));
    integrate(&capped, keys, cap, step_of(nodes, cap), row);
    ireneo_logit_nodes_close(&capped);
    return IRENEO_OK;
}
