/* What holds for every public call: a NULL that is not allowed and a reserved field that is not zero are refused
 * with a sentence, what comes out is empty then, and every enumerator has a name. tests/python/header.py holds this
 * file against the headers: each call that can fail is here. */
#include "linear_instance.h"

#include <string.h>

#define REFUSED(call) expect_error((call), IRENEO_ERROR_ARGUMENT, "", "")

enum { N = 12, D = 4 };

static void test_version(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", IRENEO_VERSION_NUMBER / 10000, IRENEO_VERSION_NUMBER / 100 % 100,
             IRENEO_VERSION_NUMBER % 100);
    assert_string_equal(text, IRENEO_VERSION);
    assert_string_equal(text, ireneo_version());
}

/* Enumerators 0 .. count - 1 have different names, and what is no enumerator is "unknown". */
#define EXPECT_NAMES(function, type, count)                                                                  \
    do {                                                                                                     \
        for (int a_ = 0; a_ < (count); a_++) {                                                               \
            assert_string_not_equal(function((type)a_), "unknown");                                          \
            for (int b_ = 0; b_ < a_; b_++) assert_string_not_equal(function((type)a_), function((type)b_)); \
        }                                                                                                    \
        assert_string_equal(function((type)99), "unknown");                                                  \
    } while (0)

static void test_names(void **state) {
    (void)state;
    EXPECT_NAMES(ireneo_error_name, ireneo_error, IRENEO_ERROR_CANCELLED + 1);
    EXPECT_NAMES(ireneo_dtype_name, ireneo_dtype, IRENEO_DTYPE_INT64 + 1);
    EXPECT_NAMES(ireneo_status_name, ireneo_status, IRENEO_STATUS_EDITED + 1);
    EXPECT_NAMES(ireneo_edit_rule_name, ireneo_edit_rule, IRENEO_RULE_NULL_SPACE + 1);
    EXPECT_NAMES(ireneo_problem_kind_name, ireneo_problem_kind, IRENEO_PROBLEM_DECOUPLED + 1);
    EXPECT_NAMES(ireneo_targets_name, ireneo_targets, IRENEO_TARGETS_ZIPF + 1);
    EXPECT_NAMES(ireneo_solver_name, ireneo_solver, IRENEO_SOLVER_LEAST_SQUARES + 1);
    EXPECT_NAMES(ireneo_optimiser_name, ireneo_optimiser, IRENEO_OPTIMISER_LBFGS + 1);
    EXPECT_NAMES(ireneo_dense_ensemble_name, ireneo_dense_ensemble, IRENEO_DENSE_ENSEMBLE_BINARY + 1);
    EXPECT_NAMES(ireneo_dense_rule_name, ireneo_dense_rule, IRENEO_DENSE_RULE_SIGN + 1);
    EXPECT_NAMES(ireneo_dense_method_name, ireneo_dense_method, IRENEO_DENSE_METHOD_HYBRID + 1);
    EXPECT_NAMES(ireneo_dense_measure_name, ireneo_dense_measure, IRENEO_DENSE_MEASURE_ANGLE + 1);
    EXPECT_NAMES(ireneo_dense_preparation_name, ireneo_dense_preparation, IRENEO_DENSE_PREPARATION_RAW + 1);
    EXPECT_NAMES(ireneo_dense_verdict_name, ireneo_dense_verdict, IRENEO_DENSE_VERDICT_LOST + 1);
    EXPECT_NAMES(ireneo_normalisation_name, ireneo_normalisation, IRENEO_NORMALISATION_SANDWICH + 1);
    EXPECT_NAMES(ireneo_activation_name, ireneo_activation, IRENEO_ACTIVATION_SWIGLU + 1);
}

static void test_releasing_nothing(void **state) {
    (void)state;
    ireneo_free(NULL);
    ireneo_array_close(NULL);
    ireneo_memory_free(NULL);
    ireneo_certificate_free(NULL);
    ireneo_store_result_free(NULL);
    ireneo_attention_propagation_free(NULL);
    ireneo_attention_trainability_free(NULL);
    ireneo_attention_tokens_close(NULL);
    ireneo_attention_diagnosis_free(NULL);
    ireneo_transformer_defaults(NULL);
    ireneo_dense_experiment_defaults(NULL);
    assert_true(isnan(ireneo_effective_dimension(NULL)));
}

