/* Files of ireneo edit: the layer, the metric, protected positions, facts of earlier edits. */
#include "edit.h"
#include "matrix_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void free_edit(edit_data *d) {
    free_facts(&d->files);
    ireneo_free(d->matrix);
    free(d->keys), free(d->residuals), free(d->targets), free(d->margins);
    free(d->covariance);
    ireneo_free(d->protect_keys), ireneo_free(d->protect_residuals), ireneo_free(d->protect_targets);
    memset(d, 0, sizeof *d);
}

static int load_layer(const command *self, const edit_request *q, edit_data *d) {
    const ireneo_facts *f = &d->files.facts;
    ireneo_error failed = load_queries(self, q->files[0], &d->matrix, &d->w0.dim_out, &d->w0.dim_in);
    if (failed != IRENEO_OK) return report_error(self, failed);
    d->w0.matrix = d->matrix;
    if (d->w0.dim_in != f->dim_in)
        return complain(self, EXIT_DATA, "%s is %zu x %zu, but the keys in %s have %zu dimensions, not %zu",
                        q->files[0], d->w0.dim_out, d->w0.dim_in, q->files[1], f->dim_in, d->w0.dim_in);
    if (d->w0.dim_out != f->dim_out)
        return complain(self, EXIT_DATA, "%s is %zu x %zu, but the values in %s have %zu dimensions, not %zu",
                        q->files[0], d->w0.dim_out, d->w0.dim_in, q->files[2], f->dim_out, d->w0.dim_out);
    return 0;
}

/* ---- the metric ---- */

/* A matrix as it is, in float64. */
static int load_square(const command *self, const char *path, size_t dim, double *covariance) {
    float *entries = NULL;
    size_t rows = 0, columns = 0;
    ireneo_error failed = ireneo_load_queries(path, &entries, &rows, &columns, NULL);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (rows != dim || columns != dim) {
        ireneo_free(entries);
        return complain(self, EXIT_DATA, "%s is %zu x %zu; the metric of keys of %zu dimensions is %zu x %zu",
                        path, rows, columns, dim, dim, dim);
    }
    for (size_t k = 0; k < dim * dim; k++) covariance[k] = (double)entries[k];
    ireneo_free(entries);
    return 0;
}

static int read_moments(const command *self, const char *path, const ireneo_moments *m, size_t dim,
                        double *covariance) {
    if (ireneo_moments_dim(m) != dim)
        return complain(self, EXIT_DATA, "%s is about keys of %zu dimensions, but the layer takes %zu", path,
                        ireneo_moments_dim(m), dim);
    return report_error(self, ireneo_moments_read(m, covariance, NULL));
}

/* Ordinary keys, a file of ireneo moments, or the matrix itself. */
static int load_metric(const command *self, const edit_request *q, edit_data *d) {
    size_t dim = d->w0.dim_in;
    const char *path = q->ordinary != NULL ? q->ordinary : q->covariance;
    ireneo_moments *moments = NULL;
    int outcome = 0, is_moments = 0;
    if (path == NULL) return 0;
    d->covariance = malloc(dim * dim * sizeof *d->covariance);
    if (d->covariance == NULL) return complain(self, EXIT_MACHINE, "not enough memory for the metric");
    if (q->ordinary != NULL) {
        outcome = report_error(
            self,
            ireneo_moments_of_files(&path, 1, &(ireneo_run_settings){.threads = (int)q->threads}, &moments));
        is_moments = 1;
    } else if (ireneo_safetensors_has(path, "second_moment", &is_moments) == IRENEO_OK && is_moments) {
        outcome = report_error(self, ireneo_moments_load(path, &moments));
    }
    if (outcome == 0)
        outcome = is_moments ? read_moments(self, path, moments, dim, d->covariance)
                             : load_square(self, path, dim, d->covariance);
    ireneo_moments_free(moments);
    return outcome;
}

/* ---- protected positions ---- */

