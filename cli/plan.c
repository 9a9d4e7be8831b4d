/* ireneo plan: what a store takes on a cluster, before anybody asks for one. */
#include "commands.h"
#include "lab/scale/cost.h"
#include "lab/sweep/grid.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct plan_request {
    size_t dim;
    ireneo_shape shape;
    double share; /* of capacity */
    const char *nodes, *integers;
    double gflops, gigabytes, microseconds;
    ireneo_job job;
    ireneo_machine machine;
    bool json;
} plan_request;

/* Time of an integer scan beside a float32 product: docs/scale.md. */
static const double SCAN_VNNI = 0.24, SCAN_AVX2 = 0.4;

/* ---- for people ---- */

static const char *duration(double seconds, char *buffer, size_t size) {
    if (seconds < 1e-3)
        snprintf(buffer, size, "%.2g us", 1e6 * seconds);
    else if (seconds < 1.0)
        snprintf(buffer, size, "%.3g ms", 1e3 * seconds);
    else if (seconds < 120.0)
        snprintf(buffer, size, "%.3g s", seconds);
    else if (seconds < 7200.0)
        snprintf(buffer, size, "%.3g min", seconds / 60.0);
    else if (seconds < 2.0 * 86400.0)
        snprintf(buffer, size, "%.3g h", seconds / 3600.0);
    else
        snprintf(buffer, size, "%.3g days", seconds / 86400.0);
    return buffer;
}

static const char *amount(double bytes, char *buffer, size_t size) {
    static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof UNITS / sizeof UNITS[0]) bytes /= 1000.0, unit++;
    snprintf(buffer, size, "%.3g %s", bytes, UNITS[unit]);
    return buffer;
}

static void print_row(double nodes, const ireneo_cost *c) {
    char ram[24], scan[24], iteration[24], all[24], sent[24];
    printf("%7.0f %11s %11s %12s %8.0f %% %10s %11s\n", nodes, amount(c->ram, ram, sizeof ram),
           duration(c->seconds_scan, scan, sizeof scan),
           duration(c->seconds_iteration, iteration, sizeof iteration),
           100.0 * c->seconds_network / c->seconds_iteration, duration(c->seconds, all, sizeof all),
           amount(c->bytes_iteration, sent, sizeof sent));
}

static void print_head(const plan_request *q) {
    const ireneo_job *j = &q->job;
    char facts[40], candidates[40];
    printf(
        "%s facts among %s candidates in a %.0f x %.0f memory: %.0f scans, %.0f check%s, %.0f iterations\n",
        grouped(j->facts, facts), grouped(j->candidates, candidates), j->dim_out, j->dim_in, j->scans,
        j->checks, j->checks == 1.0 ? "" : "s", j->iterations);
    printf("a node: %.4g Gflop/s on %.0f cores, %.0f rank%s; network %.3g GB/s, %.3g us; integers by %s\n\n",
           q->gflops, q->machine.cores, q->machine.ranks, q->machine.ranks == 1.0 ? "" : "s", q->gigabytes,
           q->microseconds, q->integers);
    printf("  nodes  RAM a node      a scan an iteration   network     in all  sent a step\n");
}

static void print_limit(const plan_request *q, double groups) {
    char text[40];
    double limit = ireneo_cost_network_limit(&q->job, &q->machine);
    printf("\nRows come in %s groups: at most so many ranks.", grouped(groups, text));
    if (isfinite(limit))
        printf(" From %s nodes on the network takes half of an iteration.\n", grouped(limit, text));
    else
        printf(" The network takes less than half of an iteration however many.\n");
}

/* ---- for programs ---- */

static void add_row(ireneo_json *json, double nodes, double ranks, const ireneo_cost *c) {
    ireneo_json_begin_object(json, NULL);
    ireneo_json_number(json, "nodes", nodes);
    ireneo_json_number(json, "ranks", ranks);
    ireneo_json_number(json, "ram_bytes_per_node", c->ram);
    ireneo_json_number(json, "busiest", c->busiest);
    ireneo_json_number(json, "seconds", c->seconds);
    ireneo_json_number(json, "seconds_prepare", c->seconds_prepare);
    ireneo_json_number(json, "seconds_scan", c->seconds_scan);
    ireneo_json_number(json, "seconds_check", c->seconds_check);
    ireneo_json_number(json, "seconds_iteration", c->seconds_iteration);
    ireneo_json_number(json, "seconds_network_iteration", c->seconds_network);
    ireneo_json_number(json, "bytes_sent", c->bytes);
    ireneo_json_number(json, "bytes_sent_prepare", c->bytes_prepare);
    ireneo_json_number(json, "bytes_sent_scan", c->bytes_scan);
    ireneo_json_number(json, "bytes_sent_check", c->bytes_check);
    ireneo_json_number(json, "bytes_sent_iteration", c->bytes_iteration);
    ireneo_json_end_object(json);
}

static void add_head(ireneo_json *json, const plan_request *q, double groups) {
    const ireneo_job *j = &q->job;
    ireneo_json_number(json, "dim_in", j->dim_in);
    ireneo_json_number(json, "dim_out", j->dim_out);
    ireneo_json_number(json, "facts", j->facts);
    ireneo_json_number(json, "candidates", j->candidates);
    ireneo_json_number(json, "scans", j->scans);
    ireneo_json_number(json, "checks", j->checks);
    ireneo_json_number(json, "iterations", j->iterations);
    ireneo_json_number(json, "groups", groups);
    ireneo_json_number(json, "network_limit_nodes", ireneo_cost_network_limit(j, &q->machine));
}

