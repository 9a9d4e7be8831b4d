/* The cost model. The work of each phase is counted from the sizes; how long it takes beside a plain float32 product of as
 * many operations was measured on whole stores (docs/scale.md says where and when). Rows are dealt to ranks in groups, so
 * the rank with most groups is waited for. */
#include "lab/scale/cost.h"
#include "base/digest.h"
#include "base/holding.h"

#include <math.h>

/* Time over that of a plain product with as many operations. */
static const double MOMENTS = 2.0; /* in float64, half of a symmetric product */
static const double WHITE = 1.2;
static const double CHECK = 1.05; /* of a scan: its h are made in float64 */
static const double DIRECTION = 1.2;
static const double LISTED = 3.0; /* inner products with competitors that lie apart */
static const double GRADIENT = 1.1;

/* Operations an entry of W: L-BFGS reads every vector of its history, on every rank. */
static const double HISTORY = 60.0;

/* LAPACK and products of matrices of W's size, in float64, on one core of every rank. */
static const double FACTORISE = 2.5;

/* Line searches try so many steps, and what they sum are so many numbers. */
static const double TRIALS = 2.5, SUMMED = 3.0;

/* A check shows all ranks so many rows; lists are a little longer than asked for. */
static const double SAMPLED = 64.0, KEPT = 1.05;

/* Bytes in which a rank counts its rows by their length (facts/scaled_facts.c). */
static const double LENGTHS = 8192.0;

/* As in solver/attempt.c. */
enum { LIST_ROOM = 128, HISTORY_PAIRS = 6 };

typedef struct layout {
    double ranks, groups;
    double rows;  /* of the rank that has most */
    double parts; /* subtrees of sums that the ranks give, in all */
} layout;

/* Subtrees that fill groups first .. last - 1 (base/tree_sum.h). */
static double subtrees(size_t groups, size_t first, size_t last) {
    double count = 0.0;
    while (first < last) {
        size_t size = 1;
        while (first % (2 * size) == 0 && first + 2 * size <= last && 2 * size <= groups) size *= 2;
        first += size;
        count++;
    }
    return count;
}

static ireneo_error lay_out(const ireneo_job *job, const ireneo_machine *machine, layout *l) {
    size_t groups = ireneo_group_count((size_t)job->facts), ranks = (size_t)(machine->nodes * machine->ranks),
           most = 0;
    *l = (layout){.ranks = (double)ranks, .groups = (double)groups};
    if (ranks > groups || (double)ranks > job->facts)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "%.0f facts are dealt out in %zu groups, too few for %zu ranks", job->facts,
                           groups, ranks);
    for (size_t r = 0; r < ranks; r++) {
        size_t first = r * groups / ranks, last = (r + 1) * groups / ranks;
        if (last - first > most) most = last - first;
        l->parts += subtrees(groups, first, last);
    }
    l->rows = fmin(job->facts, ceil(job->facts / l->groups) * (double)most);
    return IRENEO_OK;
}

/* Bytes that all ranks send for a sum of so many bytes: slices of every part to who adds them, and the sums to all. */
static double sum_bytes(const layout *l, double bytes) {
    return bytes * (l->parts + l->ranks) * (l->ranks - 1.0) / l->ranks;
}

/* Bytes of rows that rank 0 gathers, and that everybody does. */
static double gathered_bytes(const layout *l, double bytes) {
    return bytes * (l->ranks - 1.0) / l->ranks;
}

static double shown_bytes(const layout *l, double bytes) {
    return bytes * (l->ranks - 1.0);
}

/* Few numbers go to everybody as they are. */
static double few_bytes(const layout *l, double bytes) {
    return bytes * l->parts * (l->ranks - 1.0);
}

/* Seconds of an exchange between all ranks of so many bytes: a node's share of what leaves nodes, and a message from each
 * rank to each, of which the first is waited for. */
static const double MESSAGE = 1e-6; /* to hand one over */

static double exchange_seconds(const ireneo_machine *m, const layout *l, double bytes, double rounds) {
    if (l->ranks == 1.0) return 0.0;
    double leaving = bytes * (l->ranks - m->ranks) / (l->ranks - 1.0);
    return leaving / m->nodes / m->network + rounds * (m->latency + (l->ranks - 1.0) * MESSAGE);
}

/* Competitors that a scan keeps: solver/attempt.c. */
static double keep(const ireneo_job *job) {
    return 20.0 + floor(fmax(0.0, 4.0 * log2(job->candidates / 64.0)));
}

static void cost_iteration(const ireneo_job *j, const ireneo_machine *m, const layout *l, ireneo_cost *c) {
    double area = j->dim_in * j->dim_out, rank_flops = m->flops / m->ranks;
    double work = l->rows * ((DIRECTION + GRADIENT) * 2.0 * area + LISTED * 2.0 * keep(j) * j->dim_out) +
                  HISTORY * area;
    double few = few_bytes(l, 8.0 * SUMMED);
    c->bytes_iteration = sum_bytes(l, 4.0 * area) + TRIALS * few;
    c->seconds_network =
        exchange_seconds(m, l, sum_bytes(l, 4.0 * area), 2.0) + TRIALS * exchange_seconds(m, l, few, 1.0);
    c->seconds_iteration = work / rank_flops + c->seconds_network;
}