static int load_protected(const command *self, const edit_request *q, edit_data *d) {
    size_t columns = 0, rows = 0;
    if (q->protect == NULL) return 0;
    ireneo_error failed = load_queries(self, q->protect, &d->protect_keys, &d->protect_count, &columns);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (columns != d->w0.dim_in)
        return complain(self, EXIT_DATA, "%s holds keys of %zu dimensions, but the layer takes %zu",
                        q->protect, columns, d->w0.dim_in);
    if (q->protect_residual != NULL) {
        failed = load_queries(self, q->protect_residual, &d->protect_residuals, &rows, &columns);
        if (failed != IRENEO_OK) return report_error(self, failed);
        if (rows != d->protect_count || columns != d->w0.dim_out)
            return complain(
                self, EXIT_DATA, "%s is %zu x %zu, but %zu protected keys need offsets of %zu x %zu",
                q->protect_residual, rows, columns, d->protect_count, d->protect_count, d->w0.dim_out);
    }
    if (q->protect_targets == NULL) return 0;
    failed = ireneo_load_indices(q->protect_targets, &d->protect_targets, &rows);
    if (failed != IRENEO_OK) return report_error(self, failed);
    return rows == d->protect_count ? 0
                                    : complain(self, EXIT_DATA, "%s holds %zu targets, but %s holds %zu keys",
                                               q->protect_targets, rows, q->protect, d->protect_count);
}

/* ---- facts of earlier edits ---- */

/* The fingerprint of the values alone, as text. */
static ireneo_error hash_values(const ireneo_facts *f, char *text) {
    float one = 1.0f;
    unsigned char hash[IRENEO_HASH_BYTES];
    int64_t first = 0;
    ireneo_facts alone = {.facts = 1,
                          .candidates = f->candidates,
                          .dim_in = 1,
                          .dim_out = f->dim_out,
                          .keys = &one,
                          .values = f->values,
                          .targets = &first};
    ireneo_error failed = ireneo_facts_hash(&alone, hash);
    for (size_t k = 0; k < sizeof hash; k++) snprintf(text + 2 * k, 3, "%02x", hash[k]);
    return failed;
}

typedef struct earlier_facts {
    float *matrix, *keys, *residuals;
    int64_t *targets;
    double *margins;
    size_t count;
} earlier_facts;

static void free_earlier(earlier_facts *e) {
    ireneo_free(e->matrix), ireneo_free(e->keys), ireneo_free(e->residuals), ireneo_free(e->targets),
        ireneo_free(e->margins);
}

static ireneo_error load_part(const char *path, const char *name, float **values, size_t *rows,
                              size_t *columns) {
    char location[4300];
    snprintf(location, sizeof location, "%s:%s", path, name);
    return ireneo_load_queries(location, values, rows, columns, NULL);
}

static int read_earlier(const command *self, const edit_request *q, const edit_data *d, earlier_facts *e) {
    size_t rows = 0, out = 0, in = 0, columns = 0, targets = 0, margins = 0, residuals = 0, width = 0;
    char location[4300], wanted[2 * IRENEO_HASH_BYTES + 1], *found = NULL;
    ireneo_error failed = hash_values(&d->files.facts, wanted);
    if (failed == IRENEO_OK) failed = ireneo_safetensors_metadata(q->before, "values_hash", &found);
    if (failed != IRENEO_OK) return report_error(self, failed);
    bool same = found != NULL && strcmp(found, wanted) == 0;
    ireneo_free(found);
    if (!same)
        return complain(self, EXIT_DATA, "%s belongs to other values than those in %s", q->before,
                        q->files[2]);
    failed = load_part(q->before, "W0", &e->matrix, &out, &in);
    if (failed == IRENEO_OK) failed = load_part(q->before, "keys", &e->keys, &rows, &columns);
    if (failed == IRENEO_OK) failed = load_part(q->before, "residuals", &e->residuals, &residuals, &width);
    snprintf(location, sizeof location, "%s:targets", q->before);
    if (failed == IRENEO_OK) failed = ireneo_load_indices(location, &e->targets, &targets);
    snprintf(location, sizeof location, "%s:margins", q->before);
    if (failed == IRENEO_OK) failed = ireneo_load_vector(location, &e->margins, &margins);
    if (failed != IRENEO_OK) return report_error(self, failed);
    e->count = rows;
    if (out != d->w0.dim_out || in != d->w0.dim_in || columns != in || width != out || targets != rows ||
        margins != rows || residuals != rows)
        return complain(self, EXIT_DATA, "%s does not fit %s: its facts are of another shape", q->before,
                        q->files[0]);
    return 0;
}

