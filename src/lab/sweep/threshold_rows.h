/* Thresholds that a sweep found before, from the CSV file of `ireneo sweep --threshold --csv FILE`. */
#ifndef IRENEO_LAB_SWEEP_THRESHOLD_ROWS_H
#define IRENEO_LAB_SWEEP_THRESHOLD_ROWS_H

#include "lab/sweep/threshold.h"

typedef struct threshold_row {
    trial like; /* candidates 0: as many as facts; its facts mean nothing */
    threshold found;
} threshold_row;

typedef struct threshold_rows {
    threshold_row *rows;
    size_t count;
} threshold_rows;

/* Reads the columns problem, solver, dim_in, dim_out, rank, seed, stored, not_stored, certified and, when it is there,
 * candidates, targets and top; rows of other targets than each, or of a top beyond 1, are passed over. IRENEO_ERROR_DATA: other columns, or a row that cannot be. Release with ireneo_threshold_rows_free, which is
 * harmless after a failure. */
ireneo_error ireneo_threshold_rows_read(const char *path, threshold_rows *rows);
ireneo_error ireneo_threshold_rows_parse(const char *path, const char *text, size_t count,
                                         threshold_rows *rows);
void ireneo_threshold_rows_free(threshold_rows *rows);

/* The threshold of a trial's shape, solver and seed; NULL when the file has none. `own`: as many candidates as facts. */
const threshold *ireneo_threshold_rows_find(const threshold_rows *rows, const trial *like, bool own);

#endif