static void test_arrays(void **state) {
    (void)state;
    ireneo_array array;
    float *floats = (float *)&array;
    double *doubles = (double *)&array;
    int64_t *whole = (int64_t *)&array;
    char *text = (char *)&array;
    size_t a = 9, b = 9, c = 9, shape[1] = {1};
    int found = 9;
    REFUSED(ireneo_array_describe("nowhere.npy", NULL));
    REFUSED(ireneo_array_open("x.npy", NULL));
    REFUSED(ireneo_array_open(NULL, &array));
    assert_null(array.data);
    REFUSED(ireneo_load_matrix("x.npy", NULL, &a, &b));
    REFUSED(ireneo_load_matrix("x.npy", &floats, NULL, &b));
    REFUSED(ireneo_load_matrix(NULL, &floats, &a, &b));
    assert_true(floats == NULL && a == 0 && b == 0);
    REFUSED(ireneo_load_stack("x.npy", NULL, &a, &b, &c));
    floats = (float *)&array;
    REFUSED(ireneo_load_stack(NULL, &floats, &a, &b, &c));
    assert_true(floats == NULL && c == 0);
    REFUSED(ireneo_load_matrix_noted("x.npy", NULL, &a, &b, NULL));
    REFUSED(ireneo_load_matrix_noted(NULL, &floats, &a, &b, NULL));
    assert_null(floats);
    REFUSED(ireneo_load_queries("x.npy", &floats, &a, NULL, NULL));
    REFUSED(ireneo_load_queries(NULL, &floats, &a, &b, NULL));
    assert_null(floats);
    REFUSED(ireneo_load_stack_noted("x.npy", &floats, NULL, &b, &c, NULL));
    REFUSED(ireneo_load_stack_noted(NULL, &floats, &a, &b, &c, NULL));
    assert_null(floats);
    REFUSED(ireneo_load_indices("x.npy", NULL, &a));
    REFUSED(ireneo_load_indices(NULL, &whole, &a));
    assert_null(whole);
    REFUSED(ireneo_load_vector("x.npy", &doubles, NULL));
    REFUSED(ireneo_load_vector(NULL, &doubles, &a));
    assert_null(doubles);
    REFUSED(ireneo_save_npy(NULL, IRENEO_DTYPE_INT64, 1, shape, &a));
    REFUSED(ireneo_save_npy("x.npy", IRENEO_DTYPE_INT64, 1, NULL, &a));
    REFUSED(ireneo_save_npy("x.npy", IRENEO_DTYPE_INT64, 1, shape, NULL));
    REFUSED(ireneo_save_safetensors(NULL, NULL, 0, NULL, 0));
    REFUSED(ireneo_save_safetensors("x.safetensors", NULL, 1, NULL, 0));
    REFUSED(ireneo_safetensors_metadata("x.safetensors", "key", NULL));
    REFUSED(ireneo_safetensors_metadata(NULL, "key", &text));
    assert_null(text);
    REFUSED(ireneo_safetensors_metadata("x.safetensors", NULL, &text));
    REFUSED(ireneo_safetensors_has("x.safetensors", "W", NULL));
    REFUSED(ireneo_safetensors_has(NULL, "W", &found));
    assert_int_equal(found, 0);
    REFUSED(ireneo_save_bytes(NULL, "x", 1));
    REFUSED(ireneo_save_bytes("x", NULL, 1));
}

static void test_random(void **state) {
    (void)state;
    float room[N * D];
    ireneo_sample sample = {1, D, D};
    REFUSED(ireneo_random_normals_float(1, 1, 0, 4, 0, NULL));
    REFUSED(ireneo_random_normals(1, 1, 0, 4, 0, NULL));
    REFUSED(ireneo_random_uniforms(1, 1, 0, 4, 0, NULL));
    REFUSED(ireneo_sample_keys(NULL, 0, N, room));
    REFUSED(ireneo_sample_keys(&sample, 0, N, NULL));
    REFUSED(ireneo_sample_values(NULL, 0, N, room));
    REFUSED(ireneo_sample_values(&sample, 0, N, NULL));
    int64_t targets[N];
    REFUSED(ireneo_sample_targets(NULL, IRENEO_TARGETS_EACH, 0.0, N, 0, N, targets));
    REFUSED(ireneo_sample_targets(&sample, IRENEO_TARGETS_EACH, 0.0, N, 0, N, NULL));
    REFUSED(ireneo_sample_targets(&sample, IRENEO_TARGETS_EACH, 0.0, 0, 0, N, targets));
    REFUSED(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, -1.0, N, 0, N, targets));
    REFUSED(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, NAN, N, 0, N, targets));
    REFUSED(ireneo_sample_targets(&sample, (ireneo_targets)7, 0.0, N, 0, N, targets));
}

