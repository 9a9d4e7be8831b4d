/* ireneo attention train: a small encoder learns to fill masked positions of a text, or a decoder what
 * follows. */
#include "attention_tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_table(const ireneo_transformer *t, const ireneo_attention_train_settings *s,
                        const ireneo_attention_train_report *r) {
    char text[40];
    print_transformer(t);
    printf("%s parameters, %zu steps of %zu sequences, rate %g (seed %llu)\n\n",
           grouped((double)r->parameters, text), s->steps, s->batch, s->rate, (unsigned long long)s->seed);
    printf("  unigram entropy         %9.4f   nats, the best loss without a look at the neighbours\n",
           r->unigram_entropy);
    if (r->diverged) {
        printf("  diverged in step        %9zu\n", r->steps);
    } else {
        printf("  training loss           %9.4f   last tenth of %zu steps\n", r->final_loss, r->steps);
        printf("  held-out loss           %9.4f   last tenth of the text\n", r->held_out_loss);
        printf("  gained over unigrams    %9.4f   nats, held out, where unigrams lose %.4f\n",
               r->held_out_unigram - r->held_out_loss, r->held_out_unigram);
        if (t->causal && !isnan(r->held_out_bigram))
            printf("  gained over bigrams     %9.4f   nats; the skips alone carry those, which lose %.4f\n",
                   r->held_out_bigram - r->held_out_loss, r->held_out_bigram);
    }
    printf("\n                            before     after   training\n");
    printf("  overlap of the input    %9.4f %9.4f\n", r->rho_0_before, r->rho_0_after);
    printf("  overlap of the output   %9.4f %9.4f   1: rank collapse\n", r->rho_before, r->rho_after);
    printf("  entropy, first layer    %9.4f %9.4f   nats\n", r->entropy_first_before, r->entropy_first_after);
    printf("  entropy, all layers     %9.4f %9.4f   0: entropy collapse\n", r->entropy_before,
           r->entropy_after);
    printf("\n  %.1f seconds\n", r->seconds);
}

static int print_as_json(const command *self, const ireneo_transformer *t, const char *path,
                         const ireneo_attention_train_settings *s, const ireneo_attention_train_report *r) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "text", path);
    write_transformer(&json, "transformer", t);
    ireneo_json_size(&json, "batch", s->batch);
    ireneo_json_number(&json, "rate", s->rate);
    ireneo_json_number(&json, "mask", s->mask);
    ireneo_json_bool(&json, "tied", s->tied != 0);
    ireneo_json_size(&json, "seed", s->seed);
    ireneo_json_size(&json, "symbols", r->symbols);
    ireneo_json_size(&json, "parameters", r->parameters);
    ireneo_json_size(&json, "steps", r->steps);
    ireneo_json_bool(&json, "diverged", r->diverged != 0);
    ireneo_json_number(&json, "unigram_entropy", r->unigram_entropy);
    ireneo_json_number(&json, "final_loss", r->final_loss);
    ireneo_json_number(&json, "held_out_loss", r->held_out_loss);
    ireneo_json_number(&json, "held_out_unigram", r->held_out_unigram);
    ireneo_json_number(&json, "held_out_bigram", r->held_out_bigram);
    ireneo_json_begin_array(&json, "losses");
    for (size_t i = 0; i < IRENEO_CURVE_POINTS; i++) ireneo_json_number(&json, NULL, r->curve[i]);
    ireneo_json_end_array(&json);
    ireneo_json_number(&json, "rho_0_before", r->rho_0_before);
    ireneo_json_number(&json, "rho_before", r->rho_before);
    ireneo_json_number(&json, "entropy_first_before", r->entropy_first_before);
    ireneo_json_number(&json, "entropy_before", r->entropy_before);
    ireneo_json_number(&json, "rho_0_after", r->rho_0_after);
    ireneo_json_number(&json, "rho_after", r->rho_after);
    ireneo_json_number(&json, "entropy_first_after", r->entropy_first_after);
    ireneo_json_number(&json, "entropy_after", r->entropy_after);
    ireneo_json_number(&json, "seconds", r->seconds);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

