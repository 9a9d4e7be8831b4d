/* Loops shared among threads that sleep while they have nothing to do.
 *
 * The calling thread takes pieces of the work like every other, so nothing waits for a thread that has not come: on a
 * busy machine the caller goes on alone, and only waits for pieces that others have begun. Who waits looks for work for
 * a few hundredths of a millisecond, as long as another loop is likely to follow, and then sleeps. Threads are started
 * when first wanted and stay; where the system gives none, loops run with those there are. */
#ifndef IRENEO_BASE_POOL_H
#define IRENEO_BASE_POOL_H

#include <stddef.h>

/* Piece number `index`, run by thread 0 .. threads - 1; 0 is the caller. What it leaves behind must not depend on the
 * thread. */
typedef void (*ireneo_piece)(void *context, size_t index, int thread);

/* Runs pieces 0 .. count - 1, each once, in this order as far as threads allow. A loop inside a piece runs in the
 * piece's thread. */
void ireneo_share(size_t count, int threads, ireneo_piece piece, void *context);

/* The same for rows of little work each: `piece` takes rows first .. last - 1, at most `grain` of them. */
typedef void (*ireneo_rows_piece)(void *context, size_t first, size_t last);
void ireneo_share_rows(size_t rows, size_t grain, int threads, ireneo_rows_piece piece, void *context);

/* In a child that was forked no thread is left but the one that goes on; the next loop starts new ones. */
void ireneo_pool_forget(void);

#endif
