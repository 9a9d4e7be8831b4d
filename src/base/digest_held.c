/* A piece belongs to the rank that holds its first byte; the others send it what they have of it. */
#include "base/digest_held.h"
#include "base/ram.h"

#include <string.h>

enum { PIECE = IRENEO_DIGEST_PIECE };

static bool alone(const ireneo_holding *h) {
    return h->ranks == NULL || h->ranks->count == 1;
}

/* The bytes of one rank, and the pieces that begin in them. */
typedef struct stretch {
    size_t first, last;             /* bytes */
    size_t first_piece, last_piece; /* pieces first_piece .. last_piece - 1 */
} stretch;

static stretch stretch_of(const ireneo_holding *h, size_t rank, size_t size) {
    size_t first, last;
    ireneo_rank_rows(h, rank, &first, &last);
    stretch s = {.first = first * size, .last = last * size};
    s.first_piece = (s.first + PIECE - 1) / PIECE;
    s.last_piece = (s.last + PIECE - 1) / PIECE;
    return s;
}

/* Bytes at the beginning of a stretch that belong to a piece of an earlier rank. */
static size_t head_of(const stretch *s) {
    size_t end = s->first_piece * PIECE;
    return (end < s->last ? end : s->last) - s->first;
}

/* The rank in whose bytes the piece before this stretch begins. */
static size_t owner_of_head(const ireneo_holding *h, size_t rank, size_t size) {
    size_t piece = stretch_of(h, rank, size).first_piece - 1;
    while (rank > 0) {
        stretch s = stretch_of(h, --rank, size);
        if (piece >= s.first_piece && piece < s.last_piece) return rank;
    }
    return 0;
}

/* What belongs to pieces of other ranks goes there; returns where this rank's last piece goes on: *more bytes. */
static void *exchange_heads(const ireneo_holding *h, const void *rows, size_t size, size_t *more) {
    ireneo_ranks *r = h->ranks;
    const void **out = ireneo_ranks_room(r->count, sizeof *out);
    void **in = ireneo_ranks_room(r->count, sizeof *in);
    size_t *out_sizes = ireneo_ranks_room(r->count, sizeof *out_sizes),
           *in_sizes = ireneo_ranks_room(r->count, sizeof *in_sizes);
    char *tail = ireneo_ranks_room(PIECE, 1);
    *more = 0;
    for (size_t k = 0; k < r->count; k++) {
        stretch s = stretch_of(h, k, size);
        size_t head = head_of(&s), owner = head > 0 ? owner_of_head(h, k, size) : 0;
        if (head > 0 && k == r->rank) out[owner] = rows, out_sizes[owner] = head;
        if (head > 0 && owner == r->rank) in[k] = tail + *more, in_sizes[k] = head, *more += head;
    }
    ireneo_ranks_exchange(r, out, out_sizes, in, in_sizes);
    free((void *)out), free((void *)in), free(out_sizes), free(in_sizes);
    return tail;
}

/* Digests of the pieces that begin here: whole ones, and the last with what others sent of it. */
static void digest_mine(const stretch *s, const void *rows, const char *tail, size_t more, int threads,
                        unsigned char *digests) {
    if (s->last_piece == s->first_piece) return;
    const char *from = (const char *)rows + (s->first_piece * PIECE - s->first);
    size_t whole = s->last_piece - s->first_piece - 1, rest = s->last - (s->last_piece - 1) * PIECE;
    char *last = ireneo_ranks_room(PIECE, 1);
    ireneo_digest_pieces(from, whole * PIECE, threads, digests);
    memcpy(last, from + whole * PIECE, rest);
    memcpy(last + rest, tail, more);
    ireneo_digest_pieces(last, rest + more, 1, digests + whole * IRENEO_DIGEST_BYTES);
    free(last);
}

ireneo_error ireneo_digest_held(ireneo_digest *d, const ireneo_holding *h, const void *rows, size_t size,
                                int threads) {
    size_t more = 0, total = 0;
    unsigned char *mine = NULL;
    void *all = NULL;
    if (alone(h)) {
        ireneo_digest_block(d, rows, h->total * size, threads);
        return IRENEO_OK;
    }
    stretch s = stretch_of(h, h->ranks->rank, size);
    size_t pieces = s.last_piece - s.first_piece;
    IRENEO_TRY(IRENEO_ALLOCATE(&mine, pieces * IRENEO_DIGEST_BYTES, "fingerprint"));
    char *tail = exchange_heads(h, rows, size, &more);
    digest_mine(&s, rows, tail, more, threads, mine);
    ireneo_error failed =
        ireneo_ranks_gather(h->ranks, IRENEO_ALL_RANKS, mine, pieces, IRENEO_DIGEST_BYTES, &all, &total);
    if (failed == IRENEO_OK) {
        ireneo_digest_number(d, h->total * size);
        ireneo_digest_bytes(d, all, total * IRENEO_DIGEST_BYTES);
    }
    free(tail), free(mine), free(all);
    return failed;
}

ireneo_error ireneo_digest_gathered(ireneo_digest *d, const ireneo_holding *h, const void *rows,
                                    size_t size) {
    void *all = NULL;
    size_t total = 0;
    if (alone(h)) {
        ireneo_digest_bytes(d, rows, h->rows * size);
        return IRENEO_OK;
    }
    IRENEO_TRY(ireneo_ranks_gather(h->ranks, IRENEO_ALL_RANKS, rows, h->rows, size, &all, &total));
    ireneo_digest_bytes(d, all, total * size);
    free(all);
    return IRENEO_OK;
}