static void cost_scans(const ireneo_job *j, const ireneo_machine *m, const layout *l, ireneo_cost *c) {
    double area = j->dim_in * j->dim_out, rank_flops = m->flops / m->ranks;
    double scores = 2.0 * l->rows * j->candidates * j->dim_out, h = 2.0 * l->rows * area;
    double serial = FACTORISE * 2.0 * area * (j->dim_in + j->dim_out) / (m->flops / m->cores);
    /* Loss and gradient on the new working set; a state before it, of which rank 0 gathers the levels. */
    c->bytes_scan = sum_bytes(l, 4.0 * area) + gathered_bytes(l, 4.0 * j->facts);
    c->seconds_scan = (m->scan * scores + h) / rank_flops + exchange_seconds(m, l, c->bytes_scan, 3.0);
    /* Everybody sees a sample of rows; rank 0 gathers the working set for the state. */
    double lists = j->facts * (12.0 + 8.0 * KEPT * keep(j));
    c->bytes_check = shown_bytes(l, SAMPLED * (4.0 * j->dim_out + 8.0)) + gathered_bytes(l, lists);
    c->seconds_check = (CHECK * m->scan * scores + 2.0 * h) / rank_flops + serial +
                       (m->nodes > 1.0 ? lists / m->network : 0.0);
}

/* Moments are sums over all ranks, and everybody sees what tells equal rows and lengths of rows; digests of the data are made
 * of pieces that may lie on two ranks. White keys are made by who has the rows, white values by every node for itself. */
static void cost_preparation(const ireneo_job *j, const ireneo_machine *m, const layout *l, ireneo_cost *c) {
    double area = j->dim_in * j->dim_out, keys = j->dim_in * j->dim_in, values = j->dim_out * j->dim_out;
    double moments = MOMENTS * (l->rows * keys + j->candidates / l->ranks * values);
    double white = WHITE * 2.0 * (l->rows * keys + j->candidates / m->ranks * values);
    double start = 2.0 * l->rows * area;
    double serial = FACTORISE * 2.0 / 3.0 * (keys * j->dim_in + values * j->dim_out) / (m->flops / m->cores);
    double prints = 24.0 * (j->facts + j->candidates), counts = 2.0 * LENGTHS * l->ranks,
           targets = j->candidates != j->facts ? 16.0 * j->facts : 0.0,
           pieces = fmin(IRENEO_DIGEST_PIECE, 2.0 * j->facts * j->dim_in) +
                    fmin(IRENEO_DIGEST_PIECE, 2.0 * j->candidates * j->dim_out);
    c->bytes_prepare = sum_bytes(l, 8.0 * (keys + values)) + sum_bytes(l, 4.0 * area) +
                       shown_bytes(l, prints + targets + counts + 0.5 * pieces);
    c->seconds_prepare = (moments + white + start) / (m->flops / m->ranks) + serial +
                         exchange_seconds(m, l, c->bytes_prepare, 6.0);
}

/* Rows: keys as they are, scaled and white, and lists. Values: as they are, scaled, white, centred, in eight and in sixteen
 * bits. Matrices: of every rank. */
static double node_ram(const ireneo_job *j, const ireneo_machine *m, const layout *l) {
    double area = j->dim_in * j->dim_out, largest = fmax(j->dim_in, j->dim_out),
           room = fmin(j->candidates - 1.0, LIST_ROOM);
    double rows = l->rows * m->ranks * (12.0 * j->dim_in + 12.0 * room + 72.0);
    double values = 19.0 * j->candidates * j->dim_out;
    double threads = fmax(1.0, m->cores / m->ranks), held = ceil(l->groups / l->ranks);
    double sums = fmin(held, (threads + 1.0) * log2(l->groups) + threads);
    double matrices =
        4.0 * area * (2.0 * HISTORY_PAIRS + sums + 8.0) +
        8.0 * (3.0 * (j->dim_in * j->dim_in + j->dim_out * j->dim_out) + 2.0 * largest * largest);
    return rows + values + m->ranks * matrices;
}

ireneo_error ireneo_cost_of(const ireneo_job *job, const ireneo_machine *machine, ireneo_cost *cost) {
    layout l;
    *cost = (ireneo_cost){0};
    IRENEO_TRY(lay_out(job, machine, &l));
    cost->groups = l.groups;
    cost->busiest = l.rows * l.ranks / job->facts;
    cost_preparation(job, machine, &l, cost);
    cost_scans(job, machine, &l, cost);
    cost_iteration(job, machine, &l, cost);
    cost->seconds = cost->seconds_prepare + job->scans * cost->seconds_scan +
                    job->checks * cost->seconds_check + job->iterations * cost->seconds_iteration;
    cost->bytes = cost->bytes_prepare + job->scans * cost->bytes_scan + job->checks * cost->bytes_check +
                  job->iterations * cost->bytes_iteration;
    cost->ram = node_ram(job, machine, &l);
    return IRENEO_OK;
}

double ireneo_cost_network_limit(const ireneo_job *job, const ireneo_machine *machine) {
    double most = (double)ireneo_group_count((size_t)job->facts) / machine->ranks;
    ireneo_machine m = *machine;
    for (m.nodes = 2.0; m.nodes <= most; m.nodes *= 2.0) {
        ireneo_cost c;
        if (ireneo_cost_of(job, &m, &c) != IRENEO_OK) break;
        if (c.seconds_network >= 0.5 * c.seconds_iteration) return m.nodes;
    }
    return INFINITY;
}
