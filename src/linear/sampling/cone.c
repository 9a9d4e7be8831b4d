/* Differences of candidates, laid out so that a reflection, which asks for the product of one vector with all of them, is
 * a few passes over contiguous pairs. */
#include "linear/sampling/cone.h"
#include "base/ram.h"
#include "base/vectorised.h"
#include "linear/facts/facts.h"

#include <string.h>

/* Candidates (candidates, dim_out) of a fact: the shared ones, or its own into room. */
static const float *candidates_of(const ireneo_facts *facts, size_t fact, float *room) {
    if (facts->values != NULL) return facts->values;
    facts->own_candidates(facts->own_context, fact, 0, facts->candidates, room);
    return room;
}

enum { BLOCK = 32 }; /* pairs whose sums stay in registers */

static void fill_differences(const ireneo_facts *facts, size_t fact, const float *y, solution_cone *cone) {
    size_t target = ireneo_target_of(facts, fact), dim = facts->dim_out, column = fact * cone->competitors;
    for (size_t j = 0; j < facts->candidates; j++) {
        if (j == target) continue;
        for (size_t r = 0; r < dim; r++)
            cone->differences[r * cone->stride + column] =
                (double)y[target * dim + r] - (double)y[j * dim + r];
        column++;
    }
}

static ireneo_error allocate(const ireneo_facts *facts, solution_cone *cone, float **room) {
    size_t keys, rows, pairs, all;
    IRENEO_TRY(ireneo_multiply_sizes(facts->facts, facts->dim_in, &keys, "keys"));
    IRENEO_TRY(ireneo_multiply_sizes(facts->candidates, facts->dim_out, &rows, "candidates"));
    IRENEO_TRY(ireneo_multiply_sizes(facts->facts, facts->candidates - 1, &pairs, "pairs"));
    cone->stride = (pairs + BLOCK - 1) / BLOCK * BLOCK;
    IRENEO_TRY(ireneo_multiply_sizes(cone->stride, facts->dim_out, &all, "differences of candidates"));
    IRENEO_TRY(ireneo_ram_require(8.0 * (double)all, "differences of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&cone->keys, keys, "keys"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&cone->differences, all, "differences of candidates"));
    return IRENEO_ALLOCATE(room, rows, "candidates");
}

ireneo_error ireneo_solution_cone_make(const ireneo_facts *facts, solution_cone *cone) {
    *cone = (solution_cone){0};
    IRENEO_TRY(ireneo_facts_check(facts));
    IRENEO_REQUIRE(facts->residuals == NULL, "solutions are sampled of facts without offsets");
    *cone = (solution_cone){.facts = facts->facts,
                            .competitors = facts->candidates - 1,
                            .dim_in = facts->dim_in,
                            .dim_out = facts->dim_out};
    float *room = NULL;
    ireneo_error failed = allocate(facts, cone, &room);
    if (failed == IRENEO_OK) {
        for (size_t i = 0; i < facts->facts * facts->dim_in; i++) cone->keys[i] = (double)facts->keys[i];
        for (size_t i = 0; i < facts->facts; i++)
            fill_differences(facts, i, candidates_of(facts, i, room), cone);
    } else {
        ireneo_solution_cone_free(cone);
    }
    free(room);
    return failed;
}

void ireneo_solution_cone_free(solution_cone *cone) {
    free(cone->keys);
    free(cone->differences);
    *cone = (solution_cone){0};
}

void ireneo_solution_cone_gaps(const solution_cone *cone, const double *w, size_t facts, double *gaps) {
    size_t count = cone->competitors;
    memset(gaps, 0, facts * count * sizeof *gaps);
    for (size_t r = 0; r < cone->dim_out; r++) {
        for (size_t i = 0; i < facts; i++) {
            const double *x = cone->keys + i * cone->dim_in,
                         *y = cone->differences + r * cone->stride + i * count;
            double sum = 0.0, *gap = gaps + i * count;
            for (size_t c = 0; c < cone->dim_in; c++) sum += w[r * cone->dim_in + c] * x[c];
            for (size_t j = 0; j < count; j++) gap[j] += sum * y[j];
        }
    }
}

/* Products of y with the differences of a block of pairs. */
IRENEO_VECTORISED static void block_products(const solution_cone *cone, const double *y, size_t first,
                                             double sums[BLOCK]) {
    const double *differences = cone->differences + first;
    memset(sums, 0, BLOCK * sizeof *sums);
    for (size_t r = 0; r < cone->dim_out; r++) {
        const double *row = differences + r * cone->stride;
#pragma omp simd
        for (size_t j = 0; j < BLOCK; j++) sums[j] += y[r] * row[j];
    }
}

void ireneo_solution_cone_lose(const solution_cone *cone, double factor, const double *y, const double *x,
                               size_t facts, double *gaps) {
    size_t pairs = facts * cone->competitors, fact = 0, end = 0;
    double sums[BLOCK], along = 0.0;
    for (size_t first = 0; first < pairs; first += BLOCK) {
        size_t last = first + BLOCK < pairs ? first + BLOCK : pairs;
        block_products(cone, y, first, sums);
        for (size_t pair = first; pair < last;) {
            if (pair == end) { /* of the fact before */
                along = 0.0;
                for (size_t c = 0; c < cone->dim_in; c++) along += x[c] * cone->keys[fact * cone->dim_in + c];
                fact++;
                end += cone->competitors;
            }
            for (size_t stop = end < last ? end : last; pair < stop; pair++)
                gaps[pair] -= factor * along * sums[pair - first];
        }
    }
}