static void test_law(void **state) {
    (void)state;
    ireneo_shape shape = {.dim_in = 9, .dim_out = 9, .facts = 5.0};
    ireneo_capacity_report report, empty = {0};
    double number = 9.0;
    REFUSED(ireneo_capacity(&shape, NULL));
    memset(&report, 1, sizeof report);
    REFUSED(ireneo_capacity(NULL, &report));
    assert_memory_equal(&report, &empty, sizeof report);
    REFUSED(ireneo_capacity_probability(&shape, NULL));
    REFUSED(ireneo_capacity_probability(NULL, &number));
    assert_true(number == 0.0);
    REFUSED(ireneo_capacity_margin(&shape, NULL));
    REFUSED(ireneo_capacity_margin(NULL, &number));
    size_t size = 0;
    REFUSED(ireneo_capacity_dim(&shape, 0.5, NULL));
    REFUSED(ireneo_capacity_dim(NULL, 0.5, &size));
    REFUSED(ireneo_capacity_dim(&shape, 1.0, &size));
    REFUSED(ireneo_capacity_rank(&shape, 0.5, NULL));
    REFUSED(ireneo_capacity_rank(&shape, 0.0, &size));
    REFUSED(ireneo_capacity_overload(&shape, NULL));
    REFUSED(ireneo_capacity_overload(NULL, &number));
    REFUSED(ireneo_free_entropy(0.1, 10, 10, 1, NULL));
    REFUSED(ireneo_capacity_top(&shape, 2, NULL));
    REFUSED(ireneo_capacity_top(NULL, 2, &number));
    REFUSED(ireneo_capacity_top(&shape, 0, &number));
    REFUSED(ireneo_free_entropy_of_rank(0.1, 10, 0.5, 1.0, 10, 1, NULL));
    REFUSED(ireneo_solution_spectrum(0.5, 0.5, 1.0, 1, NULL, NULL));
    shape.reserved[3] = 1;
    REFUSED(ireneo_capacity(&shape, &report));
    assert_non_null(strstr(ireneo_last_error(), "reserved"));
}

static void test_store(void **state) {
    (void)state;
    instance it = make_instance(1, N, N, D, D, 0);
    ireneo_facts bad = it.facts;
    ireneo_memory *m = (ireneo_memory *)&it;
    ireneo_store_result result = {.kept = (unsigned char *)&it};
    ireneo_store_info info = {.recalled = 7};
    ireneo_max_margin_info widest;
    ireneo_train_info trained = {.recalled = 7};
    ireneo_store_settings settings = {.reserved = {1}};
    unsigned char hash[IRENEO_HASH_BYTES];
    REFUSED(ireneo_facts_check(NULL));
    REFUSED(ireneo_facts_hash(&it.facts, NULL));
    REFUSED(ireneo_facts_hash(NULL, hash));
    REFUSED(ireneo_store_require_ram(NULL, 1));
    REFUSED(ireneo_store(&it.facts, NULL, NULL, NULL, NULL));
    REFUSED(ireneo_store(NULL, NULL, &m, &result, &info));
    assert_true(m == NULL && result.kept == NULL && info.recalled == 0);
    REFUSED(ireneo_store(&it.facts, &settings, &m, NULL, NULL));
    REFUSED(ireneo_store(&it.facts, &(ireneo_store_settings){.solver = (ireneo_solver)7}, &m, NULL, NULL));
    REFUSED(ireneo_store(&it.facts, &(ireneo_store_settings){.threads = -2}, &m, NULL, NULL));
    REFUSED(ireneo_store(&it.facts,
                         &(ireneo_store_settings){.initial = &(ireneo_memory){.dim_in = D, .dim_out = D}}, &m,
                         NULL, NULL));
    bad.reserved[0] = 1;
    REFUSED(ireneo_facts_check(&bad));
    m = (ireneo_memory *)&it;
    REFUSED(ireneo_max_margin(&it.facts, NULL, NULL, NULL, NULL));
    REFUSED(ireneo_max_margin(NULL, NULL, &m, &result, &widest));
    assert_null(m);
    REFUSED(ireneo_max_margin(&it.facts, &(ireneo_max_margin_settings){.reserved = {1}}, &m, NULL, NULL));
    m = (ireneo_memory *)&it;
    REFUSED(ireneo_train(&it.facts, NULL, NULL, NULL));
    REFUSED(ireneo_train(NULL, NULL, &m, &trained));
    assert_true(m == NULL && trained.recalled == 0);
    REFUSED(ireneo_train(&it.facts, &(ireneo_train_settings){.threads = 5000}, &m, NULL));
    REFUSED(ireneo_train(&it.facts, &(ireneo_train_settings){.reserved = {0, 1}}, &m, NULL));
    REFUSED(ireneo_train(&it.facts, &(ireneo_train_settings){.optimiser = (ireneo_optimiser)2}, &m, NULL));
    free_instance(&it);
}

