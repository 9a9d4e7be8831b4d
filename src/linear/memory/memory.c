/* Memories: allocation, files, names. */
#include "linear/memory/memory.h"
#include "base/digest.h"
#include "base/number_text.h"
#include "base/ram.h"
#include "base/seal.h"
#include "linear/facts/facts.h"
#include "linear/memory/extras.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *ireneo_status_name(ireneo_status status) {
    switch (status) {
    case IRENEO_STATUS_STORED:
        return "stored";
    case IRENEO_STATUS_IMPOSSIBLE:
        return "impossible";
    case IRENEO_STATUS_PARTIAL:
        return "partial";
    case IRENEO_STATUS_UNDECIDED:
        return "undecided";
    case IRENEO_STATUS_INTERRUPTED:
        return "interrupted";
    case IRENEO_STATUS_EDITED:
        return "edited";
    }
    return "unknown";
}

const char *ireneo_solver_name(ireneo_solver solver) {
    switch (solver) {
    case IRENEO_SOLVER_PROJECT:
        return "project";
    case IRENEO_SOLVER_HEBBIAN:
        return "hebbian";
    case IRENEO_SOLVER_HEBBIAN_WHITE:
        return "hebbian-white";
    case IRENEO_SOLVER_DELTA:
        return "delta";
    case IRENEO_SOLVER_LEAST_SQUARES:
        return "least-squares";
    }
    return "unknown";
}

ireneo_error ireneo_memory_allocate(size_t dim_in, size_t dim_out, size_t rank, ireneo_memory **memory) {
    *memory = NULL;
    ireneo_memory *m = calloc(1, sizeof *m);
    if (m == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a memory");
    m->dim_in = dim_in, m->dim_out = dim_out, m->rank = rank;
    size_t area;
    ireneo_error failed = ireneo_multiply_sizes(dim_in, dim_out, &area, "memory");
    if (failed == IRENEO_OK && rank == 0) failed = IRENEO_ALLOCATE_ZEROED(&m->matrix, area, "memory");
    if (failed == IRENEO_OK && rank > 0) failed = IRENEO_ALLOCATE_ZEROED(&m->left, dim_out * rank, "memory");
    if (failed == IRENEO_OK && rank > 0) failed = IRENEO_ALLOCATE_ZEROED(&m->right, dim_in * rank, "memory");
    if (failed != IRENEO_OK)
        ireneo_memory_free(m);
    else
        *memory = m;
    return failed;
}

static bool all_finite(const float *values, size_t count) {
    for (size_t k = 0; values != NULL && k < count; k++)
        if (!isfinite(values[k])) return false;
    return true;
}

ireneo_error ireneo_memory_check(const ireneo_memory *memory) {
    IRENEO_REQUIRE(memory != NULL, "no memory was given");
    IRENEO_TRY(ireneo_check_reserved(memory->reserved, "the memory"));
    IRENEO_REQUIRE(memory->rank > 0 ? memory->left != NULL && memory->right != NULL : memory->matrix != NULL,
                   "the memory has neither a matrix nor two factors");
    if (memory->rank == 0 ? all_finite(memory->matrix, memory->dim_out * memory->dim_in)
                          : all_finite(memory->left, memory->dim_out * memory->rank) &&
                                all_finite(memory->right, memory->dim_in * memory->rank))
        return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "the memory holds numbers that are not finite");
}

/* Brings the largest of the entries (count) to 1 .. 2 and returns the power of two it had. */
static int normalise(float *entries, size_t count) {
    float largest = 0.0f;
    for (size_t k = 0; k < count; k++) largest = fmaxf(largest, fabsf(entries[k]));
    if (!(largest > 0.0f)) return 0;
    int exponent = ilogbf(largest);
    for (size_t k = 0; k < count; k++) entries[k] = ldexpf(entries[k], -exponent);
    return exponent;
}