static int print_plan(const command *self, plan_request *q, const grid *nodes) {
    ireneo_json json = {0};
    ireneo_cost cost = {0};
    for (size_t k = 0; k < nodes->count; k++) { /* all or nothing is printed */
        q->machine.nodes = nodes->values[k];
        ireneo_error failed = ireneo_cost_of(&q->job, &q->machine, &cost);
        if (failed != IRENEO_OK) return report_error(self, failed);
    }
    if (q->json) {
        ireneo_json_begin_object(&json, NULL);
        add_head(&json, q, cost.groups);
        ireneo_json_begin_array(&json, "table");
    } else {
        print_head(q);
    }
    for (size_t k = 0; k < nodes->count; k++) {
        q->machine.nodes = nodes->values[k];
        if (ireneo_cost_of(&q->job, &q->machine, &cost) != IRENEO_OK) continue;
        if (q->json)
            add_row(&json, q->machine.nodes, q->machine.nodes * q->machine.ranks, &cost);
        else
            print_row(q->machine.nodes, &cost);
    }
    if (!q->json) {
        print_limit(q, cost.groups);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

/* ---- the question ---- */

/* Facts from the law, unless they were told. */
static int fill_job(const command *self, const option *options, plan_request *q) {
    bool square = given(options, "dim"), in = given(options, "dim-in"), out = given(options, "dim-out");
    if (square && (in || out))
        return complain(self, EXIT_USAGE, "give --dim, or --dim-in and --dim-out, not both");
    if (!square && !(in && out))
        return complain(self, EXIT_USAGE, "give --dim, or both --dim-in and --dim-out");
    if (given(options, "facts") && given(options, "share"))
        return complain(self, EXIT_USAGE, "--facts and --share exclude each other");
    if (square) q->shape.dim_in = q->shape.dim_out = q->dim;
    ireneo_job *j = &q->job;
    j->facts = q->shape.facts;
    if (j->facts == 0.0) {
        ireneo_capacity_report report;
        ireneo_error failed = ireneo_capacity(&q->shape, &report);
        if (failed != IRENEO_OK) return report_error(self, failed);
        j->facts = floor(q->share * report.facts_capacity);
    }
    if (j->facts < 1.0) return complain(self, EXIT_USAGE, "a memory of this size holds no fact");
    j->candidates = q->shape.candidates > 0.0 ? q->shape.candidates : fmax(2.0, j->facts);
    j->dim_in = (double)q->shape.dim_in;
    j->dim_out = (double)q->shape.dim_out;
    return 0;
}

static int run(const command *self, int argc, char **argv) {
    plan_request q = {.share = 0.95,
                      .nodes = "1,8,64,512",
                      .integers = "vnni",
                      .gflops = 190.0,
                      .gigabytes = 1.0,
                      .microseconds = 20.0,
                      .job = {.scans = 2.0, .checks = 1.0, .iterations = 9.0},
                      .machine = {.ranks = 1.0, .cores = 2.0}};
    option options[] = {
        COUNT("dim", &q.dim, "D", "dimension of keys and values", 1, 1e6),
        COUNT("dim-in", &q.shape.dim_in, "A", "dimension of keys", 1, 1e6),
        COUNT("dim-out", &q.shape.dim_out, "B", "dimension of values", 1, 1e6),
        WHOLE("facts", &q.shape.facts, "N", "facts (default: --share of capacity)", 1, 1e12),
        NUMBER("share", &q.share, "F", "facts as a share of capacity (default 0.95)", 0.001, 1),
        WHOLE("candidates", &q.shape.candidates, "P", "values to choose from (default: one per fact)", 2,
              1e12),
        TEXT("nodes", &q.nodes, "LIST", "numbers of nodes (default 1,8,64,512)"),
        WHOLE("ranks", &q.machine.ranks, "R", "ranks a node (default 1, with all cores as threads)", 1, 4096),
        WHOLE("cores", &q.machine.cores, "C", "cores a node (default 2)", 1, 1e5),
        NUMBER("gflops", &q.gflops, "G", "float32 Gflop/s of a node (default 190)", 1e-3, 1e9),
        CHOICE("integers", &q.integers, "vnni|avx2", "instructions of the integer scans (default vnni)"),
        NUMBER("network", &q.gigabytes, "B", "GB/s into and out of a node (default 1)", 1e-6, 1e6),
        NUMBER("latency", &q.microseconds, "L", "microseconds of a message (default 20)", 0, 1e6),
        WHOLE("scans", &q.job.scans, "N", "scans for competitors (default 2)", 0, 1e6),
        WHOLE("checks", &q.job.checks, "N", "checks of all scores (default 1)", 0, 1e6),
        WHOLE("iterations", &q.job.iterations, "N", "iterations (default 9)", 0, 1e9),
        JSON(&q.json),
        OPTIONS_END,
    };
    grid nodes = {0};
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = fill_job(self, options, &q);
    if (outcome != 0) return outcome;
    q.machine.flops = 1e9 * q.gflops;
    q.machine.network = 1e9 * q.gigabytes;
    q.machine.latency = 1e-6 * q.microseconds;
    q.machine.scan = strcmp(q.integers, "avx2") == 0 ? SCAN_AVX2 : SCAN_VNNI;
    ireneo_error failed = ireneo_grid_parse("--nodes", q.nodes, 1, 1e6, true, &nodes);
    outcome = failed == IRENEO_OK ? print_plan(self, &q, &nodes) : report_error(self, failed);
    ireneo_grid_free(&nodes);
    return outcome;
}

const command command_plan = {
    "plan", "what a store takes on a cluster: time, memory, network", run, "",
    "The cost model of docs/scale.md. Constants and defaults were measured on two "
    "cores of an AMD EPYC (Zen 4) and TCP\n"
    "between two hosts on one machine: --gflops is the speed of plain float32 "
    "products (make bench tells it), all else is\n"
    "taken from it. Iterations grow near capacity: 8 to 10 are usual up to 0.95 of it."};
