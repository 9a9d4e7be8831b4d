/* The cost model against counts made another way. */
#include "near.h"

#include "lab/scale/cost.h"

static const ireneo_machine NODE = {
    .nodes = 1, .ranks = 1, .cores = 2, .flops = 2e11, .network = 1e30, .latency = 0, .scan = 0.25};

static ireneo_job job(double facts, double dim) {
    return (ireneo_job){.facts = facts,
                        .candidates = facts,
                        .dim_in = dim,
                        .dim_out = dim,
                        .scans = 2,
                        .checks = 1,
                        .iterations = 14};
}

static ireneo_cost cost_on(ireneo_job j, double nodes) {
    ireneo_machine m = NODE;
    ireneo_cost c;
    m.nodes = nodes;
    assert_int_equal(ireneo_cost_of(&j, &m, &c), IRENEO_OK);
    return c;
}

/* Subtrees that ranks give, counted from the root down: a node is given when one rank has all of it. */
static double given_below(size_t first, size_t last, size_t groups, size_t ranks) {
    size_t owner = 0;
    while ((owner + 1) * groups / ranks <= first) owner++;
    if ((owner + 1) * groups / ranks >= last) return 1.0;
    size_t middle = (first + last) / 2;
    return given_below(first, middle, groups, ranks) + given_below(middle, last, groups, ranks);
}

/* The model counts from the rows up; both must agree for every number of ranks. */
static void bytes_are_those_of_the_tree(void **state) {
    (void)state;
    for (size_t ranks = 1; ranks <= 16; ranks++) {
        double k = (double)ranks, small = cost_on(job(3000, 100), k).bytes_iteration,
               large = cost_on(job(3000, 200), k).bytes_iteration;
        double given =
            (large - small) / (4.0 * 30000.0) * (ranks > 1 ? k / (k - 1.0) : 0.0) - (ranks > 1 ? k : 0.0);
        if (ranks > 1) assert_near(given, given_below(0, 16, 16, ranks), 1e-6);
        if (ranks == 1) assert_near(large, 0.0, 0.0);
    }
}

/* Without a network, ranks that share the rows evenly share the time of scans. */
static void even_shares_take_even_time(void **state) {
    (void)state;
    ireneo_job j = job(64 * 1024, 1000);
    double alone = cost_on(j, 1).seconds_scan;
    for (double nodes = 2; nodes <= 64; nodes *= 2)
        assert_near(cost_on(j, nodes).seconds_scan * nodes / alone, 1.0, 1e-2); /* messages */
    assert_near(cost_on(j, 48).busiest, 48.0 * 3.0 / 128.0, 1e-3); /* 128 groups: two or three a rank */
    /* n P b multiply-adds in a quarter of the time of float32, and n a b in float32, at 2e11 a second. */
    assert_near(alone, (0.25 * 2.0 * 65536.0 * 65536.0 * 1000.0 + 2.0 * 65536.0 * 1e6) / 2e11, 1e-9);
}

static void too_many_ranks_are_refused(void **state) {
    (void)state;
    ireneo_job j = job(3000, 100);
    ireneo_machine m = NODE;
    ireneo_cost c;
    m.nodes = 17;
    assert_int_equal(ireneo_cost_of(&j, &m, &c), IRENEO_ERROR_ARGUMENT);
    j = job(3, 100);
    m.nodes = 4;
    assert_int_equal(ireneo_cost_of(&j, &m, &c), IRENEO_ERROR_ARGUMENT);
}

/* At the limit the network takes half of an iteration, and a faster one moves it away. */
static void the_limit_is_where_it_says(void **state) {
    (void)state;
    ireneo_job j = job(823983, 4096);
    ireneo_machine m = NODE;
    m.flops = 1e12;
    m.network = 1.25e8;
    double limit = ireneo_cost_network_limit(&j, &m);
    ireneo_cost at, before;
    m.nodes = limit;
    assert_int_equal(ireneo_cost_of(&j, &m, &at), IRENEO_OK);
    m.nodes = limit / 2;
    assert_int_equal(ireneo_cost_of(&j, &m, &before), IRENEO_OK);
    assert_true(at.seconds_network >= 0.5 * at.seconds_iteration &&
                before.seconds_network < 0.5 * before.seconds_iteration);
    /* 8 a b bytes against 4.2 n a b operations: 0.5 n B / F = 54 nodes; the next power of two */
    assert_near(limit, 64.0, 0.0);
    m.network = 1.25e10;
    assert_true(isinf(ireneo_cost_network_limit(&j, &m)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_tree),
        cmocka_unit_test(even_shares_take_even_time),
        cmocka_unit_test(too_many_ranks_are_refused),
        cmocka_unit_test(the_limit_is_where_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
