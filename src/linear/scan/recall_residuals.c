/* Recall where every query has an offset of its own: the offset becomes a part of the query. */
#include "linear/memory/extended.h"
#include "linear/memory/memory.h"

ireneo_error ireneo_recall_with_residuals(const ireneo_memory *memory, const float *queries,
                                          const float *residuals, size_t count, const float *values,
                                          size_t candidates, size_t top, const ireneo_run_settings *settings,
                                          int64_t *indices, float *scores) {
    ireneo_extended e;
    if (residuals == NULL)
        return ireneo_recall(memory, queries, count, values, candidates, top, settings, indices, scores);
    IRENEO_TRY(ireneo_memory_check(memory));
    IRENEO_REQUIRE(queries != NULL, "recall needs a memory, queries, values, and room for answers");
    IRENEO_TRY(ireneo_extended_make(memory, queries, residuals, count, &e));
    ireneo_error failed =
        ireneo_recall(&e.memory, e.keys, count, values, candidates, top, settings, indices, scores);
    ireneo_extended_free(&e);
    return failed;
}
