/* Text as token ids: files, padding, windows, and what networks make of them. */
#include "attention/network/token_ids.h"
#include "ireneo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static ireneo_attention_tokens table(const int64_t *ids, size_t sequences, size_t length) {
    return (ireneo_attention_tokens){.ids = ids, .sequences = sequences, .length = length};
}

static ireneo_transformer network(double context) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 2;
    t.width = 512;
    t.mlp_width = 64;
    t.context = context;
    t.beta = 2.0;
    return t;
}

/* Padding goes wherever it stands, rows are cut into whole windows, and a short row is one itself. */
static void test_windows(void **state) {
    (void)state;
    const int64_t ids[] = {-1, 1,  2,  -7,     3, 4, 5,  /**/ 6, -1, -1, -1,
                           -1, -1, -1, /**/ 8, 9, 8, -1, -1,     -1, -1};
    const ireneo_attention_tokens tokens = table(ids, 3, 7);
    ireneo_token_windows w;
    assert_int_equal(ireneo_token_windows_cut(&tokens, 2, &w), IRENEO_OK);
    assert_int_equal(w.count, 3); /* 1 2, 3 4, 8 9; the 5, the lone 6 and the last 8 fill no window */
    const int32_t pairs[] = {1, 2, 3, 4, 8, 9};
    assert_memory_equal(w.ids, pairs, sizeof pairs);
    assert_int_equal(w.longest, 2);
    ireneo_token_windows_free(&w);
    assert_int_equal(ireneo_token_windows_cut(&tokens, 100, &w), IRENEO_OK);
    assert_int_equal(w.count, 2);
    assert_int_equal(w.starts[1], 5);
    assert_int_equal(w.starts[2], 8);
    assert_int_equal(w.longest, 5);
    ireneo_token_windows_free(&w);
    double keys = 0.0;
    assert_int_equal(ireneo_attention_tokens_keys(&tokens, 100.0, 3, &keys), IRENEO_OK);
    assert_true(fabs(keys - (5 + 3 + 5) / 3.0) < 1e-12); /* the third draw begins again */
    const int64_t alone[] = {3, -1, -1, 4};
    const ireneo_attention_tokens lone = table(alone, 2, 2);
    assert_int_equal(ireneo_token_windows_cut(&lone, 8, &w), IRENEO_ERROR_DATA);
}

/* Equal ids are equal vectors: overlaps of the input are the share of equal pairs, and half of it when vectors of positions of the same
 * length are added. 20 draws at width 512: one standard error is below 0.002; 5 of them are allowed. */
static void test_overlap_comes_from_the_text(void **state) {
    (void)state;
    const int64_t ids[] = {4, 9, 4, 7, 4, 9, 11, 4}; /* 4: 12 of 56 ordered pairs, 9: 2 */
    const ireneo_attention_tokens tokens = table(ids, 1, 8);
    ireneo_transformer t = network(64.0);
    ireneo_attention_depth depths[3];
    ireneo_attention_simulate_settings settings = {
        .draws = 20, .seed = 3, .forward_only = 1, .tokens = &tokens, .positions = -1.0};
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_true(fabs(depths[0].rho.mean - 14.0 / 56.0) < 0.01);
    assert_true(depths[0].q.mean > 0.99 && depths[0].q.mean < 1.01);
    settings.positions = 0.0; /* as long as those of ids */
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_true(fabs(depths[0].rho.mean - 7.0 / 56.0) < 0.01);
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.q_0 = 4.0;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_true(fabs(depths[0].q.mean - 4.0) < 0.01);
}

static double distance(const ireneo_attention_depth *a, const ireneo_attention_depth *b, size_t count) {
    const double *x = (const double *)a, *y = (const double *)b;
    double most = 0.0;
    for (size_t i = 0; i < count * sizeof *a / sizeof *x; i++)
        if (!(isnan(x[i]) && isnan(y[i])))
            most = fmax(most, isnan(x[i]) || isnan(y[i]) ? 1.0 : fabs(x[i] - y[i]));
    return most;
}

