/* The facts of an edit: new ones, then protected ones, of which some may give way. */
#include "base/floats.h"
#include "base/ram.h"
#include "linear/edit/edit.h"
#include "linear/facts/facts.h"

#include <string.h>

static const double SAME = 1e-3; /* keys and offsets this near, over their length, are one position */

static ireneo_error join_rows(const float *first, size_t first_count, const float *second,
                              size_t second_count, size_t dim, const float **joined) {
    float *all = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&all, (first_count + second_count) * dim, "facts of an edit"));
    if (first != NULL && first_count > 0) memcpy(all, first, first_count * dim * sizeof *all);
    if (second != NULL && second_count > 0)
        memcpy(all + first_count * dim, second, second_count * dim * sizeof *all);
    *joined = all;
    return IRENEO_OK;
}

/* |a - b| <= SAME |a|, found out in steps. */
static bool near(const float *a, const float *b, size_t count) {
    enum { STEP = 32 };
    double size = ireneo_square_sum(a, count), apart = 0.0;
    for (size_t k = 0; k < count; k++) {
        double d = (double)a[k] - (double)b[k];
        apart += d * d;
        if (k % STEP == STEP - 1 && apart > SAME * SAME * size) return false;
    }
    return apart <= SAME * SAME * size;
}

bool ireneo_edit_contested(const ireneo_facts *all, size_t i, size_t j) {
    size_t in = all->dim_in, out = all->dim_out;
    return all->targets[i] != all->targets[j] && near(all->keys + i * in, all->keys + j * in, in) &&
           (all->residuals == NULL || near(all->residuals + i * out, all->residuals + j * out, out));
}

/* Is the row of a protected position that of a new fact with another answer? */
static bool contested(const ireneo_facts *all, size_t new_facts, size_t row) {
    for (size_t i = 0; i < new_facts; i++)
        if (ireneo_edit_contested(all, i, row)) return true;
    return false;
}

/* Leaves contested positions out, when they shall give way. */
static ireneo_error let_give_way(edit_work *e) {
    ireneo_facts *all = &e->result.all;
    size_t n = e->facts->facts, kept = n, in = all->dim_in, out = all->dim_out;
    float *keys = (float *)all->keys, *residuals = (float *)all->residuals;
    int64_t *targets = (int64_t *)all->targets;
    IRENEO_TRY(IRENEO_ALLOCATE(&e->place, all->facts - n, "protected rows"));
    for (size_t i = n; i < all->facts; i++) {
        if (e->settings.give_way && contested(all, n, i)) continue;
        e->place[kept - n] = i - n;
        memmove(keys + kept * in, keys + i * in, in * sizeof *keys);
        if (residuals != NULL) memmove(residuals + kept * out, residuals + i * out, out * sizeof *residuals);
        targets[kept++] = targets[i];
    }
    e->info->gave_way = all->facts - kept;
    e->info->protected_facts = kept - n;
    all->facts = kept;
    return IRENEO_OK;
}

ireneo_error ireneo_edit_join_facts(edit_work *e) {
    const ireneo_facts *f = e->facts;
    const ireneo_edit_settings *s = &e->settings;
    ireneo_facts *all = &e->result.all;
    size_t n = f->facts, more = s->protect_count;
    int64_t *targets = NULL;
    *all = (ireneo_facts){.facts = n + more,
                          .candidates = f->candidates,
                          .dim_in = f->dim_in,
                          .dim_out = f->dim_out,
                          .values = f->values};
    IRENEO_TRY(join_rows(f->keys, n, s->protect_keys, more, f->dim_in, &all->keys));
    if (f->residuals != NULL || s->protect_residuals != NULL)
        IRENEO_TRY(join_rows(f->residuals, n, s->protect_residuals, more, f->dim_out, &all->residuals));
    IRENEO_TRY(IRENEO_ALLOCATE(&targets, n + more, "targets"));
    all->targets = targets;
    for (size_t i = 0; i < n; i++) targets[i] = f->targets != NULL ? f->targets[i] : (int64_t)i;
    if (more == 0) return IRENEO_OK;
    if (s->protect_targets != NULL) {
        memcpy(targets + n, s->protect_targets, more * sizeof *targets);
    } else {
        float *scores = NULL;
        IRENEO_TRY(IRENEO_ALLOCATE(&scores, more, "scores"));
        ireneo_error failed = ireneo_recall_with_residuals(
            e->w0, all->keys + n * f->dim_in, all->residuals != NULL ? all->residuals + n * f->dim_out : NULL,
            more, f->values, f->candidates, 1, &(ireneo_run_settings){.threads = e->threads}, targets + n,
            scores);
        free(scores);
        IRENEO_TRY(failed);
    }
    ireneo_facts kept = *all;
    kept.facts = more, kept.targets = targets + n, kept.keys += n * f->dim_in;
    if (kept.residuals != NULL) kept.residuals += n * f->dim_out;
    ireneo_error refused = ireneo_facts_check(&kept);
    return refused == IRENEO_OK ? let_give_way(e)
                                : ireneo_fail(refused, "protected positions: %s", ireneo_last_error());
}