/* An earlier fact whose key and offset are those of a new one has been edited anew. */
static bool replaced(const edit_data *d, const earlier_facts *e, size_t i) {
    const ireneo_facts *f = &d->files.facts;
    for (size_t k = 0; k < f->facts; k++) {
        if (memcmp(f->keys + k * f->dim_in, e->keys + i * f->dim_in, f->dim_in * sizeof *f->keys) != 0)
            continue;
        const float *old = e->residuals + i * f->dim_out;
        bool same = true;
        for (size_t a = 0; a < f->dim_out && same; a++)
            same = old[a] == (f->residuals != NULL ? f->residuals[k * f->dim_out + a] : 0.0f);
        if (same) return true;
    }
    return false;
}

/* New facts, then earlier ones; the layer becomes the one that the first of them was made for. */
static int join_earlier(const command *self, edit_data *d, const earlier_facts *e) {
    const ireneo_facts *f = &d->files.facts;
    size_t n = f->facts, all = n + e->count, in = f->dim_in, out = f->dim_out;
    d->keys = calloc(all * in, sizeof *d->keys);
    d->residuals = calloc(all * out, sizeof *d->residuals);
    d->targets = calloc(all, sizeof *d->targets);
    d->margins = calloc(all, sizeof *d->margins);
    if (d->keys == NULL || d->residuals == NULL || d->targets == NULL || d->margins == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory for the facts of earlier edits");
    memcpy(d->keys, f->keys, n * in * sizeof *d->keys);
    if (f->residuals != NULL) memcpy(d->residuals, f->residuals, n * out * sizeof *d->residuals);
    for (size_t i = 0; i < n; i++) d->targets[i] = f->targets != NULL ? f->targets[i] : (int64_t)i;
    for (size_t i = 0; i < e->count; i++) {
        if (replaced(d, e, i)) continue;
        size_t to = n + d->earlier++;
        memcpy(d->keys + to * in, e->keys + i * in, in * sizeof *d->keys);
        memcpy(d->residuals + to * out, e->residuals + i * out, out * sizeof *d->residuals);
        d->targets[to] = e->targets[i], d->margins[to] = e->margins[i];
    }
    d->facts.facts = n + d->earlier;
    d->facts.keys = d->keys, d->facts.residuals = d->residuals, d->facts.targets = d->targets;
    for (size_t k = 0; e->matrix != NULL && k < in * out; k++) d->matrix[k] = e->matrix[k];
    return 0;
}

static int load_earlier(const command *self, const edit_request *q, edit_data *d) {
    earlier_facts e = {0};
    if (q->before == NULL || access(q->before, F_OK) != 0) return 0;
    int outcome = read_earlier(self, q, d, &e);
    if (outcome == 0) outcome = join_earlier(self, d, &e);
    free_earlier(&e);
    return outcome;
}

int load_edit(const command *self, const edit_request *q, edit_data *d) {
    memset(d, 0, sizeof *d);
    int outcome =
        load_facts(self, &(facts_names){q->files[1], q->files[2], q->targets, q->residual}, &d->files);
    if (outcome != 0) return outcome;
    d->facts = d->files.facts;
    d->fresh = d->facts.facts;
    if (d->facts.values == NULL)
        return complain(self, EXIT_DATA,
                        "%s holds candidates of each key's own; an edit needs values that all share",
                        q->files[2]);
    outcome = load_layer(self, q, d);
    if (outcome == 0) outcome = load_earlier(self, q, d);
    if (outcome == 0) outcome = load_metric(self, q, d);
    return outcome == 0 ? load_protected(self, q, d) : outcome;
}

/* ---- what is written besides the matrix ---- */

/* Facts to keep in later edits: those that --overload gave up are not asked for again. */
static bool gather_kept(const edit_data *d, const edit_outcome *o, earlier_facts *e) {
    const ireneo_facts *all = &o->result.all;
    size_t n = d->facts.facts, in = all->dim_in, out = all->dim_out;
    e->keys = calloc(n * in, sizeof *e->keys);
    e->residuals = calloc(n * out, sizeof *e->residuals);
    e->targets = calloc(n, sizeof *e->targets);
    e->margins = calloc(n, sizeof *e->margins);
    if (e->keys == NULL || e->residuals == NULL || e->targets == NULL || e->margins == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        if (!o->result.kept[i]) continue;
        memcpy(e->keys + e->count * in, all->keys + i * in, in * sizeof *e->keys);
        if (all->residuals != NULL)
            memcpy(e->residuals + e->count * out, all->residuals + i * out, out * sizeof *e->residuals);
        e->targets[e->count] = all->targets[i], e->margins[e->count++] = o->result.margins[i];
    }
    return true;
}

int save_edits(const command *self, const edit_request *q, const edit_data *d, const edit_outcome *o) {
    const ireneo_facts *all = &o->result.all;
    size_t in = all->dim_in, out = all->dim_out;
    char hash[2 * IRENEO_HASH_BYTES + 1];
    if (q->after == NULL) return 0;
    ireneo_error failed = hash_values(all, hash);
    if (failed != IRENEO_OK) return report_error(self, failed);
    earlier_facts kept = {0};
    int outcome = EXIT_MACHINE;
    if (gather_kept(d, o, &kept)) {
        const ireneo_tensor tensors[] = {
            {"W0", IRENEO_DTYPE_FLOAT32, 2, {out, in}, d->matrix},
            {"keys", IRENEO_DTYPE_FLOAT32, 2, {kept.count, in}, kept.keys},
            {"residuals", IRENEO_DTYPE_FLOAT32, 2, {kept.count, out}, kept.residuals},
            {"targets", IRENEO_DTYPE_INT64, 1, {kept.count}, kept.targets},
            {"margins", IRENEO_DTYPE_FLOAT64, 1, {kept.count}, kept.margins}};
        const char *metadata[] = {"format", "ireneo-edits-1", "values_hash",
                                  hash,     "ireneo_version", ireneo_version()};
        outcome = report_error(self, ireneo_save_safetensors(q->after, tensors, 5, metadata, 3));
    } else {
        complain(self, EXIT_MACHINE, "not enough memory for the facts of this edit");
    }
    free_earlier(&kept);
    return outcome;
}

int save_proved_facts(const command *self, const edit_request *q, const edit_outcome *o) {
    const ireneo_facts *all = &o->result.all;
    size_t n = all->facts;
    const ireneo_tensor tensors[] = {
        {"keys", IRENEO_DTYPE_FLOAT32, 2, {n, all->dim_in}, all->keys},
        {"targets", IRENEO_DTYPE_INT64, 1, {n}, all->targets},
        {"residuals", IRENEO_DTYPE_FLOAT32, 2, {n, all->dim_out}, all->residuals}};
    const char *metadata[] = {"format", "ireneo-facts-1", "ireneo_version", ireneo_version()};
    return report_error(
        self, ireneo_save_safetensors(q->proved, tensors, all->residuals != NULL ? 3 : 2, metadata, 2));
}