/* Padding changes nothing at all, forward and back, encoder and decoder: it is no key, no query and in no mean. */
static void test_padding_is_not_there(void **state) {
    (void)state;
    const int64_t plain[] = {4, 9, 5, 7, 4, 2}, padded[] = {-1, 4, 9, -1, -1, 5, 7, 4, -1, 2, -1, -1};
    const ireneo_attention_tokens a = table(plain, 1, 6), b = table(padded, 1, 12);
    ireneo_transformer t = network(64.0);
    for (t.causal = 0; t.causal < 2; t.causal++) {
        ireneo_attention_depth first[3], second[3];
        ireneo_attention_simulate_settings settings = {.draws = 3, .seed = 3, .tokens = &a};
        assert_int_equal(ireneo_attention_simulate(&t, &settings, first), IRENEO_OK);
        settings.tokens = &b;
        assert_int_equal(ireneo_attention_simulate(&t, &settings, second), IRENEO_OK);
        assert_true(distance(first, second, 3) == 0.0);
        assert_true(first[1].gradient_query.mean > 0.0);
    }
}

/* Rows see the tokens that are there, through weights scaled for the context: the exact law with that many keys. Different ids without
 * positions have overlap 0. 3 standard errors, and what a width of 512 biases. */
static void test_weights_keep_their_scale(void **state) {
    (void)state;
    int64_t ids[96];
    for (int i = 0; i < 96; i++) ids[i] = i;
    const ireneo_attention_tokens tokens = table(ids, 1, 96);
    ireneo_transformer t = network(4096.0);
    ireneo_attention_depth depths[3];
    ireneo_attention_simulate_settings settings = {
        .draws = 10, .seed = 6, .forward_only = 1, .tokens = &tokens};
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    ireneo_attention_input input = {.beta = t.beta, .context = t.context, .keys = 96.0, .q = 1.0};
    ireneo_attention_report law;
    assert_int_equal(ireneo_attention_layer(&input, &law), IRENEO_OK);
    print_message("Y2 %.4f(%.0f), law %.4f\n", depths[1].participation.mean,
                  1e4 * depths[1].participation.error, law.participation);
    assert_true(fabs(depths[1].participation.mean - law.participation) <
                3.0 * depths[1].participation.error + 0.01);
    input.context = 96.0; /* were they scaled for the tokens that are there, Y2 would be another one */
    assert_int_equal(ireneo_attention_layer(&input, &law), IRENEO_OK);
    assert_true(fabs(depths[1].participation.mean - law.participation) > 0.05);
}

/* Only the last tokens: two equal ones are alike to rounding, whatever came before them. */
static void test_last_tokens(void **state) {
    (void)state;
    const int64_t ids[] = {1, 2, 3, 4, 5, 6, 6};
    const ireneo_attention_tokens tokens = table(ids, 1, 7);
    ireneo_transformer t = network(64.0);
    ireneo_attention_depth depths[3], all[3];
    ireneo_attention_simulate_settings settings = {
        .draws = 2, .seed = 3, .forward_only = 1, .tokens = &tokens, .positions = -1.0, .last = 2};
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    for (size_t l = 0; l < 3; l++) assert_true(fabs(depths[l].rho.mean - 1.0) < 1e-5);
    settings.last = 0;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, all), IRENEO_OK);
    assert_true(all[0].rho.mean < 0.2);
    settings.last = 7;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_true(fabs(depths[2].rho.mean - all[2].rho.mean) < 1e-12);
    assert_true(fabs(depths[2].entropy.mean - all[2].entropy.mean) < 1e-6);
    settings.last = 1;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_ERROR_ARGUMENT);
}

/* A text as bytes and as ids, with gaps between the ids and padding among them, is the same text. */
static void test_training_on_ids(void **state) {
    (void)state;
    enum { LENGTH = 600 };
    char text[LENGTH];
    int64_t ids[2 * LENGTH];
    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = "abcd"[(7 * i + i / 5) % 4];
        ids[2 * i] = 1000000 + 37 * (text[i] - 'a');
        ids[2 * i + 1] = -1;
    }
    const ireneo_attention_tokens tokens = table(ids, 6, 2 * LENGTH / 6);
    ireneo_transformer t = network(16.0);
    t.width = t.mlp_width = 16;
    ireneo_attention_train_settings settings = {.steps = 20, .batch = 4, .seed = 3, .threads = 1};
    ireneo_attention_train_report bytes, numbers;
    assert_int_equal(ireneo_attention_train(&t, text, LENGTH, &settings, &bytes), IRENEO_OK);
    assert_int_equal(ireneo_attention_train_tokens(&t, &tokens, &settings, &numbers), IRENEO_OK);
    assert_int_equal(numbers.symbols, 4);
    assert_true(bytes.final_loss == numbers.final_loss && bytes.held_out_loss == numbers.held_out_loss);
    assert_true(bytes.unigram_entropy == numbers.unigram_entropy);
    const ireneo_attention_tokens few = table(ids, 1, 100);
    assert_int_equal(ireneo_attention_train_tokens(&t, &few, &settings, &numbers), IRENEO_ERROR_DATA);
    for (size_t i = 0; i < 2 * LENGTH; i++) ids[i] = 5;
    assert_int_equal(ireneo_attention_train_tokens(&t, &tokens, &settings, &numbers), IRENEO_ERROR_DATA);
    for (size_t i = 0; i < 2 * LENGTH; i++) ids[i] = -5;
    assert_int_equal(ireneo_attention_train_tokens(&t, &tokens, &settings, &numbers), IRENEO_ERROR_DATA);
}

