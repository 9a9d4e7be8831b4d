/* Random facts for tests of the linear room, and verdicts on memories by brute force that shares no code with
 * the library. */
#ifndef IRENEO_TESTS_LINEAR_INSTANCE_H
#define IRENEO_TESTS_LINEAR_INSTANCE_H

#include "base/random.h"
#include "expect.h"
#include "scratch.h"

typedef struct instance {
    ireneo_facts facts;
    float *keys, *values;
    int64_t *targets; /* NULL: fact i has candidate i */
} instance;

/* n facts among `candidates` Gaussian values. With n = candidates, fact i has candidate i; otherwise targets
 * are drawn: distinct ones, or with repetition when many_to_one. */
static inline instance make_instance(uint64_t seed, size_t n, size_t candidates, size_t dim_in,
                                     size_t dim_out, int many_to_one) {
    instance i = {.keys = malloc(n * dim_in * sizeof(float)),
                  .values = malloc(candidates * dim_out * sizeof(float))};
    ireneo_sample sample = {seed, dim_in, dim_out};
    ireneo_sample_keys(&sample, 0, n, i.keys);
    ireneo_sample_values(&sample, 0, candidates, i.values);
    ireneo_generator g = {seed, 1000000, 0};
    if (many_to_one) {
        i.targets = malloc(n * sizeof *i.targets);
        for (size_t k = 0; k < n; k++) i.targets[k] = (int64_t)ireneo_draw_below(&g, candidates);
    } else if (n != candidates) {
        size_t *order = malloc(candidates * sizeof *order);
        ireneo_draw_permutation(&g, candidates, order);
        i.targets = malloc(n * sizeof *i.targets);
        for (size_t k = 0; k < n; k++) i.targets[k] = (int64_t)order[k];
        free(order);
    }
    i.facts = (ireneo_facts){.facts = n,
                             .candidates = candidates,
                             .dim_in = dim_in,
                             .dim_out = dim_out,
                             .keys = i.keys,
                             .values = i.values,
                             .targets = i.targets};
    return i;
}

static inline void free_instance(instance *i) {
    free(i->keys), free(i->values), free(i->targets);
}

static inline size_t target_of(const ireneo_facts *f, size_t fact) {
    return f->targets == NULL ? fact : (size_t)f->targets[fact];
}

/* h (dim_out) = W x in extended precision. */
static inline void brute_product(const ireneo_memory *m, const float *x, long double *h) {
    for (size_t a = 0; a < m->dim_out; a++) h[a] = 0.0L;
    if (m->matrix != NULL) {
        for (size_t a = 0; a < m->dim_out; a++)
            for (size_t b = 0; b < m->dim_in; b++)
                h[a] += (long double)m->matrix[a * m->dim_in + b] * (long double)x[b];
        return;
    }
    for (size_t k = 0; k < m->rank; k++) {
        long double middle = 0.0L;
        for (size_t b = 0; b < m->dim_in; b++)
            middle += (long double)m->right[b * m->rank + k] * (long double)x[b];
        for (size_t a = 0; a < m->dim_out; a++) h[a] += (long double)m->left[a * m->rank + k] * middle;
    }
}

/* Facts that the memory recalls, one score after the other; flags (facts) may be NULL. *gap receives the
 * smallest lead of a target over a competitor. */
static inline size_t brute_recalled(const ireneo_memory *m, const ireneo_facts *f, unsigned char *flags,
                                    double *gap) {
    size_t recalled = 0;
    long double h[1024], least = (long double)INFINITY;
    float *own = f->values == NULL ? malloc(f->candidates * f->dim_out * sizeof *own) : NULL;
    for (size_t i = 0; i < f->facts; i++) {
        const float *values = f->values;
        if (own != NULL) {
            f->own_candidates(f->own_context, i, 0, f->candidates, own);
            values = own;
        }
        brute_product(m, f->keys + i * f->dim_in, h);
        const float *target = values + target_of(f, i) * f->dim_out;
        int wins = 1;
        for (size_t j = 0; j < f->candidates; j++) {
            if (j == target_of(f, i)) continue;
            long double lead = 0.0L;
            for (size_t k = 0; k < f->dim_out; k++)
                lead += h[k] * ((long double)target[k] - (long double)values[j * f->dim_out + k]);
            if (!(lead > 0.0L)) wins = 0;
            if (lead < least) least = lead;
        }
        recalled += (size_t)wins;
        if (flags != NULL) flags[i] = (unsigned char)wins;
    }
    if (gap != NULL) *gap = (double)least;
    free(own);
    return recalled;
}

/* Facts that fit by the law of the decoupled problem, which has the simplest formula. */
static inline double law_of(size_t dim_in, size_t dim_out, size_t rank, double candidates) {
    ireneo_shape shape = {.dim_in = dim_in, .dim_out = dim_out, .rank = rank, .candidates = candidates};
    ireneo_capacity_report report;
    expect_ok(ireneo_capacity(&shape, &report));
    return report.facts_capacity_decoupled;
}

/* A store whose outcome has been checked: the memory belongs to the facts, and what the info says about it is
 * what brute force finds. */
static inline ireneo_memory *store_with(const ireneo_facts *f, const ireneo_store_settings *settings,
                                        ireneo_store_result *result, ireneo_store_info *info) {
    ireneo_memory *m = NULL;
    expect_ok(ireneo_store(f, settings, &m, result, info));
    assert_non_null(m);
    assert_int_equal(m->dim_in, f->dim_in);
    assert_int_equal(m->dim_out, f->dim_out);
    assert_int_equal(info->facts, f->facts);
    unsigned char hash[IRENEO_HASH_BYTES];
    assert_int_equal(ireneo_facts_hash(f, hash), IRENEO_OK);
    assert_memory_equal(m->facts_hash, hash, sizeof hash);
    assert_int_equal(info->recalled, brute_recalled(m, f, NULL, NULL));
    assert_int_equal(info->status == IRENEO_STATUS_STORED, info->recalled == f->facts);
    assert_int_equal(info->margin > 0.0, info->status == IRENEO_STATUS_STORED);
    return m;
}

static inline ireneo_memory *store(const ireneo_facts *f, const ireneo_store_settings *settings,
                                   ireneo_store_info *info) {
    return store_with(f, settings, NULL, info);
}

/* The status alone. */
static inline ireneo_store_info outcome(const ireneo_facts *f, const ireneo_store_settings *settings) {
    ireneo_store_info info;
    ireneo_memory_free(store(f, settings, &info));
    return info;
}

static inline void expect_status(const ireneo_store_info *info, ireneo_status status) {
    if (info->status == status) return;
    fail_msg("%s, not %s: %zu of %zu recalled, %zu scans, %zu iterations", ireneo_status_name(info->status),
             ireneo_status_name(status), info->recalled, info->facts, info->scans, info->iterations);
}

#endif
