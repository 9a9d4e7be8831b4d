/* Facts from files, each rank its own rows. Sizes come from the headers, which every rank reads. */
#include "facts_files.h"

#include "matrix_files.h"

#include <string.h>

/* What the headers say. */
typedef struct sizes {
    uint64_t facts, dim_in, sets, candidates, dim_out, targets, residuals, residual_dim;
} sizes;

static ireneo_error describe(const char *path, int most_axes, ireneo_array *array) {
    IRENEO_TRY(ireneo_held_describe(ireneo_ranks_world(), path, array));
    if (array->axes < 1 || array->axes > most_axes)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array has %d axes; a matrix has 2", path, array->axes);
    if (array->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is empty", path);
    return IRENEO_OK;
}

static size_t width(const ireneo_array *a) {
    return a->axes > 1 ? a->shape[a->axes - 1] : 1;
}

static ireneo_error read_sizes(const facts_names *names, sizes *s) {
    ireneo_array keys, values, targets = {0}, residuals = {0};
    IRENEO_TRY(describe(names->keys, 2, &keys));
    IRENEO_TRY(describe(names->values, 3, &values));
    if (names->targets != NULL) IRENEO_TRY(describe(names->targets, 2, &targets));
    if (names->residual != NULL) IRENEO_TRY(describe(names->residual, 2, &residuals));
    *s = (sizes){.facts = keys.shape[0],
                 .dim_in = width(&keys),
                 .sets = values.axes == 3 ? values.shape[0] : 0,
                 .candidates = values.axes == 3 ? values.shape[1] : values.shape[0],
                 .dim_out = width(&values),
                 .targets = targets.count,
                 .residuals = residuals.axes > 0 ? residuals.shape[0] : 0,
                 .residual_dim = residuals.axes > 0 ? width(&residuals) : 0};
    return IRENEO_OK;
}

/* As load_facts checks them. */
static int check_sizes(const command *self, const facts_names *n, const sizes *s) {
    if (n->targets != NULL && s->targets != s->facts)
        return complain(self, EXIT_DATA, "%s holds %zu targets, but %s holds %zu keys", n->targets,
                        (size_t)s->targets, n->keys, (size_t)s->facts);
    if (s->sets > 0 && s->sets != s->facts)
        return complain(self, EXIT_DATA, "%s holds %zu sets of candidates, but %s holds %zu keys", n->values,
                        (size_t)s->sets, n->keys, (size_t)s->facts);
    if (n->targets == NULL && s->sets > 0 && s->facts > s->candidates)
        return complain(self, EXIT_DATA,
                        "%s holds %zu candidates for each of %zu keys: fact i belongs to candidate i, "
                        "so give --targets",
                        n->values, (size_t)s->candidates, (size_t)s->facts);
    if (n->targets == NULL && s->sets == 0 && s->facts != s->candidates)
        return complain(self, EXIT_DATA,
                        "%s holds %zu keys and %s holds %zu values; without --targets they must be as many",
                        n->keys, (size_t)s->facts, n->values, (size_t)s->candidates);
    if (n->residual != NULL && (s->residuals != s->facts || s->residual_dim != s->dim_out))
        return complain(self, EXIT_DATA,
                        "%s is %zu x %zu, but there are %zu keys and values of %zu dimensions", n->residual,
                        (size_t)s->residuals, (size_t)s->residual_dim, (size_t)s->facts, (size_t)s->dim_out);
    return 0;
}

static void copy_own(const void *context, size_t fact, size_t first, size_t count, float *values) {
    const facts_files *files = context;
    size_t dim = files->facts.dim_out;
    memcpy(values, files->values + (fact * files->facts.candidates + first) * dim,
           count * dim * sizeof *values);
}

static ireneo_error load_rows(const command *self, const facts_names *n, facts_files *files) {
    ireneo_facts *f = &files->facts;
    const ireneo_holding *h = &files->holding;
    size_t rows, columns;
    IRENEO_TRY(load_held(self, n->keys, IRENEO_READ_ROWS, h, &files->keys, &columns));
    if (n->targets != NULL) IRENEO_TRY(ireneo_held_indices(n->targets, h, &files->targets));
    if (n->residual != NULL)
        IRENEO_TRY(load_held(self, n->residual, IRENEO_READ_QUERIES, h, &files->residuals, &columns));
    if (f->own_candidates != NULL)
        IRENEO_TRY(load_held(self, n->values, IRENEO_READ_STACK, h, &files->values, &columns));
    else
        IRENEO_TRY(load_shared(self, n->values, IRENEO_READ_ROWS, &files->shared_values, &files->values,
                               &rows, &columns));
    f->keys = files->keys, f->targets = files->targets, f->residuals = files->residuals;
    f->values = f->own_candidates == NULL ? files->values : NULL;
    return IRENEO_OK;
}

static int load_by_sizes(const command *self, const facts_names *names, const sizes *s, facts_files *files) {
    ireneo_error failed = ireneo_holding_make(ireneo_ranks_world(), (size_t)s->facts, &files->holding);
    files->facts = (ireneo_facts){.facts = files->holding.rows,
                                  .candidates = (size_t)s->candidates,
                                  .dim_in = (size_t)s->dim_in,
                                  .dim_out = (size_t)s->dim_out,
                                  .holding = &files->holding,
                                  .own_candidates = s->sets > 0 ? copy_own : NULL,
                                  .own_context = files};
    if (failed == IRENEO_OK) failed = load_rows(self, names, files);
    return report_error(self, failed);
}

int load_facts_held(const command *self, const facts_names *names, facts_files *files) {
    sizes s = {0};
    if (ireneo_ranks_world()->count == 1) return load_facts(self, names, files);
    memset(files, 0, sizeof *files);
    int outcome = report_error(self, read_sizes(names, &s));
    if (outcome == 0) outcome = check_sizes(self, names, &s);
    if (outcome == 0) outcome = load_by_sizes(self, names, &s, files);
    if (outcome != 0) free_facts(files);
    return outcome;
}

size_t count_facts(const facts_files *files) {
    return files->facts.holding != NULL ? files->holding.total : files->facts.facts;
}

int bring_keys(const command *self, facts_files *files) {
    size_t total;
    if (files->facts.holding == NULL) {
        files->all_keys = files->keys;
        return 0;
    }
    ireneo_error failed =
        ireneo_ranks_gather(files->holding.ranks, 0, files->keys, files->facts.facts,
                            files->facts.dim_in * sizeof *files->keys, &files->brought, &total);
    files->all_keys = files->brought;
    return report_error(self, failed);
}
