/* The two best candidates of every fact, and which facts have them nearest together. */
#include "hardest.h"
#include "base/error.h"

#include "base/holding.h"

#include <stdlib.h>

enum { BATCH = 4096 };
static const double MOST_PRODUCTS = 1e11; /* of a scan: seconds */

/* Keeps the list sorted, the smallest gap first. */
static void insert(hard_fact found, hard_fact *hardest, size_t *count) {
    if (*count == HARDEST && found.gap >= hardest[HARDEST - 1].gap) return;
    size_t place = *count < HARDEST ? (*count)++ : HARDEST - 1;
    for (; place > 0 && hardest[place - 1].gap > found.gap; place--) hardest[place] = hardest[place - 1];
    hardest[place] = found;
}

/* The hardest of all ranks' hardest, in the order of ranks. */
static ireneo_error merge_hardest(const ireneo_holding *holding, hard_fact *hardest, size_t *count) {
    void *gathered = NULL;
    size_t total = 0;
    if (holding == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_ranks_gather(holding->ranks, IRENEO_ALL_RANKS, hardest, *count, sizeof *hardest,
                                   &gathered, &total));
    const hard_fact *all = gathered;
    *count = 0;
    for (size_t k = 0; k < total; k++) insert(all[k], hardest, count);
    free(gathered);
    return IRENEO_OK;
}

ireneo_error find_hardest(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                          hard_fact *hardest, size_t *count) {
    size_t before = facts->holding != NULL ? facts->holding->first : 0,
           all = facts->holding != NULL ? facts->holding->total : facts->facts;
    *count = 0;
    if (facts->values == NULL ||
        (double)all * (double)facts->candidates * (double)facts->dim_out > MOST_PRODUCTS)
        return IRENEO_OK;
    int64_t *index = malloc(2 * BATCH * sizeof *index);
    float *score = malloc(2 * BATCH * sizeof *score);
    ireneo_error failed = IRENEO_OK;
    bool room = index != NULL && score != NULL;
    if (!room) failed = ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the hardest facts");
    for (size_t first = 0; room && failed == IRENEO_OK && first < facts->facts; first += BATCH) {
        size_t rows = facts->facts - first < BATCH ? facts->facts - first : BATCH;
        failed = ireneo_recall_with_residuals(
            memory, facts->keys + first * facts->dim_in,
            facts->residuals != NULL ? facts->residuals + first * facts->dim_out : NULL, rows, facts->values,
            facts->candidates, 2, &(ireneo_run_settings){.threads = threads}, index, score);
        for (size_t i = 0; failed == IRENEO_OK && i < rows; i++) {
            int64_t target =
                facts->targets != NULL ? facts->targets[first + i] : (int64_t)(before + first + i);
            hard_fact found = {before + first + i, index[2 * i + 1], score[2 * i] - score[2 * i + 1]};
            if (index[2 * i] == target) insert(found, hardest, count);
        }
    }
    free(index);
    free(score);
    return failed == IRENEO_OK ? merge_hardest(facts->holding, hardest, count) : failed;
}
