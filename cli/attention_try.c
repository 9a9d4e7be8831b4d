/* ireneo attention recommend --try TEXT: the recommended scales and rate, trained in small. */
#include "attention_try.h"
#include "attention.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Nats on held-out text, ten times what networks that learn nothing scatter by. */
static const double LEARNED = 0.03;
enum { DEEPEST = 60, WIDTH = 64, HEADS = 4, TOKENS = 32, SEQUENCES = 12 };
static const double EMBEDDED_RHO = 0.04; /* of the trainer's embeddings */

typedef struct trial {
    ireneo_attention_recommendation recommended; /* for the small version */
    ireneo_attention_train_settings settings;
    ireneo_attention_train_report report;
    double gain; /* over what needs no look at other tokens */
    bool learned;
} trial;

/* The same blocks, narrower, on shorter texts, and no deeper than a minute or two allow. */
static ireneo_transformer in_small(const ireneo_transformer *t) {
    ireneo_transformer small = *t;
    size_t ratio = t->mlp_width > t->width ? (t->mlp_width + t->width / 2) / t->width : 1;
    small.layers = t->layers < DEEPEST ? t->layers : DEEPEST;
    small.width = WIDTH;
    small.heads = HEADS;
    small.key_heads = small.head_width = 0;
    small.mlp_width = WIDTH * (ratio < 4 ? ratio : 4);
    small.context = TOKENS;
    small.keys = 0.0;
    small.rho_0 = EMBEDDED_RHO;
    small.q_0 = 1.0;
    return small;
}

static ireneo_error learn(const char *text, const ireneo_transformer *architecture,
                          const ireneo_attention_recommend_settings *settings, size_t steps, trial *t) {
    ireneo_transformer small = in_small(architecture);
    ireneo_attention_recommend_settings plain = *settings;
    plain.no_output_projection = 1;
    ireneo_error failed = ireneo_attention_recommend(&small, &plain, &t->recommended);
    if (failed != IRENEO_OK) return failed;
    t->settings = (ireneo_attention_train_settings){.steps = steps,
                                                    .batch = SEQUENCES,
                                                    .rate = t->recommended.assessment.safe_rate,
                                                    .seed = 1,
                                                    .progress = start_progress()};
    failed = ireneo_attention_train_file(&t->recommended.transformer, text, &t->settings, &t->report);
    finish_progress();
    if (failed != IRENEO_OK) return failed;
    double alone = architecture->causal ? t->report.held_out_bigram : t->report.held_out_unigram;
    t->gain = alone - t->report.held_out_loss;
    t->learned = !t->report.diverged && t->gain > LEARNED;
    return IRENEO_OK;
}

static void print_trial(const char *text, const ireneo_transformer *architecture, const trial *t) {
    const ireneo_transformer *small = &t->recommended.transformer;
    printf("\nTried in small on %s, recommended anew for this size: ", text);
    print_transformer(small);
    printf("%zu steps of %zu sequences at the largest safe rate, %.2g", t->report.steps, t->settings.batch,
           t->settings.rate);
    if (small->layers < architecture->layers)
        printf("; %zu of %zu layers", small->layers, architecture->layers);
    printf("\n\n  gained over %s %9.4f   nats on held-out text: %s (%.2f counts)\n",
           architecture->causal ? "bigrams " : "unigrams", t->gain,
           t->learned           ? "it learned"
           : t->report.diverged ? "it diverged"
                                : "it did not learn",
           LEARNED);
    if (!t->learned && t->settings.steps < 1000)
        printf("  %zu steps are few; --steps 1000 is the default\n", t->settings.steps);
    printf("  %.1f seconds\n", t->report.seconds);
}

static void write_trial(ireneo_json *json, const char *text, const trial *t) {
    ireneo_json_begin_object(json, "try");
    ireneo_json_text(json, "text", text);
    write_transformer(json, "transformer", &t->recommended.transformer);
    ireneo_json_number(json, "rate", t->settings.rate);
    ireneo_json_size(json, "steps", t->report.steps);
    ireneo_json_size(json, "batch", t->settings.batch);
    ireneo_json_number(json, "held_out_loss", t->report.held_out_loss);
    ireneo_json_number(json, "held_out_unigram", t->report.held_out_unigram);
    ireneo_json_number(json, "held_out_bigram", t->report.held_out_bigram);
    ireneo_json_number(json, "gain", t->gain);
    ireneo_json_bool(json, "learned", t->learned);
    ireneo_json_number(json, "seconds", t->report.seconds);
    ireneo_json_end_object(json);
}

int check_text(const command *self, const char *text) {
    FILE *stream = fopen(text, "rb");
    if (stream == NULL) return complain(self, EXIT_MACHINE, "cannot open %s: %s", text, strerror(errno));
    fclose(stream);
    return 0;
}

int try_recommendation(const command *self, const char *text, const ireneo_transformer *architecture,
                       const ireneo_attention_recommend_settings *settings, size_t steps, ireneo_json *json) {
    trial t = {.gain = NAN};
    catch_interrupts();
    ireneo_error failed = learn(text, architecture, settings, steps, &t);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (json != NULL)
        write_trial(json, text, &t);
    else
        print_trial(text, architecture, &t);
    return t.learned ? EXIT_DONE : EXIT_NO;
}