static void test_memories(void **state) {
    (void)state;
    instance it = make_instance(1, N, N, D, D, 0);
    ireneo_memory *m = NULL, *loaded = (ireneo_memory *)&it, empty = {.dim_in = D, .dim_out = D};
    expect_ok(ireneo_store(&it.facts, NULL, &m, NULL, NULL));
    ireneo_run_settings bad = {.reserved = {0, 0, 0, 1}}, many = {.threads = 100000};
    ireneo_check_report check = {.recalled = 7};
    ireneo_noise_report noisy = {.facts = 7};
    ireneo_noise noise = {.strength = 0.1}, reserved = {.reserved = {1}};
    int64_t index[N];
    float score[N];
    double loss = 7.0;
    REFUSED(ireneo_check(m, &it.facts, NULL, NULL, NULL));
    REFUSED(ireneo_check_top(m, &it.facts, 2, NULL, NULL, NULL));
    REFUSED(ireneo_check_top(NULL, &it.facts, 2, NULL, NULL, &check));
    REFUSED(ireneo_check_top(m, &it.facts, 0, NULL, NULL, &check));
    REFUSED(ireneo_check_top(m, &it.facts, N, NULL, NULL, &check));
    REFUSED(ireneo_check_top(m, &it.facts, 1000, NULL, NULL, &check));
    REFUSED(ireneo_check(NULL, &it.facts, NULL, NULL, &check));
    assert_int_equal(check.recalled, 0);
    REFUSED(ireneo_check(&empty, &it.facts, NULL, NULL, &check));
    REFUSED(ireneo_check(m, NULL, NULL, NULL, &check));
    REFUSED(ireneo_check(m, &it.facts, &bad, NULL, &check));
    REFUSED(ireneo_check(m, &it.facts, &many, NULL, &check));
    REFUSED(ireneo_check_noise(m, &it.facts, &noise, NULL, NULL));
    REFUSED(ireneo_check_noise(NULL, &it.facts, &noise, NULL, &noisy));
    assert_int_equal(noisy.facts, 0);
    REFUSED(ireneo_check_noise(m, NULL, &noise, NULL, &noisy));
    REFUSED(ireneo_check_noise(m, &it.facts, NULL, NULL, &noisy));
    REFUSED(ireneo_check_noise(m, &it.facts, &reserved, NULL, &noisy));
    REFUSED(ireneo_check_noise(m, &it.facts, &noise, &many, &noisy));
    REFUSED(ireneo_recall(NULL, it.keys, N, it.values, N, 1, NULL, index, score));
    REFUSED(ireneo_recall(&empty, it.keys, N, it.values, N, 1, NULL, index, score));
    REFUSED(ireneo_recall(m, NULL, N, it.values, N, 1, NULL, index, score));
    REFUSED(ireneo_recall(m, it.keys, N, NULL, N, 1, NULL, index, score));
    REFUSED(ireneo_recall(m, it.keys, N, it.values, N, 1, NULL, NULL, score));
    REFUSED(ireneo_recall(m, it.keys, N, it.values, N, 1, NULL, index, NULL));
    REFUSED(ireneo_recall(m, it.keys, N, it.values, N, 1, &many, index, score));
    REFUSED(ireneo_recall(m, it.keys, N, it.values, N, 1, &bad, index, score));
    REFUSED(ireneo_recall_with_residuals(NULL, it.keys, it.values, N, it.values, N, 1, NULL, index, score));
    REFUSED(ireneo_recall_with_residuals(&empty, it.keys, it.values, N, it.values, N, 1, NULL, index, score));
    REFUSED(ireneo_recall_with_residuals(m, NULL, it.values, N, it.values, N, 1, NULL, index, score));
    REFUSED(ireneo_recall_with_residuals(m, it.keys, it.values, N, NULL, N, 1, NULL, index, score));
    REFUSED(ireneo_recall_with_residuals(m, it.keys, it.values, N, it.values, N, 1, NULL, NULL, score));
    REFUSED(ireneo_recall_with_residuals(m, it.keys, it.values, N, it.values, N, 1, NULL, index, NULL));
    REFUSED(ireneo_recall_with_residuals(m, it.keys, it.values, N, it.values, N, 1, &many, index, score));
    REFUSED(ireneo_recall_with_residuals(m, it.keys, it.values, N, it.values, N, 1, &bad, index, score));
    REFUSED(ireneo_cross_entropy(m, &it.facts, NULL, NULL));
    REFUSED(ireneo_cross_entropy(NULL, &it.facts, NULL, &loss));
    assert_true(loss == 0.0);
    REFUSED(ireneo_cross_entropy(m, NULL, NULL, &loss));
    REFUSED(ireneo_cross_entropy(m, &it.facts, &many, &loss));
    ireneo_memory_extras extras = {.reserved = {1}};
    REFUSED(ireneo_memory_save(m, "x.safetensors", &extras, NULL, NULL));
    REFUSED(ireneo_memory_load_extras("x.safetensors", m, NULL));
    REFUSED(ireneo_memory_load_extras(NULL, m, &extras));
    REFUSED(ireneo_memory_load_extras("x.safetensors", NULL, &extras));
    ireneo_memory_extras_free(NULL);
    REFUSED(ireneo_memory_save(NULL, "x.safetensors", NULL, NULL, NULL));
    REFUSED(ireneo_memory_save(&empty, "x.safetensors", NULL, NULL, NULL));
    REFUSED(ireneo_memory_save(m, NULL, NULL, NULL, NULL));
    REFUSED(ireneo_memory_load("x.safetensors", NULL));
    REFUSED(ireneo_memory_load(NULL, &loaded));
    assert_null(loaded);
    ireneo_memory_free(m);
    free_instance(&it);
}

