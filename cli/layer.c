/* ireneo layer: a matrix of a model, or all of them, looked at as memories. */
#include "layer.h"
#include "base/error.h"
#include "base/foreign.h"
#include "commands.h"
#include "folder.h"
#include "matrix_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

static void free_outcome(layer_outcome *o) {
    for (size_t k = 0; k < o->count; k++) {
        free(o->layers[k].name);
        free(o->layers[k].singular);
        free(o->layers[k].spectrum);
    }
    free(o->layers);
}

/* ---- one matrix ---- */

static ireneo_error no_memory(void) {
    return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the spectrum of a layer");
}

static ireneo_error look(const float *matrix, size_t rows, size_t columns,
                         const ireneo_layer_settings *settings, layer_found *found) {
    found->singular = calloc(rows < columns ? rows : columns, sizeof *found->singular);
    found->spectrum = settings->ordinary != NULL ? calloc(columns, sizeof *found->spectrum) : NULL;
    if (found->singular == NULL || (settings->ordinary != NULL && found->spectrum == NULL))
        return no_memory();
    return ireneo_layer(matrix, rows, columns, settings, found->singular, found->spectrum, &found->report);
}

/* Candidates fit a layer whose outputs have their dimension; others only learn how many there are. */
static ireneo_layer_settings settings_for(const ireneo_layer_settings *all, size_t value_dim, bool model,
                                          size_t rows) {
    ireneo_layer_settings own = *all;
    if (model && own.values != NULL && value_dim != rows) {
        own.values = NULL;
        own.candidates = (double)own.value_count;
    }
    return own;
}

static int look_at(const command *self, const char *location, const ireneo_layer_settings *all,
                   size_t value_dim, bool model, layer_found *found) {
    float *matrix = NULL;
    size_t rows, columns;
    ireneo_load_notes notes;
    ireneo_error failed = ireneo_load_queries(location, &matrix, &rows, &columns, &notes);
    if (failed != IRENEO_OK) return report_error(self, failed);
    int outcome = 0;
    if (!model && all->values != NULL && value_dim != rows)
        outcome = complain(self, EXIT_DATA,
                           "%s is %zu x %zu: its outputs have %zu entries, but the candidates have %zu",
                           location, rows, columns, rows, value_dim);
    ireneo_layer_settings own = settings_for(all, value_dim, model, rows);
    found->dtype = ireneo_dtype_name(notes.dtype);
    if (outcome == 0) outcome = report_error(self, look(matrix, rows, columns, &own, found));
    ireneo_free(matrix);
    return outcome;
}

/* ---- all matrices of a model ---- */

static bool is_matrix(const char *location) {
    ireneo_array array;
    if (ireneo_array_describe(location, &array) != IRENEO_OK) return false;
    bool real = array.dtype == IRENEO_DTYPE_FLOAT16 || array.dtype == IRENEO_DTYPE_BFLOAT16 ||
                array.dtype == IRENEO_DTYPE_FLOAT32 || array.dtype == IRENEO_DTYPE_FLOAT64;
    return real && array.axes == 2 && array.shape[0] > 1 && array.shape[1] > 1;
}

/* A tensor that cannot even be described is an error, a missing shard above all; one that is no matrix is counted. */
static int look_at_tensor(const command *self, const char *path, const char *name,
                          const ireneo_layer_settings *all, size_t value_dim, layer_outcome *o) {
    char *location = NULL;
    ireneo_array array;
    if (asprintf(&location, "%s:%s", path, name) < 0)
        return complain(self, EXIT_MACHINE, "not enough memory");
    ireneo_error failed = ireneo_array_describe(location, &array);
    int outcome = failed == IRENEO_OK || failed == IRENEO_ERROR_DATA ? 0 : report_error(self, failed);
    if (outcome == 0 && !is_matrix(location)) {
        o->others++;
    } else if (outcome == 0) {
        layer_found *found = &o->layers[o->count];
        found->name = strdup(name);
        if (found->name == NULL) outcome = complain(self, EXIT_MACHINE, "not enough memory");
        o->count++;
        if (outcome == 0) outcome = look_at(self, location, all, value_dim, true, found);
    }
    free(location);
    return outcome;
}

static int look_at_model(const command *self, const char *path, const ireneo_layer_settings *all,
                         size_t value_dim, layer_outcome *o) {
    char **names = NULL;
    size_t count = 0;
    ireneo_error failed = ireneo_tensor_names(path, &names, &count);
    if (failed != IRENEO_OK) return report_error(self, failed);
    o->layers = calloc(count + 1, sizeof *o->layers);
    if (o->layers == NULL) {
        ireneo_free(names);
        return complain(self, EXIT_MACHINE, "not enough memory");
    }
    int outcome = 0;
    for (size_t k = 0; outcome == 0 && k < count; k++)
        outcome = look_at_tensor(self, path, names[k], all, value_dim, o);
    ireneo_free(names);
    if (outcome == 0 && o->count == 0)
        outcome = complain(self, EXIT_DATA, "%s holds no matrix of real numbers", path);
    return outcome;
}

