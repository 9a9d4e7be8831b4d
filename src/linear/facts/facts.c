/* Facts: what makes them usable. */
#include "linear/facts/facts.h"
#include "base/vectorised.h"

#include <math.h>
#include <stdbool.h>

/* Zero times anything finite is zero: the sum tells in one fast loop whether to look closer. */
IRENEO_VECTORISED
static bool all_finite(const float *values, size_t count) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < count; k++) sum += 0.0f * values[k];
    return sum == 0.0f;
}

/* First entry of (rows, columns) that is not finite, as row and column; rows when there is none. */
static size_t first_bad_row(const float *values, size_t rows, size_t columns, size_t *column) {
    if (all_finite(values, rows * columns)) return rows;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            if (!isfinite(values[i * columns + j])) {
                *column = j;
                return i;
            }
    return rows;
}

/* `first` is the number of the first row among all. */
static ireneo_error check_finite(const float *values, size_t first, size_t rows, size_t columns,
                                 const char *what) {
    size_t column = 0, row = first_bad_row(values, rows, columns, &column);
    if (row == rows) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is %s", what, first + row, column,
                       isnan(values[row * columns + column]) ? "NaN" : "infinite");
}

ireneo_holding ireneo_facts_holding(const ireneo_facts *facts) {
    return facts->holding != NULL ? *facts->holding : ireneo_holding_whole(facts->facts);
}

static ireneo_error check_facts(const ireneo_facts *facts) {
    if (facts == NULL || facts->keys == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no keys were given");
    IRENEO_TRY(ireneo_check_reserved(facts->reserved, "the facts"));
    if ((facts->values == NULL) == (facts->own_candidates == NULL))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "give shared values or own candidates, one of the two");
    if (facts->holding != NULL && facts->holding->rows != facts->facts)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu facts are here, but %zu should be", facts->facts,
                           facts->holding->rows);
    if (facts->facts == 0) return ireneo_fail(IRENEO_ERROR_DATA, "there are no facts");
    if (facts->dim_in == 0 || facts->dim_out == 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "keys or values have no dimensions");
    if (facts->candidates < 2)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "there is only one candidate, so every fact is recalled by any memory; give at least two");
    if (facts->candidates > UINT32_MAX)
        return ireneo_fail(IRENEO_ERROR_DATA, "more than 2^32 - 1 candidates cannot be stored");
    if (facts->targets == NULL && ireneo_facts_total(facts) > facts->candidates)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%zu facts but %zu values: without targets, fact i belongs to value i",
                           ireneo_facts_total(facts), facts->candidates);
    for (size_t i = 0; facts->targets != NULL && i < facts->facts; i++)
        if (facts->targets[i] < 0 || (uint64_t)facts->targets[i] >= facts->candidates)
            return ireneo_fail(
                IRENEO_ERROR_DATA, "targets: row %zu is %lld, but there are only candidates 0 to %zu",
                ireneo_fact_number(facts, i), (long long)facts->targets[i], facts->candidates - 1);
    size_t first = ireneo_fact_number(facts, 0);
    IRENEO_TRY(check_finite(facts->keys, first, facts->facts, facts->dim_in, "keys"));
    if (facts->values != NULL)
        IRENEO_TRY(check_finite(facts->values, 0, facts->candidates, facts->dim_out, "values"));
    if (facts->residuals != NULL)
        IRENEO_TRY(check_finite(facts->residuals, first, facts->facts, facts->dim_out, "residuals"));
    return IRENEO_OK;
}

ireneo_error ireneo_facts_check(const ireneo_facts *facts) {
    IRENEO_TRY(check_facts(facts));
    if (facts->holding != NULL && facts->holding->rows != facts->holding->total)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "this cannot be done with facts spread over ranks");
    return IRENEO_OK;
}

ireneo_error ireneo_facts_check_held(const ireneo_facts *facts) {
    return ireneo_ranks_agree(facts != NULL ? ireneo_facts_ranks(facts) : NULL, check_facts(facts));
}

ireneo_error ireneo_facts_check_top(const ireneo_facts *facts, size_t top) {
    if (top < 1 || top > IRENEO_MOST_TOP)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the number of best answers must lie between 1 and %d, not %zu", IRENEO_MOST_TOP,
                           top);
    if (top > 1 && top >= facts->candidates)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "among %zu candidates every target is among the %zu best; ask for fewer",
                           facts->candidates, top);
    return IRENEO_OK;
}