static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

static void test_certificates(void **state) {
    (void)state;
    instance it = make_instance(1, 40, 40, D, D, 0);
    ireneo_store_result result;
    ireneo_memory *m = NULL;
    ireneo_store_info info;
    expect_ok(ireneo_store(&it.facts, NULL, &m, &result, &info));
    expect_status(&info, IRENEO_STATUS_IMPOSSIBLE);
    ireneo_certificate *c = result.certificate, *loaded = c, empty = {.count = 3};
    ireneo_verify_report report = {.accepted = 1};
    ireneo_progress stop = {stop_at_once, NULL};
    REFUSED(ireneo_verify(c, &it.facts, NULL, NULL));
    REFUSED(ireneo_verify(NULL, &it.facts, NULL, &report));
    assert_int_equal(report.accepted, 0);
    REFUSED(ireneo_verify(&empty, &it.facts, NULL, &report));
    REFUSED(ireneo_verify(c, NULL, NULL, &report));
    REFUSED(ireneo_verify(c, &it.facts, &(ireneo_verify_settings){.threads = -1}, &report));
    expect_error(ireneo_verify(c, &it.facts, &(ireneo_verify_settings){.progress = &stop}, &report),
                 IRENEO_ERROR_CANCELLED, "stopped", "");
    REFUSED(ireneo_certificate_save(NULL, "x.safetensors"));
    REFUSED(ireneo_certificate_save(&empty, "x.safetensors"));
    REFUSED(ireneo_certificate_save(c, NULL));
    REFUSED(ireneo_certificate_load("x.safetensors", NULL));
    REFUSED(ireneo_certificate_load(NULL, &loaded));
    assert_null(loaded);
    ireneo_memory_free(m);
    ireneo_store_result_free(&result);
    free_instance(&it);
}

