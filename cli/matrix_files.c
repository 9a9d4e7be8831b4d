/* Loading of matrices, and the note about rounding. */
#include "matrix_files.h"
#include "job.h"

#include <stdio.h>
#include <string.h>

/* Once a file: keys and values may be the same. */
static ireneo_error note(const command *self, const char *path, ireneo_error error,
                         const ireneo_load_notes *notes) {
    static char last[4096];
    if (error != IRENEO_OK || notes->rounded == 0 || json_wanted() || !speaks() || strcmp(path, last) == 0)
        return error;
    fprintf(stderr, "ireneo %s: %s holds %s; rounded to float32\n", self->name, path,
            ireneo_dtype_name(notes->dtype));
    snprintf(last, sizeof last, "%s", path);
    return error;
}

ireneo_error load_matrix(const command *self, const char *path, float **values, size_t *rows,
                         size_t *columns) {
    ireneo_load_notes notes;
    return note(self, path, ireneo_load_matrix_noted(path, values, rows, columns, &notes), &notes);
}

ireneo_error load_queries(const command *self, const char *path, float **values, size_t *rows,
                          size_t *columns) {
    ireneo_load_notes notes;
    return note(self, path, ireneo_load_queries(path, values, rows, columns, &notes), &notes);
}

ireneo_error load_stack(const command *self, const char *path, float **values, size_t *matrices, size_t *rows,
                        size_t *columns) {
    ireneo_load_notes notes;
    return note(self, path, ireneo_load_stack_noted(path, values, matrices, rows, columns, &notes), &notes);
}

ireneo_error load_held(const command *self, const char *path, ireneo_matrix_reading reading,
                       const ireneo_holding *holding, float **values, size_t *columns) {
    ireneo_load_notes notes;
    return note(self, path, ireneo_held_load(path, reading, holding, values, columns, &notes), &notes);
}

ireneo_error load_shared(const command *self, const char *path, ireneo_matrix_reading reading,
                         ireneo_shared *shared, float **values, size_t *rows, size_t *columns) {
    ireneo_load_notes notes = {0};
    ireneo_error failed =
        ireneo_shared_load(ireneo_ranks_world(), path, reading, shared, rows, columns, &notes);
    *values = shared->bytes;
    return note(self, path, failed, &notes);
}
