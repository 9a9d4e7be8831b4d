/* Loading of facts. */
#include "facts_files.h"

#include "base/foreign.h"
#include "matrix_files.h"

#include <string.h>

void free_facts(facts_files *files) {
    ireneo_free(files->keys);
    if (files->shared_values.bytes == NULL) ireneo_free(files->values);
    ireneo_shared_free(&files->shared_values);
    ireneo_free(files->targets);
    ireneo_free(files->residuals);
    ireneo_free(files->brought);
    memset(files, 0, sizeof *files);
}

/* Own candidates of each fact, from an array (facts, candidates, dim_out). */
static void copy_own(const void *context, size_t fact, size_t first, size_t count, float *values) {
    const facts_files *files = context;
    size_t dim = files->facts.dim_out;
    memcpy(values, files->values + (fact * files->facts.candidates + first) * dim,
           count * dim * sizeof *values);
}

/* Values that all keys share, or with three axes a set of its own for every key. */
static ireneo_error load_values(const command *self, const char *path, facts_files *files, size_t *sets) {
    ireneo_facts *f = &files->facts;
    ireneo_error failed = load_stack(self, path, &files->values, sets, &f->candidates, &f->dim_out);
    if (failed == IRENEO_OK && *sets > 0) {
        f->own_candidates = copy_own;
        f->own_context = files;
    }
    return failed;
}

static int load_arrays(const command *self, const char *keys, const char *values, const char *targets,
                       facts_files *files) {
    ireneo_facts *f = &files->facts;
    size_t count = 0, sets = 0;
    ireneo_error failed = load_matrix(self, keys, &files->keys, &f->facts, &f->dim_in);
    if (failed == IRENEO_OK) failed = load_values(self, values, files, &sets);
    if (failed == IRENEO_OK && targets != NULL)
        failed = ireneo_load_indices(targets, &files->targets, &count);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (targets != NULL && count != f->facts)
        return complain(self, EXIT_DATA, "%s holds %zu targets, but %s holds %zu keys", targets, count, keys,
                        f->facts);
    if (f->own_candidates != NULL && sets != f->facts)
        return complain(self, EXIT_DATA, "%s holds %zu sets of candidates, but %s holds %zu keys", values,
                        sets, keys, f->facts);
    if (targets == NULL && f->own_candidates != NULL && f->facts > f->candidates)
        return complain(self, EXIT_DATA,
                        "%s holds %zu candidates for each of %zu keys: fact i belongs to candidate i, "
                        "so give --targets",
                        values, f->candidates, f->facts);
    if (targets == NULL && f->own_candidates == NULL && f->facts != f->candidates)
        return complain(self, EXIT_DATA,
                        "%s holds %zu keys and %s holds %zu values; without --targets they must be as many",
                        keys, f->facts, values, f->candidates);
    f->keys = files->keys, f->targets = files->targets;
    if (f->own_candidates == NULL) f->values = files->values;
    return 0; /* the loaders let only finite numbers through; what else can be wrong the library tells */
}

/* Offsets: a row for every key, as long as a value. */
static int load_residuals(const command *self, const facts_names *names, facts_files *files) {
    size_t rows = 0, columns = 0;
    if (names->residual == NULL) return 0;
    ireneo_error failed = load_queries(self, names->residual, &files->residuals, &rows, &columns);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (rows != files->facts.facts)
        return complain(self, EXIT_DATA, "%s holds %zu offsets, but %s holds %zu keys", names->residual, rows,
                        names->keys, files->facts.facts);
    if (columns != files->facts.dim_out)
        return complain(self, EXIT_DATA, "%s holds offsets of %zu dimensions, but %s holds values of %zu",
                        names->residual, columns, names->values, files->facts.dim_out);
    files->facts.residuals = files->residuals;
    return 0;
}

/* Text has no header: it would be read twice. */
static bool is_text(const char *path) {
    return ireneo_ends_with(path, ".csv") || ireneo_ends_with(path, ".tsv") || ireneo_ends_with(path, ".txt");
}

int check_room(const command *self, const char *keys, const char *values, size_t threads) {
    ireneo_array k = {0}, v = {0};
    if (is_text(keys) || is_text(values)) return 0;
    if (ireneo_array_describe(keys, &k) != IRENEO_OK || ireneo_array_describe(values, &v) != IRENEO_OK ||
        k.axes != 2 || v.axes < 2 || v.axes > 3)
        return 0; /* loading will say why, or it is a vector */
    ireneo_facts sizes = {.facts = k.shape[0],
                          .dim_in = k.shape[1],
                          .candidates = v.shape[v.axes - 2],
                          .dim_out = v.shape[v.axes - 1],
                          .own_candidates = v.axes == 3 ? copy_own : NULL};
    return report_error(self, ireneo_store_require_ram(&sizes, (int)threads));
}

int load_facts(const command *self, const facts_names *names, facts_files *files) {
    memset(files, 0, sizeof *files);
    int outcome = load_arrays(self, names->keys, names->values, names->targets, files);
    if (outcome == 0) outcome = load_residuals(self, names, files);
    if (outcome != 0) free_facts(files);
    return outcome;
}