/* ---- files ---- */

static ireneo_error open_saved(ireneo_dtype dtype, int axes, const size_t *shape, const void *data,
                               const int64_t *padding, ireneo_attention_tokens *tokens) {
    char path[] = "/tmp/ireneo-tokens-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(ireneo_save_npy(path, dtype, axes, shape, data), IRENEO_OK);
    ireneo_error outcome = ireneo_attention_tokens_open(path, padding, tokens);
    unlink(path);
    return outcome;
}

static void test_files(void **state) {
    (void)state;
    const int16_t ids[] = {3, 0, -1, 5, 7, -2};
    const size_t stream[] = {6}, rows[] = {2, 3}, cube[] = {1, 2, 3};
    ireneo_attention_tokens tokens;
    assert_int_equal(open_saved(IRENEO_DTYPE_INT16, 1, stream, ids, NULL, &tokens), IRENEO_OK);
    assert_int_equal(tokens.sequences, 1);
    assert_int_equal(tokens.length, 6);
    assert_int_equal(tokens.ids[5], -1);
    ireneo_attention_tokens_close(&tokens);
    assert_null(tokens.ids);
    assert_int_equal(open_saved(IRENEO_DTYPE_INT16, 2, rows, ids, NULL, &tokens), IRENEO_OK);
    assert_int_equal(tokens.sequences, 2);
    assert_int_equal(tokens.ids[3], 5);
    ireneo_attention_tokens_close(&tokens);
    const int64_t zero = 0;
    assert_int_equal(open_saved(IRENEO_DTYPE_INT16, 2, rows, ids, &zero, &tokens), IRENEO_ERROR_DATA);
    assert_non_null(strstr(ireneo_last_error(), "row 0, column 2"));
    assert_null(tokens.ids);
    assert_int_equal(open_saved(IRENEO_DTYPE_INT16, 3, cube, ids, NULL, &tokens), IRENEO_ERROR_DATA);
    const size_t none[] = {0};
    assert_int_equal(open_saved(IRENEO_DTYPE_INT16, 1, none, ids, NULL, &tokens), IRENEO_ERROR_DATA);
    const float numbers[] = {1.0f, 2.0f};
    const size_t two[] = {2};
    assert_int_equal(open_saved(IRENEO_DTYPE_FLOAT32, 1, two, numbers, NULL, &tokens), IRENEO_ERROR_DATA);
    const int64_t large[] = {1, (int64_t)1 << 31};
    assert_int_equal(open_saved(IRENEO_DTYPE_INT64, 1, two, large, NULL, &tokens), IRENEO_ERROR_DATA);
    assert_non_null(strstr(ireneo_last_error(), "column 1"));
    const uint64_t larger[] = {1, UINT64_MAX};
    assert_int_equal(open_saved(IRENEO_DTYPE_UINT64, 1, two, larger, NULL, &tokens), IRENEO_ERROR_DATA);
    const int64_t beyond[] = {1, (int64_t)1 << 40};
    const ireneo_attention_tokens by_hand = table(beyond, 1, 2);
    ireneo_transformer t = network(16.0);
    ireneo_attention_depth depths[3];
    ireneo_attention_simulate_settings settings = {.draws = 1, .tokens = &by_hand};
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_ERROR_DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_overlap_comes_from_the_text),
        cmocka_unit_test(test_padding_is_not_there),
        cmocka_unit_test(test_weights_keep_their_scale),
        cmocka_unit_test(test_last_tokens),
        cmocka_unit_test(test_training_on_ids),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
