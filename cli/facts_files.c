/* Loading of facts and labels. */
#include "facts_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void free_facts(facts_files *files) {
    ireneo_free(files->keys);
    ireneo_free(files->values);
    ireneo_free(files->targets);
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
static ireneo_error load_values(const char *path, facts_files *files, size_t *sets) {
    ireneo_facts *f = &files->facts;
    ireneo_array array;
    ireneo_error failed = ireneo_array_open(path, &array);
    if (failed != IRENEO_OK) return failed;
    bool own = array.axes == 3;
    ireneo_array_close(&array);
    if (!own) return ireneo_load_matrix(path, &files->values, &f->candidates, &f->dim_out);
    f->own_candidates = copy_own;
    f->own_context = files;
    return ireneo_load_stack(path, &files->values, sets, &f->candidates, &f->dim_out);
}

static int load_arrays(const command *self, const char *keys, const char *values, const char *targets,
                       facts_files *files) {
    ireneo_facts *f = &files->facts;
    size_t count = 0, sets = 0;
    ireneo_error failed = ireneo_load_matrix(keys, &files->keys, &f->facts, &f->dim_in);
    if (failed == IRENEO_OK) failed = load_values(values, files, &sets);
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
    return report_error(self, ireneo_facts_check(f));
}

int load_facts(const command *self, const char *keys, const char *values, const char *targets,
               facts_files *files) {
    memset(files, 0, sizeof *files);
    int outcome = load_arrays(self, keys, values, targets, files);
    if (outcome != 0) free_facts(files);
    return outcome;
}

void free_labels(label_file *labels) {
    free(labels->text);
    free(labels->lines);
    memset(labels, 0, sizeof *labels);
}

static char *read_text(FILE *file, size_t *length) {
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *length = 0;
    while (text != NULL) {
        *length += fread(text + *length, 1, capacity - *length - 1, file);
        if (*length < capacity - 1) break;
        capacity *= 2;
        char *larger = realloc(text, capacity);
        if (larger == NULL) free(text);
        text = larger;
    }
    if (text != NULL) text[*length] = '\0';
    return text;
}

int load_labels(const command *self, const char *path, label_file *labels) {
    memset(labels, 0, sizeof *labels);
    FILE *file = fopen(path, "re");
    if (file == NULL) return complain(self, EXIT_MACHINE, "%s: %s", path, strerror(errno));
    size_t length = 0;
    labels->text = read_text(file, &length);
    int bad = ferror(file);
    fclose(file);
    if (bad) return free_labels(labels), complain(self, EXIT_MACHINE, "%s could not be read", path);
    if (labels->text != NULL && memchr(labels->text, '\0', length) != NULL)
        return free_labels(labels),
               complain(self, EXIT_DATA, "%s is not a text file: it holds zero bytes", path);
    for (size_t i = 0; labels->text != NULL && i < length; i++)
        labels->count += labels->text[i] == '\n' || i + 1 == length;
    if (labels->text != NULL) labels->lines = calloc(labels->count + 1, sizeof *labels->lines);
    if (labels->text == NULL || labels->lines == NULL)
        return free_labels(labels), complain(self, EXIT_MACHINE, "not enough memory for %s", path);
    char *cursor = labels->text;
    for (size_t k = 0; k < labels->count; k++) {
        labels->lines[k] = cursor;
        char *end = strchr(cursor, '\n');
        if (end == NULL) break;
        *end = '\0';
        if (end > cursor && end[-1] == '\r') end[-1] = '\0';
        cursor = end + 1;
    }
    return 0;
}

const char *label_of(const label_file *labels, int64_t index) {
    return index >= 0 && (size_t)index < labels->count ? labels->lines[index] : NULL;
}