int ireneo_memory_normalise(ireneo_memory *m) {
    size_t area = m->dim_out * m->dim_in, left = m->dim_out * m->rank, right = m->dim_in * m->rank;
    if (m->rank == 0) {
        if (!all_finite(m->matrix, area)) memset(m->matrix, 0, area * sizeof *m->matrix);
        return normalise(m->matrix, area);
    }
    if (!all_finite(m->left, left) || !all_finite(m->right, right))
        memset(m->left, 0, left * sizeof *m->left);
    if (!all_finite(m->right, right)) memset(m->right, 0, right * sizeof *m->right);
    int exponent = normalise(m->left, left);
    return exponent + normalise(m->right, right);
}

static ireneo_error check_sizes(const ireneo_memory *memory, const ireneo_facts *facts) {
    if (memory->dim_in != facts->dim_in || memory->dim_out != facts->dim_out)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the memory is %zu x %zu, but keys have %zu dimensions and values %zu",
                           memory->dim_out, memory->dim_in, facts->dim_in, facts->dim_out);
    return IRENEO_OK;
}

ireneo_error ireneo_memory_check_facts(const ireneo_memory *memory, const ireneo_facts *facts) {
    IRENEO_TRY(ireneo_memory_check(memory));
    IRENEO_TRY(ireneo_facts_check(facts));
    return check_sizes(memory, facts);
}

ireneo_error ireneo_memory_check_held(const ireneo_memory *memory, const ireneo_facts *facts) {
    IRENEO_TRY(ireneo_memory_check(memory));
    IRENEO_TRY(ireneo_facts_check_held(facts));
    return check_sizes(memory, facts);
}

void ireneo_memory_free(ireneo_memory *memory) {
    if (memory == NULL) return;
    free(memory->matrix);
    free(memory->left);
    free(memory->right);
    free(memory);
}

enum { MOST_PAIRS = 17 };

typedef struct metadata {
    const char *pairs[2 * MOST_PAIRS];
    char text[MOST_PAIRS][IRENEO_DIGEST_TEXT];
    size_t count;
} metadata;

static void add_text(metadata *m, const char *key, const char *value) {
    snprintf(m->text[m->count], sizeof m->text[0], "%s", value);
    m->pairs[2 * m->count] = key;
    m->pairs[2 * m->count + 1] = m->text[m->count];
    m->count++;
}

static void add_number(metadata *m, const char *key, double value) {
    char text[32];
    add_text(m, key, ireneo_written_double(value, 17, text));
}

static void describe(metadata *m, const ireneo_memory *memory, const ireneo_store_settings *settings,
                     const ireneo_store_info *info) {
    char text[IRENEO_DIGEST_TEXT];
    add_text(m, "format", "ireneo-memory-2");
    add_text(m, "ireneo_version", ireneo_version());
    ireneo_digest_write(memory->facts_hash, text);
    add_text(m, "facts_hash", text);
    if (settings != NULL) {
        add_text(m, "solver", ireneo_solver_name(settings->solver));
        add_number(m, "rank", (double)settings->rank);
        add_number(m, "solver_margin", settings->margin);
        if (settings->top > 1) add_number(m, "top", (double)settings->top);
        if (settings->solver == IRENEO_SOLVER_DELTA) add_number(m, "solver_rate", settings->rate);
        if (settings->solver == IRENEO_SOLVER_LEAST_SQUARES) add_number(m, "solver_ridge", settings->ridge);
    }
    if (info != NULL) {
        add_text(m, "status", ireneo_status_name(info->status));
        add_number(m, "facts", (double)info->facts);
        add_number(m, "recalled", (double)info->recalled);
        add_number(m, "fraction_of_capacity", info->fraction_of_capacity);
        add_number(m, "margin", info->margin);
        add_number(m, "iterations", (double)info->iterations);
    }
}