static int look_at_one(const command *self, const layer_request *q, const ireneo_layer_settings *all,
                       size_t value_dim, layer_outcome *o) {
    o->layers = calloc(1, sizeof *o->layers);
    if (o->layers == NULL) return complain(self, EXIT_MACHINE, "not enough memory");
    o->count = 1;
    o->layers[0].name = strdup(q->location);
    return look_at(self, q->location, all, value_dim, false, &o->layers[0]);
}

/* ---- the command ---- */

static int work(const command *self, const layer_request *q, ireneo_layer_settings *settings,
                size_t value_dim) {
    layer_outcome o = {.rows = ireneo_moments_count(settings->ordinary)};
    o.model = is_file(q->location) &&
              (ireneo_ends_with(q->location, ".safetensors") || ireneo_ends_with(q->location, ".json"));
    int outcome = 0;
    if (o.model && q->ordinary != NULL)
        outcome = complain(self, EXIT_USAGE,
                           "--ordinary is about the keys of one matrix; choose it as '%s:NAME'", q->location);
    if (outcome == 0)
        outcome = o.model ? look_at_model(self, q->location, settings, value_dim, &o)
                          : look_at_one(self, q, settings, value_dim, &o);
    finish_progress();
    if (outcome == 0 && q->picture != NULL) outcome = draw_layers(self, q, &o);
    if (outcome == 0) outcome = report_layers(self, q, &o);
    free_outcome(&o);
    return outcome;
}

static int load_and_work(const command *self, const layer_request *q) {
    ireneo_moments *ordinary = NULL;
    float *values = NULL;
    size_t count = 0, dim = 0;
    ireneo_layer_settings settings = {.candidates = q->candidates,
                                      .share = q->share,
                                      .threads = (int)q->threads,
                                      .progress = start_progress()};
    const ireneo_run_settings run = {.threads = settings.threads, .progress = settings.progress};
    ireneo_error failed =
        q->ordinary != NULL ? ireneo_moments_of_files(&q->ordinary, 1, &run, &ordinary) : IRENEO_OK;
    if (failed == IRENEO_OK && q->unembed != NULL)
        failed = load_queries(self, q->unembed, &values, &count, &dim);
    settings.ordinary = ordinary;
    settings.values = values;
    settings.value_count = count;
    int outcome = failed == IRENEO_OK ? work(self, q, &settings, dim) : report_error(self, failed);
    ireneo_moments_free(ordinary);
    ireneo_free(values);
    return outcome;
}

static int run(const command *self, int argc, char **argv) {
    layer_request q = {.share = 0.0};
    option options[] = {
        WHOLE("candidates", &q.candidates, "P", "candidates that facts compete over (default: one per fact)",
              2, 1e12),
        TEXT("unembed", &q.unembed, "FILE", "the candidates themselves, a row each, whose span counts"),
        TEXT("ordinary", &q.ordinary, "FILE", "keys that the layer sees in ordinary use, or their moments"),
        NUMBER("share", &q.share, "S",
               "with --ordinary: share of the keys' square that new facts must leave alone (default 0.99)",
               0.01, 1),
        TEXT("picture", &q.picture, "FILE", "draws the spectra (.svg, .png or .pdf)"),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, &q.location, 1, 1, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (q.candidates > 0.0 && q.unembed != NULL)
        return complain(self, EXIT_USAGE,
                        "--unembed says how many candidates there are; leave out --candidates");
    if (q.share > 0.0 && q.ordinary == NULL)
        return complain(self, EXIT_USAGE, "--share only makes sense with --ordinary");
    const char *const inputs[] = {q.location, q.unembed, q.ordinary};
    outcome = check_outputs(self, &(output_file){"--picture", q.picture, OUTPUT_PICTURE, NULL}, 1, inputs, 3);
    if (outcome != 0) return outcome;
    catch_interrupts();
    return load_and_work(self, &q);
}

const command command_layer = {
    "layer", "a matrix of a model, or all of them: spectrum, and room for facts", run, "FILE[:TENSOR]",
    "FILE is a matrix (outputs, inputs), or a .safetensors file or index of which all matrices are listed. "
    "What is\n"
    "claimed and left counts dimensions: facts that could be added without touching the directions that hold "
    "--share\n"
    "of the square of ordinary keys. It is no promise about quality (docs/layers.md)."};
