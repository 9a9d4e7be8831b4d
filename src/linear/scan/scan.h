/* One pass over all scores, without ever holding them: tiles of rows times blocks of candidates.
 *
 * A scan makes h_i = W x_i for a tile of rows, multiplies it with a block of candidates, and hands the
 * scores to its user while they are in cache. With eight-bit copies of the candidates it hands over only
 * those whose score may exceed a threshold. Finding competitors, checking and recalling are the users. */
#ifndef IRENEO_LINEAR_SCAN_SCAN_H
#define IRENEO_LINEAR_SCAN_SCAN_H

#include "base/holding.h"
#include "base/progress.h"
#include "linear/kernels/int8.h"

enum {
    IRENEO_SCAN_TILE = 512,
    IRENEO_SCAN_BLOCK = 2064
}; /* a block is whole kernels of the eight-bit scan */

/* What a scan did, in products of a row and a candidate. */
typedef struct ireneo_scan_work {
    size_t integer, plain, again; /* in integers, in float32, and hits of integers scored again */
} ireneo_scan_work;

typedef struct ireneo_scan {
    size_t stride;             /* entries between rows of values and of h; 0: dim */
    size_t rows, columns, dim; /* rows of h, candidates, width of both */
    const ireneo_holding
        *holding;        /* which rows of all these are: tiles keep within groups; NULL: all there are */
    const float *values; /* candidates (columns, dim); NULL: own candidates of each row */
    ireneo_own_candidates own_candidates; /* with own_context, when values is NULL */
    const void *own_context;
    int threads;
    const ireneo_progress *progress;
    const char *stage; /* for progress */

    /* Handlers; `context` is the user's. They run in parallel on different tiles; thread is 0 .. threads - 1.
     */
    void (*make)(void *context, int thread, size_t first, size_t count, float *h); /* h (count, stride) */
    void (*begin)(void *context, int thread, size_t first, size_t count,
                  const float *h); /* before the blocks; may be NULL */
    void (*block)(
        void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
        const float *scores); /* scores (count, columns) of candidates column .. column + columns - 1 */
    void (*finish)(void *context, int thread, size_t first, size_t count,
                   const float *h); /* after the blocks; may be NULL */
    void *context;

    /* With an eight-bit copy of the values a block is first scanned in integers: `thresholds` says above which
     * score a candidate matters to each row (count) of a tile, `hits` takes those that may. Row i's are
     * hits[i * room] and the found[i] - 1 after it, in rising order (room is at most the one below); `columns` is the number of candidates in the
     * block. When `thresholds` cannot say yet it returns false, and the block comes through `block`; so it does
     * where rounding finds too many. Both may see a part of a tile: `first` is its first row, and h and the scores
     * begin there. */
    const ireneo_int8 *int8; /* NULL: every block comes through `block` */
    ireneo_int8_care care;
    size_t room; /* hits a row may have in one block */
    size_t
        lead; /* columns of a block that thresholds cannot tell about, in whole kernels; 0: like the others */
    ireneo_scan_work *work; /* NULL: nobody asks */
    bool (*thresholds)(void *context, int thread, size_t first, size_t count, const ireneo_int8_rows *tile,
                       float *threshold);
    void (*hits)(void *context, int thread, size_t first, size_t count, size_t columns, const float *h,
                 const uint32_t *hits, size_t room, const uint32_t *found);
} ireneo_scan;

/* Rows in a tile: a function of the number of all rows alone, so that results depend on neither threads nor ranks. */
size_t ireneo_scan_tile_rows(size_t rows);

/* Runs the pass. IRENEO_ERROR_CANCELLED when progress asked to stop. BLAS must be set to one thread. */
ireneo_error ireneo_scan_run(const ireneo_scan *scan);

#endif
