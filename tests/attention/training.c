/* Training: it learns what can be learned, does not depend on threads, and refuses text it cannot use. */
#include "attention/network/masked_text.h"
#include "ireneo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ireneo_transformer tiny(void) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 2;
    t.width = t.mlp_width = 32;
    t.heads = 2;
    t.context = 16;
    t.beta = 0.5;
    return t;
}

/* "abcabcabc...": a masked letter follows from any neighbour. */
static void write_cycle(char *text, size_t length) {
    for (size_t i = 0; i < length; i++) text[i] = "abcd"[i % 4];
}

static void test_learns_a_cycle(void **state) {
    (void)state;
    char text[2000];
    write_cycle(text, sizeof text);
    ireneo_transformer t = tiny();
    ireneo_attention_train_settings settings = {.steps = 300, .batch = 8, .rate = 3e-3, .seed = 3};
    ireneo_attention_train_report r;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_OK);
    assert_true(fabs(r.unigram_entropy - log(4.0)) < 1e-12);
    assert_true(fabs(r.held_out_unigram - log(4.0)) < 1e-12);
    assert_int_equal(r.symbols, 4);
    assert_int_equal(r.steps, 300);
    assert_int_equal(r.diverged, 0);
    /* 4 symbols and the mask, 16 positions, 2 layers of 5 matrices and 3 biases, output matrix and bias */
    assert_int_equal(r.parameters, 5 * 32 + 16 * 32 + 2 * (5 * 32 * 32 + 3 * 32) + 4 * 32 + 4);
    print_message("first %.3f, last %.3f, held out %.3f, unigrams %.3f\n", r.curve[0], r.final_loss,
                  r.held_out_loss, r.unigram_entropy);
    assert_true(fabs(r.curve[0] - log(4.0)) < 0.2); /* starts from frequencies */
    assert_true(r.final_loss < 0.2 && r.held_out_loss < 0.2);
    assert_true(isnan(r.held_out_bigram)); /* an encoder does not see what it is asked for */
    assert_true(r.curve[IRENEO_CURVE_POINTS - 1] < r.curve[0]);
}

/* Letters without order: nothing to gain over frequencies, whatever is tried. */
static void test_learns_nothing_from_noise(void **state) {
    (void)state;
    static char text[40000];
    double uniforms[40000];
    ireneo_random_uniforms(1, 0, 0, 40000, 1, uniforms);
    for (size_t i = 0; i < sizeof text; i++) text[i] = uniforms[i] < 0.6 ? 'a' : 'b';
    ireneo_transformer t = tiny();
    ireneo_attention_train_settings settings = {.steps = 200, .batch = 8, .rate = 3e-3, .seed = 3};
    ireneo_attention_train_report r;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_OK);
    /* 800 held-out symbols have a mean loss within 4 * 0.2 / sqrt(800) = 0.03 of their expectation */
    assert_true(fabs(r.held_out_loss - 0.6730) < 0.03);
}

/* An untrained model predicts by frequencies: it loses what they lose at the same positions, whatever the
 * luck of the masks. Over the whole held-out part frequencies lose something else, by 0.1 and more here. */
/* "aabbaabb...": what follows a letter depends on the one before it, so that a decoder has to look back. The
 * first token of a sequence cannot know: log(2) / 16 = 0.043 of loss is there to stay. */
static void test_decoder_looks_back(void **state) {
    (void)state;
    char text[2000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = "aabb"[i % 4];
    ireneo_transformer t = tiny();
    t.causal = 1;
    ireneo_attention_train_settings settings = {.steps = 300, .batch = 8, .rate = 3e-3, .seed = 3};
    ireneo_attention_train_report r;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_OK);
    print_message("decoder: last %.3f, held out %.3f, unigrams %.3f\n", r.final_loss, r.held_out_loss,
                  r.held_out_unigram);
    assert_true(fabs(r.unigram_entropy - log(2.0)) < 1e-12);
    assert_true(r.held_out_loss > 0.03 && r.held_out_loss < 0.15);
    assert_true(fabs(r.held_out_bigram - log(2.0)) < 1e-3); /* pairs tell nothing here */
}