static void test_edit(void **state) {
    instance it = make_instance(1, N, N, D, D, 0);
    ireneo_memory *w = NULL, *edited = NULL, *none = NULL;
    ireneo_edit_result result;
    float numbers[] = {1e6f, 1.0f};
    double margins[N] = {-1.0};
    expect_ok(ireneo_store(&it.facts, NULL, &w, NULL, NULL));
    edited = w;
    REFUSED(ireneo_edit(w, &it.facts, NULL, NULL, NULL, NULL));
    REFUSED(ireneo_edit(NULL, &it.facts, NULL, &edited, &result, NULL));
    assert_true(edited == NULL && result.kept == NULL);
    REFUSED(ireneo_edit(w, NULL, NULL, &edited, NULL, NULL));
    const ireneo_edit_settings refused[] = {
        {.threads = -1},      {.margin = -1.0},      {.margin = NAN},   {.margins = margins},
        {.share = 2.0},       {.ridge = -1.0},       {.lambda = -1.0},  {.rule = (ireneo_edit_rule)7},
        {.protect_count = 1}, {.duality_gap = -1.0}, {.reserved = {1}}, {.rule = IRENEO_RULE_NULL_SPACE},
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
        REFUSED(ireneo_edit(w, &it.facts, &refused[k], &edited, NULL, NULL));
    expect_ok(ireneo_edit(w, &it.facts, NULL, &edited, NULL, NULL));
    ireneo_edit_result_free(NULL);
    REFUSED(ireneo_edit_difference(w, edited, 0.0, NULL));
    REFUSED(ireneo_edit_difference(NULL, edited, 0.0, &none));
    REFUSED(ireneo_edit_difference(w, edited, -1.0, &none));
    assert_null(none);
    REFUSED(ireneo_safetensors_replace(NULL, "x.safetensors", w->matrix, D, D, NULL));
    REFUSED(ireneo_safetensors_replace("x.safetensors", NULL, w->matrix, D, D, NULL));
    REFUSED(ireneo_round_to(IRENEO_DTYPE_INT64, numbers, 2));
    REFUSED(ireneo_round_to(IRENEO_DTYPE_FLOAT32, NULL, 2));
    expect_error(ireneo_round_to(IRENEO_DTYPE_FLOAT16, numbers, 2), IRENEO_ERROR_DATA, "cannot hold", "");
    (void)state;
    ireneo_memory_free(w), ireneo_memory_free(edited);
    free_instance(&it);
}

static void test_moments(void **state) {
    (void)state;
    ireneo_moments *m = NULL, *none = NULL;
    const char *const files[] = {"x.npy", NULL};
    double mean[D];
    ireneo_run_settings many = {.threads = 5000};
    expect_ok(ireneo_moments_new(D, &m));
    ireneo_moments_free(NULL);
    assert_true(ireneo_moments_dim(NULL) == 0 && ireneo_moments_count(NULL) == 0);
    REFUSED(ireneo_moments_new(D, NULL));
    none = m;
    REFUSED(ireneo_moments_new(0, &none));
    assert_null(none);
    REFUSED(ireneo_moments_add(NULL, NULL, 0, NULL));
    REFUSED(ireneo_moments_add(m, NULL, 1, NULL));
    REFUSED(ireneo_moments_add(m, NULL, 0, &many));
    REFUSED(ireneo_moments_merge(m, NULL));
    REFUSED(ireneo_moments_merge(NULL, m));
    REFUSED(ireneo_moments_merge(m, m));
    REFUSED(ireneo_moments_read(NULL, NULL, mean));
    expect_error(ireneo_moments_read(m, NULL, mean), IRENEO_ERROR_DATA, "no rows", "");
    none = m;
    REFUSED(ireneo_moments_of_files(files, 1, NULL, NULL));
    REFUSED(ireneo_moments_of_files(NULL, 1, NULL, &none));
    assert_null(none);
    REFUSED(ireneo_moments_of_files(files, 0, NULL, &none));
    REFUSED(ireneo_moments_of_files(files + 1, 1, NULL, &none));
    REFUSED(ireneo_moments_of_files(files, 1, &many, &none));
    REFUSED(ireneo_moments_describe(m, NULL));
    REFUSED(ireneo_moments_describe(NULL, &(ireneo_moments_report){0}));
    REFUSED(ireneo_moments_save(NULL, "x.safetensors"));
    REFUSED(ireneo_moments_save(m, NULL));
    REFUSED(ireneo_moments_load("x.safetensors", NULL));
    none = m;
    REFUSED(ireneo_moments_load(NULL, &none));
    assert_null(none);
    ireneo_moments_free(m);
}

static void test_layer(void **state) {
    (void)state;
    const float matrix[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    ireneo_layer_report report = {.rank = 7};
    char **names = (char **)(void *)&report;
    size_t count = 5;
    REFUSED(ireneo_layer(matrix, 2, 2, NULL, NULL, NULL, NULL));
    REFUSED(ireneo_layer(NULL, 2, 2, NULL, NULL, NULL, &report));
    assert_int_equal(report.rank, 0);
    REFUSED(ireneo_layer(matrix, 0, 2, NULL, NULL, NULL, &report));
    REFUSED(ireneo_layer(matrix, 2, 2, &(ireneo_layer_settings){.threads = 5000}, NULL, NULL, &report));
    REFUSED(ireneo_layer(matrix, 2, 2, &(ireneo_layer_settings){.reserved = {1}}, NULL, NULL, &report));
    REFUSED(ireneo_layer(matrix, 2, 2, &(ireneo_layer_settings){.share = -1.0}, NULL, NULL, &report));
    REFUSED(ireneo_tensor_names(NULL, &names, &count));
    assert_true(names == NULL && count == 0);
    REFUSED(ireneo_tensor_names("x.safetensors", NULL, &count));
    REFUSED(ireneo_tensor_names("x.safetensors", &names, NULL));
}

static void test_recall_stops(void **state) {
    (void)state;
    enum { MANY = 4096 };
    instance it = make_instance(1, N, N, D, D, 0);
    ireneo_memory *m = NULL;
    ireneo_progress stop = {stop_at_once, NULL};
    float *queries = malloc(MANY * D * sizeof *queries), *score = malloc(MANY * sizeof *score);
    int64_t *index = malloc(MANY * sizeof *index);
    expect_ok(ireneo_random_normals_float(1, 1, 0, MANY * D, 1, queries));
    expect_ok(ireneo_store(&it.facts, NULL, &m, NULL, NULL));
    expect_error(ireneo_recall(m, queries, MANY, it.values, N, 1,
                               &(ireneo_run_settings){.threads = 1, .progress = &stop}, index, score),
                 IRENEO_ERROR_CANCELLED, "", "");
    ireneo_memory_free(m);
    free(queries), free(score), free(index);
    free_instance(&it);
}

static void test_dense(void **state) {
    (void)state;
    ireneo_dense_point point = {.lambda = 1.0}, reserved = {.lambda = 1.0, .reserved = {1}};
    ireneo_dense_phases_report phases = {.alpha_1 = 7.0};
    ireneo_dense_basins_report basins = {.theta_c = 7.0};
    ireneo_dense_experiment e = {.neurons = 9, .log_patterns = 2.0, .lambda = 1.0}, bad = e;
    ireneo_dense_draw draw;
    ireneo_dense_summary summary = {.draws = 7};
    ireneo_dense_recall_info info = {.steps = 7};
    float rows[N * D] = {1.0f};
    double number = 9.0;
    bad.reserved[1] = 1;
    REFUSED(ireneo_dense_phases(&point, NULL));
    REFUSED(ireneo_dense_phases(NULL, &phases));
    assert_true(phases.alpha_1 == 0.0);
    REFUSED(ireneo_dense_phases(&reserved, &phases));
    REFUSED(ireneo_dense_basins(&point, NULL));
    REFUSED(ireneo_dense_basins(NULL, &basins));
    assert_true(basins.theta_c == 0.0);
    REFUSED(ireneo_dense_basins(&reserved, &basins));
    REFUSED(ireneo_dense_scaled(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1.0, 7.0, 10.0, &number, NULL));
    assert_true(number == 0.0);
    REFUSED(ireneo_dense_normalise(NULL, N, D));
    REFUSED(ireneo_dense_audit(NULL, N, D, NULL, &(ireneo_dense_audit_report){0}));
    REFUSED(ireneo_dense_recall(NULL, N, D, rows, 1, NULL, NULL, &info));
    assert_int_equal(info.steps, 0);
    REFUSED(ireneo_dense_recall(rows, 1, D, NULL, 1, NULL, NULL, NULL));
    REFUSED(
        ireneo_dense_recall(rows, 1, D, rows, 1, &(ireneo_dense_recall_settings){.threads = -1}, NULL, NULL));
    REFUSED(ireneo_dense_recall(rows, 1, D, rows, 1, &(ireneo_dense_recall_settings){.reserved = {1}}, NULL,
                                NULL));
    REFUSED(
        ireneo_dense_recall(rows, 1, D, rows, 1, NULL, &(ireneo_dense_recall_result){.reserved = {1}}, NULL));
    REFUSED(ireneo_dense_draw_one(&e, 0, NULL));
    REFUSED(ireneo_dense_draw_one(NULL, 0, &draw));
    REFUSED(ireneo_dense_draw_one(&bad, 0, &draw));
    REFUSED(ireneo_dense_simulate(&e, 1, NULL, NULL, NULL));
    REFUSED(ireneo_dense_simulate(NULL, 1, NULL, NULL, &summary));
    assert_int_equal(summary.draws, 0);
    REFUSED(ireneo_dense_simulate(&e, 1, &(ireneo_run_settings){.threads = 100000}, NULL, &summary));
}

static void test_attention(void **state) {
    (void)state;
    ireneo_transformer t, reserved;
    ireneo_transformer_defaults(&t);
    reserved = t;
    reserved.reserved[0] = 1;
    ireneo_attention_input input = {.beta = 1.0, .context = 100.0};
    ireneo_attention_report layer = {.entropy = 7.0};
    ireneo_attention_propagation p = {.layers = 7};
    ireneo_attention_assessment judged = {.rho = 7.0};
    ireneo_attention_trainability diagram = {.betas = 7};
    ireneo_attention_recommendation advice = {.std_query = 7.0};
    double residual = 7.0, axis[1] = {1.0};
    REFUSED(ireneo_attention_layer(&input, NULL));
    REFUSED(ireneo_attention_layer(NULL, &layer));
    assert_true(layer.entropy == 0.0);
    expect_ok(ireneo_attention_layer(&input, &layer)); /* q 0 is 1 */
    REFUSED(ireneo_transformer_preset("vit-b", NULL));
    REFUSED(ireneo_transformer_preset(NULL, &t));
    REFUSED(ireneo_transformer_preset("none", &t));
    assert_true(t.layers == 0);
    REFUSED(ireneo_transformer_set_std(NULL, NULL, 0.02, 0));
    REFUSED(ireneo_transformer_set_std(&t, "none", 0.02, 0));
    REFUSED(ireneo_transformer_set_std(&t, NULL, -1.0, 0));
    ireneo_transformer_defaults(&t);
    REFUSED(ireneo_attention_propagate(&t, NULL));
    REFUSED(ireneo_attention_propagate(NULL, &p));
    REFUSED(ireneo_attention_propagate_last(&t, 1.0, &p));
    REFUSED(ireneo_attention_propagate_last(&t, 0.0, NULL));
    assert_int_equal(p.layers, 0);
    REFUSED(ireneo_attention_propagate(&reserved, &p));
    REFUSED(ireneo_attention_critical_residual(NULL, 0.1, &residual, NULL));
    assert_true(residual == 0.0);
    REFUSED(ireneo_attention_assess(&t, NULL, NULL));
    REFUSED(ireneo_attention_assess(NULL, NULL, &judged));
    assert_true(judged.rho == 0.0);
    REFUSED(ireneo_attention_assess(&t, &(ireneo_attention_collapse_settings){.reserved = {1}}, &judged));
    REFUSED(ireneo_attention_trainability_diagram(&t, axis, 1, axis, 1, NULL, NULL));
    REFUSED(ireneo_attention_trainability_diagram(NULL, axis, 1, axis, 1, NULL, &diagram));
    assert_int_equal(diagram.betas, 0);
    REFUSED(ireneo_attention_trainability_diagram(&t, NULL, 1, axis, 1, NULL, &diagram));
    REFUSED(ireneo_attention_trainability_diagram(&t, axis, 1, NULL, 1, NULL, &diagram));
    REFUSED(ireneo_attention_trainability_diagram(
        &t, axis, 1, axis, 1, &(ireneo_attention_collapse_settings){.threads = -1}, &diagram));
    REFUSED(ireneo_attention_recommend(&t, NULL, NULL));
    REFUSED(ireneo_attention_recommend(NULL, NULL, &advice));
    assert_true(advice.std_query == 0.0);
    REFUSED(ireneo_attention_recommend(&t, &(ireneo_attention_recommend_settings){.reserved = {1}}, &advice));
}

static void test_models(void **state) {
    (void)state;
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    ireneo_block_deviations std = {0};
    ireneo_transformer_config config = {.std = 7.0};
    ireneo_attention_convention rows[IRENEO_CONVENTIONS] = {{.rho = 7.0}};
    ireneo_attention_diagnosis d = {.layers = 7};
    REFUSED(ireneo_transformer_set_deviations(NULL, &std));
    REFUSED(ireneo_transformer_set_deviations(&t, NULL));
    REFUSED(ireneo_transformer_read_config("config.json", NULL));
    REFUSED(ireneo_transformer_read_config(NULL, &config));
    assert_true(config.std == 0.0);
    REFUSED(ireneo_attention_conventions(&t, 0, NULL));
    REFUSED(ireneo_attention_conventions(NULL, 0, rows));
    assert_true(rows[0].rho == 0.0);
    REFUSED(ireneo_attention_diagnose("model.safetensors", NULL, NULL));
    REFUSED(ireneo_attention_diagnose(NULL, NULL, &d));
    assert_int_equal(d.layers, 0);
    REFUSED(ireneo_attention_diagnose("x", &(ireneo_attention_diagnose_settings){.reserved = {1}}, &d));
    REFUSED(ireneo_attention_diagnose("x", &(ireneo_attention_diagnose_settings){.near = 0.5}, &d));
    REFUSED(ireneo_attention_diagnose("x", &(ireneo_attention_diagnose_settings){.context = 1.0}, &d));
    REFUSED(
        ireneo_attention_diagnose("x", &(ireneo_attention_diagnose_settings){.collapse.reserved = {1}}, &d));
}

static void test_networks(void **state) {
    (void)state;
    ireneo_transformer t;
    expect_ok(ireneo_transformer_preset("small", &t));
    ireneo_attention_depth depths[25];
    ireneo_attention_train_report report = {.steps = 7};
    double gradient[25];
    REFUSED(ireneo_attention_gradient_depth(NULL, gradient));
    REFUSED(ireneo_attention_gradient_depth(&t, NULL));
    REFUSED(ireneo_attention_simulate(&t, NULL, NULL));
    REFUSED(ireneo_attention_simulate(NULL, NULL, depths));
    REFUSED(ireneo_attention_simulate(&t, &(ireneo_attention_simulate_settings){.threads = -1}, depths));
    REFUSED(ireneo_attention_simulate(&t, &(ireneo_attention_simulate_settings){.reserved = {1}}, depths));
    const int64_t ids[] = {1, 2};
    ireneo_attention_tokens tokens = {.ids = ids, .sequences = 1, .length = 2, .reserved = {1}};
    REFUSED(ireneo_attention_simulate(&t, &(ireneo_attention_simulate_settings){.tokens = &tokens}, depths));
    REFUSED(ireneo_attention_simulate(&t, &(ireneo_attention_simulate_settings){.positions = NAN}, depths));
    REFUSED(ireneo_attention_train_tokens(&t, &tokens, NULL, &report));
    REFUSED(ireneo_attention_train_tokens(&t, NULL, NULL, &report));
    REFUSED(ireneo_attention_train_tokens(&t, &tokens, NULL, NULL));
    REFUSED(ireneo_attention_tokens_keys(NULL, 16.0, 1, gradient));
    REFUSED(ireneo_attention_tokens_keys(&tokens, 16.0, 1, NULL));
    REFUSED(ireneo_attention_tokens_open("x", NULL, NULL));
    REFUSED(ireneo_attention_tokens_open(NULL, NULL, &tokens));
    assert_null(tokens.ids);
    REFUSED(ireneo_attention_train(&t, "text", 4, NULL, NULL));
    REFUSED(ireneo_attention_train(&t, NULL, 4, NULL, &report));
    assert_int_equal(report.steps, 0);
    REFUSED(ireneo_attention_train(NULL, "text", 4, NULL, &report));
    REFUSED(
        ireneo_attention_train(&t, "text", 4, &(ireneo_attention_train_settings){.reserved = {1}}, &report));
    REFUSED(ireneo_attention_train_file(&t, "x", NULL, NULL));
    REFUSED(ireneo_attention_train_file(&t, NULL, NULL, &report));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_releasing_nothing),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_memories),
        cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_edit),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_layer),
        cmocka_unit_test(test_recall_stops),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