/* What the table of options says about the preset "small", which is trained when nothing else is asked for. */
static void tell_small(transformer_options *t) {
    static const char *const texts[][2] = {
        {"layers", "blocks of attention and MLP (default 24)"},
        {"width", "width of a token (default 64)"},
        {"heads", "attention heads, which divide the width (default 4)"},
        {"context", "tokens in a sequence (default 32)"},
        {"beta", "query-key scale (default 0.5)"},
        {"residual-attention", "strength of the skip around attention (default 2)"},
    };
    for (option *o = t->list; o->name != NULL; o++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (strcmp(o->name, texts[k][0]) == 0) o->help = texts[k][1];
}

static int run(const command *self, int argc, char **argv) {
    transformer_options t;
    ireneo_attention_train_settings settings = {
        .steps = 1000, .batch = 24, .rate = 1e-3, .mask = 0.2, .clip = 1.0, .seed = 1};
    const char *path = NULL;
    token_options text = {.padding = NAN};
    size_t threads = 0;
    bool json = false, tied = false;
    declare_transformer(&t);
    ireneo_error failed = ireneo_transformer_preset("small", &t.transformer);
    if (failed != IRENEO_OK) return report_error(self, failed);
    tell_small(&t);
    const option own[] = {
        TOKEN_OPTIONS(&text),
        COUNT("steps", &settings.steps, "S", "steps of Adam (default 1000)", 1, 1e9),
        COUNT("batch", &settings.batch, "N", "sequences a step (default 24)", 1, 1 << 16),
        NUMBER("rate", &settings.rate, "R", "largest learning rate (default 0.001)", 1e-9, 10),
        COUNT("warmup", &settings.warmup, "N", "steps until it is reached (default: a tenth)", 1, 1e9),
        NUMBER("mask", &settings.mask, "P", "share of positions an encoder predicts (default 0.2)", 1e-3,
               0.999),
        NUMBER("clip", &settings.clip, "C", "longest gradient (default 1)", 1e-9, 1e9),
        FLAG("tied", &tied, "the output matrix is that of the embeddings"),
        SEED("seed", &settings.seed, "seed of the random numbers (default 1)"),
        THREADS(&threads),
        JSON(&json),
        OPTIONS_END,
    };
    static const char *const unused[] = {"preset", "keys", "std", "rho0", "q0"};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) drop_option(&t, unused[i]);
    declare_options(&t, own);
    int outcome = parse_transformer_and_optional_word(self, argc, argv, &t, &path);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if ((path == NULL) == (text.path == NULL))
        return complain(self, EXIT_USAGE, "what is to be learned: a TEXT, or the ids of --tokens FILE?");
    outcome = open_tokens(self, &t, &text);
    if (outcome != 0) return outcome;
    settings.tied = tied;
    settings.threads = (int)threads;
    ireneo_attention_train_report report;
    catch_interrupts();
    settings.progress = start_progress();
    failed = path != NULL ? ireneo_attention_train_file(&t.transformer, path, &settings, &report)
                          : ireneo_attention_train_tokens(&t.transformer, &text.tokens, &settings, &report);
    finish_progress();
    ireneo_attention_tokens_close(&text.tokens);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (json) return print_as_json(self, &t.transformer, path != NULL ? path : text.path, &settings, &report);
    print_table(&t.transformer, &settings, &report);
    return finish_output(self, EXIT_DONE);
}

const command command_attention_train = {
    "attention train", "a small transformer learns a text, to check the trainability diagram", run, "[TEXT]",
    "Adam over the bytes of TEXT, or over token ids: linear warm-up, then a linear fall to zero. An encoder\n"
    "fills masked positions, a decoder (--causal) predicts the symbol after each of its own. The report "
    "holds\n"
    "the loss against the entropy of single symbols, and whether tokens and attention are collapsed."};