/* Letters without order: a decoder that gains anything has seen the future. */
static void test_decoder_does_not_see_the_future(void **state) {
    (void)state;
    static char text[20000];
    double uniforms[20000];
    ireneo_random_uniforms(2, 0, 0, 20000, 1, uniforms);
    for (size_t i = 0; i < sizeof text; i++) text[i] = uniforms[i] < 0.5 ? 'a' : 'b';
    ireneo_transformer t = tiny();
    t.causal = 1;
    ireneo_attention_train_settings settings = {.steps = 200, .batch = 8, .rate = 3e-3, .seed = 3};
    ireneo_attention_train_report r;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_OK);
    assert_true(r.held_out_loss > r.held_out_unigram - 0.01);
    assert_int_equal(ireneo_attention_train(&t, text, 169, &settings, &r),
                     IRENEO_ERROR_DATA); /* 10 (16 + 1) */
    assert_int_equal(ireneo_attention_train(&t, text, 170, &settings, &r), IRENEO_OK);
    assert_true(isfinite(r.held_out_loss));
}

static void test_held_out_luck_cancels(void **state) {
    (void)state;
    char text[2000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = i % 11 == 0 ? 'z' : i % 7 == 0 ? 'b' : 'a';
    ireneo_transformer t = tiny();
    double least = 1e9, most = 0.0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        ireneo_attention_train_settings settings = {.steps = 1, .batch = 8, .rate = 1e-9, .seed = seed};
        ireneo_attention_train_report r;
        assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_OK);
        assert_true(fabs(r.held_out_loss - r.held_out_unigram) < 0.05);
        least = fmin(least, r.held_out_unigram);
        most = fmax(most, r.held_out_unigram);
    }
    assert_true(most - least > 0.1);
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    char text[1000];
    write_cycle(text, sizeof text);
    ireneo_transformer t = tiny();
    t.normalisation = IRENEO_NORMALISATION_PRE;
    ireneo_attention_train_settings settings = {.steps = 12, .batch = 6, .seed = 8, .threads = 1, .tied = 1};
    ireneo_attention_train_report one, two;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &one), IRENEO_OK);
    settings.threads = 2;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &two), IRENEO_OK);
    assert_true(one.final_loss == two.final_loss && one.held_out_loss == two.held_out_loss);
    assert_true(one.rho_after == two.rho_after && one.entropy_after == two.entropy_after);
    settings.seed = 9;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &two), IRENEO_OK);
    assert_true(one.final_loss != two.final_loss);
}

static void test_refusals(void **state) {
    (void)state;
    char text[1000];
    ireneo_attention_train_report r;
    ireneo_transformer t = tiny();
    write_cycle(text, sizeof text);
    assert_int_equal(ireneo_attention_train(&t, text, 0, NULL, &r), IRENEO_ERROR_DATA);
    assert_int_equal(ireneo_attention_train(&t, text, 159, NULL, &r), IRENEO_ERROR_DATA);
    memset(text, 'x', sizeof text);
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, NULL, &r), IRENEO_ERROR_DATA);
    write_cycle(text, sizeof text);
    assert_int_equal(ireneo_attention_train_file(&t, "/nonexistent/text", NULL, &r), IRENEO_ERROR_IO);
    ireneo_attention_train_settings settings = {.rate = -1.0};
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_ERROR_ARGUMENT);
    settings = (ireneo_attention_train_settings){.mask = 1.5};
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_ERROR_ARGUMENT);
    settings = (ireneo_attention_train_settings){.steps = 10, .warmup = 10};
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, &settings, &r), IRENEO_ERROR_ARGUMENT);
    t.heads = 5;
    assert_int_equal(ireneo_attention_train(&t, text, sizeof text, NULL, &r), IRENEO_ERROR_ARGUMENT);
}

static void test_masks(void **state) {
    (void)state;
    static unsigned char bytes[10000];
    static int tokens[10000], targets[10000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)("zay"[i % 3]);
    ireneo_text text;
    assert_int_equal(ireneo_text_read(bytes, sizeof bytes, 100, "text", &text), IRENEO_OK);
    assert_int_equal(text.distinct, 3);
    assert_int_equal(text.symbols[0], 2); /* numbered by byte: a y z */
    assert_int_equal(text.symbols[1], 0);
    assert_int_equal(text.training, 9000);
    ireneo_text_mask(&text, 0, sizeof bytes, 0.3, 4, 5, tokens, targets);
    size_t hidden = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (targets[i] >= 0) {
            assert_int_equal(tokens[i], 3);
            assert_int_equal(targets[i], text.symbols[i]);
            hidden++;
        } else {
            assert_int_equal(tokens[i], text.symbols[i]);
        }
    }
    assert_true(hidden > 2770 && hidden < 3230); /* 5 standard deviations */
    ireneo_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns_a_cycle),
        cmocka_unit_test(test_learns_nothing_from_noise),
        cmocka_unit_test(test_decoder_looks_back),
        cmocka_unit_test(test_decoder_does_not_see_the_future),
        cmocka_unit_test(test_held_out_luck_cancels),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