ireneo_error ireneo_memory_save(const ireneo_memory *memory, const char *path,
                                const ireneo_memory_extras *extras, const ireneo_store_settings *settings,
                                const ireneo_store_info *info) {
    IRENEO_TRY(ireneo_memory_check(memory));
    IRENEO_REQUIRE(path != NULL, "saving a memory needs a path");
    ireneo_packed_extras packed;
    IRENEO_TRY(ireneo_extras_pack(memory, extras, &packed));
    ireneo_tensor tensors[2 + IRENEO_MOST_EXTRAS];
    size_t count = 0;
    memset(tensors, 0, sizeof tensors);
    if (memory->rank == 0) {
        tensors[count++] =
            (ireneo_tensor){"W", IRENEO_DTYPE_FLOAT32, 2, {memory->dim_out, memory->dim_in}, memory->matrix};
    } else {
        tensors[count++] =
            (ireneo_tensor){"U", IRENEO_DTYPE_FLOAT32, 2, {memory->dim_out, memory->rank}, memory->left};
        tensors[count++] =
            (ireneo_tensor){"V", IRENEO_DTYPE_FLOAT32, 2, {memory->dim_in, memory->rank}, memory->right};
    }
    memcpy(tensors + count, packed.tensors, packed.count * sizeof *tensors);
    metadata m = {.count = 0};
    describe(&m, memory, settings, info);
    ireneo_error failed = ireneo_save_sealed(path, tensors, count + packed.count, m.pairs, m.count);
    ireneo_packed_extras_free(&packed);
    return failed;
}

ireneo_error ireneo_memory_tensor_location(const char *path, const char *name, char **location) {
    size_t length = strlen(path) + strlen(name) + 2;
    *location = malloc(length);
    if (*location == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a path");
    snprintf(*location, length, "%s:%s", path, name);
    return IRENEO_OK;
}

ireneo_error ireneo_memory_load_tensor(const char *path, const char *name, float **values, size_t *rows,
                                       size_t *columns) {
    char *location = NULL;
    IRENEO_TRY(ireneo_memory_tensor_location(path, name, &location));
    ireneo_error failed = ireneo_load_matrix(location, values, rows, columns);
    free(location);
    return failed;
}

static ireneo_error load_parts(const char *path, ireneo_memory *m) {
    int has_matrix = 0, has_left = 0, has_right = 0;
    size_t rank_left = 0, rank_right = 0;
    IRENEO_TRY(ireneo_safetensors_has(path, "W", &has_matrix));
    if (has_matrix) return ireneo_memory_load_tensor(path, "W", &m->matrix, &m->dim_out, &m->dim_in);
    IRENEO_TRY(ireneo_safetensors_has(path, "U", &has_left));
    IRENEO_TRY(ireneo_safetensors_has(path, "V", &has_right));
    if (!has_left || !has_right)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s holds no memory: neither a tensor W nor U and V", path);
    IRENEO_TRY(ireneo_memory_load_tensor(path, "U", &m->left, &m->dim_out, &rank_left));
    IRENEO_TRY(ireneo_memory_load_tensor(path, "V", &m->right, &m->dim_in, &rank_right));
    if (rank_left != rank_right)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: U has %zu columns and V has %zu; they must agree", path,
                           rank_left, rank_right);
    m->rank = rank_left;
    return IRENEO_OK;
}

ireneo_error ireneo_memory_load(const char *path, ireneo_memory **memory) {
    IRENEO_REQUIRE(memory != NULL, "loading a memory needs a place for it");
    *memory = NULL;
    IRENEO_REQUIRE(path != NULL, "loading a memory needs a path");
    ireneo_memory *m = calloc(1, sizeof *m);
    if (m == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a memory");
    bool sealed;
    ireneo_error failed = ireneo_check_seal(path, &sealed); /* weights of other programs have none */
    if (failed == IRENEO_OK) failed = load_parts(path, m);
    char *hash = NULL;
    if (failed == IRENEO_OK) failed = ireneo_safetensors_metadata(path, "facts_hash", &hash);
    if (failed == IRENEO_OK && !ireneo_digest_read(hash, m->facts_hash))
        memset(m->facts_hash, 0, sizeof m->facts_hash); /* a file of another program's */
    ireneo_free(hash);
    if (failed != IRENEO_OK)
        ireneo_memory_free(m);
    else
        *memory = m;
    return failed;
}
