/* ireneo attention recommend: initial scales that keep away from both collapses, and the rate they bear. */
#include "attention_reasons.h"
#include "attention_snippet.h"
#include "attention_try.h"
#include "base/text_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_TRIED = 128 }; /* of the runs that limits of rates are from */

typedef struct recommend_question {
    transformer_options transformer;
    ireneo_attention_recommend_settings settings;
    const char *tune, *style, *text;
    size_t steps; /* of the trial on that text */
    bool json;
} recommend_question;

static void print_assessment(const ireneo_transformer *t, const ireneo_attention_assessment *a) {
    double keys = t->keys > 0.0 ? t->keys : t->context;
    double gain =
        t->query_key_norm > 0.0 ? sqrt(log(t->context)) : 0.0; /* of a norm, over the beta it amounts to */
    printf("  %-25s %9.4g   entropy collapse at %.4g: margin %.3g\n", gain > 0.0 ? "gain of QK-norm" : "beta",
           gain > 0.0 ? t->query_key_norm : t->beta, gain > 0.0 ? gain * a->beta_line : a->beta_line,
           a->beta_margin);
    printf("  attention residual        %9.4g   rank collapse at %.4g: margin %.3g\n", t->residual_attention,
           a->residual_line, a->residual_margin);
    printf("  similarity after layer %-3zu %8.4f   from %.4g at the input (T to inf: %.4f)%s\n", t->layers,
           a->rho, t->rho_0, a->rho_limit, t->causal ? "; last quarter of the rows" : "");
    printf("  first layer's entropy     %9.4g   nats of log T = %.4g; participation %.3g%s\n", a->entropy,
           log(keys), a->participation, t->causal ? "; last row" : "");
    printf("  query gradient            %9.3g   relative to the width, see 'attention layer'\n", a->gradient);
    if (!isnan(a->growth)) {
        printf("  growth of gradients       %9.3g   from the last layer to the first, squared; %g explodes\n",
               a->growth, usual_growth_limit(t));
        if (isnan(a->safe_rate))
            printf("  largest safe rate                 -   not known for this kind of block\n");
        else
            printf("  largest safe rate         %9.2g   of Adam, by what one step changes%s\n", a->safe_rate,
                   t->width > WIDEST_TRIED ? "; tried up to width 128" : "");
    }
    printf("  verdict                   %s\n", a->rate_too_large      ? "the rate is too large"
                                               : a->gradients_explode ? "gradients explode"
                                               : a->rank_collapse && a->entropy_collapse
                                                   ? "rank and entropy collapse"
                                               : a->rank_collapse    ? "rank collapse"
                                               : a->entropy_collapse ? "entropy collapse"
                                                                     : "neither collapse");
}

/* What embeddings are multiplied with, as Gemma does by the root of the width. */
static double enlarged(const ireneo_transformer *given, const ireneo_attention_recommendation *r) {
    return sqrt(r->transformer.q_0 / given->q_0);
}

static void print_enlarged(FILE *out, const ireneo_transformer *given,
                           const ireneo_attention_recommendation *r) {
    if (enlarged(given, r) > 1.0)
        fprintf(out, "# and once, before the first block: x = %.5g * embedding\n", enlarged(given, r));
}

static void print_deviations(const ireneo_transformer *given, const ireneo_attention_recommendation *r) {
    printf("  std of W_Q and W_K        %9.5g\n  std of W_V                %9.5g\n", r->std_query,
           r->std_value);
    if (r->std_output > 0.0) printf("  std of W_O                %9.5g\n", r->std_output);
    printf("  std of the MLP's W_1      %9.5g\n  std of the MLP's W_2      %9.5g\n", r->std_mlp_in,
           r->std_mlp_out);
    printf("  residual strengths        %9.5g   attention, %.5g MLP; biases zero\n",
           r->transformer.residual_attention, r->transformer.residual_mlp);
    if (r->transformer.branch_gain > 0.0)
        printf("  gain of the branches' norms %7.5g\n", r->transformer.branch_gain);
    if (enlarged(given, r) > 1.0)
        printf("  factor on the embeddings  %9.5g   tokens enter with mean square %.3g instead of %.3g\n",
               enlarged(given, r), r->transformer.q_0, given->q_0);
}

void write_assessment(ireneo_json *json, const char *key, const ireneo_attention_assessment *a) {
    ireneo_json_begin_object(json, key);
    ireneo_json_number(json, "rho", a->rho);
    ireneo_json_number(json, "rho_limit", a->rho_limit);
    ireneo_json_number(json, "entropy", a->entropy);
    ireneo_json_number(json, "participation", a->participation);
    ireneo_json_number(json, "gradient", a->gradient);
    ireneo_json_number(json, "beta_line", a->beta_line);
    ireneo_json_number(json, "beta_line_limit", a->beta_line_limit);
    ireneo_json_number(json, "beta_margin", a->beta_margin);
    ireneo_json_number(json, "residual_line", a->residual_line);
    ireneo_json_number(json, "residual_line_limit", a->residual_line_limit);
    ireneo_json_number(json, "residual_margin", a->residual_margin);
    ireneo_json_bool(json, "rank_collapse", a->rank_collapse != 0);
    ireneo_json_bool(json, "entropy_collapse", a->entropy_collapse != 0);
    ireneo_json_number(json, "growth", a->growth);
    ireneo_json_number(json, "update", a->update);
    ireneo_json_number(json, "safe_rate", a->safe_rate);
    ireneo_json_bool(json, "gradients_explode", a->gradients_explode != 0);
    ireneo_json_bool(json, "trainable", a->trainable != 0);
    reasons r = reasons_of_assessment(a);
    write_reasons(json, &r);
    ireneo_json_end_object(json);
}

/* Whether the weights as they are drawn now are well inside: a factor of ten from alike tokens and from
 * exploding gradients or, where those have no law, of two from entropy collapse. */
static bool well_inside(const ireneo_attention_assessment *a, const ireneo_attention_collapse_settings *s) {
    double rank_limit = s->rank_limit > 0.0 ? s->rank_limit : 0.001;
    bool calm = isnan(a->growth) ? a->beta_margin >= 2.0 : a->growth <= 100.0;
    return a->trainable && calm && 1.0 - a->rho >= 10.0 * rank_limit;
}

static void print_back(FILE *out, const ireneo_attention_recommendation *r, snippet_style style) {
    (void)style;
    print_options(out, &r->transformer);
}

/* What a function prints, as text that the caller frees; NULL without memory. */
static char *write_text(const ireneo_attention_recommendation *r, snippet_style style,
                        void (*print)(FILE *, const ireneo_attention_recommendation *, snippet_style)) {
    ireneo_text text;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return NULL;
    print(stream, r, style);
    if (ireneo_text_close(stream, &text)) return text.bytes;
    free(text.bytes);
    return NULL;
}

static const conventions_table *others;

void set_conventions_table(const conventions_table *table) {
    others = table;
}

/* What others do begins at the embeddings as they are. */
static ireneo_attention_recommendation before_enlarging(const ireneo_transformer *given,
                                                        const ireneo_attention_recommendation *r) {
    ireneo_attention_recommendation plain = *r;
    plain.transformer.q_0 = given->q_0;
    return plain;
}

/* The style that was asked for, or that of the model, or one that the MLP goes with. */
static snippet_style choose_style(const recommend_question *q) {
    const char *word = q->style != NULL ? q->style : q->transformer.model;
    if (word != NULL && (q->style != NULL || snippet_style_of(word) != SNIPPET_TORCH))
        return snippet_style_of(word);
    return q->transformer.transformer.activation >= IRENEO_ACTIVATION_REGLU ? SNIPPET_LLAMA : SNIPPET_TORCH;
}

static int print_report(const command *self, const recommend_question *q,
                        const ireneo_attention_recommendation *r, const ireneo_attention_assessment *before) {
    const ireneo_transformer *given = &q->transformer.transformer;
    snippet_style style = choose_style(q);
    char *snippet = write_text(r, style, print_snippet), *options = write_text(r, style, print_back);
    if (snippet == NULL || options == NULL) {
        free(snippet);
        free(options);
        return complain(self, EXIT_MACHINE, "not enough memory");
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    if (before != NULL) {
        write_transformer(&json, "given", given);
        write_assessment(&json, "given_assessment", before);
        ireneo_json_bool(&json, "unchanged", well_inside(before, &q->settings.collapse));
    }
    write_transformer(&json, "transformer", &r->transformer);
    write_assessment(&json, "assessment", &r->assessment);
    ireneo_json_number(&json, "std_query", r->std_query);
    ireneo_json_number(&json, "std_key", r->std_key);
    ireneo_json_number(&json, "std_value", r->std_value);
    ireneo_json_number(&json, "std_output", r->std_output);
    ireneo_json_number(&json, "std_mlp_in", r->std_mlp_in);
    ireneo_json_number(&json, "std_mlp_out", r->std_mlp_out);
    ireneo_json_number(&json, "branch_scale", r->branch_scale);
    ireneo_json_number(&json, "embedding_factor", enlarged(given, r));
    ireneo_attention_recommendation plain = before_enlarging(given, r);
    if (others != NULL) others->write(&json, &plain, &q->settings);
    ireneo_json_number(&json, "safe_rate", r->assessment.safe_rate);
    ireneo_json_text(&json, "options", options);
    ireneo_json_text(&json, "pytorch", snippet);
    free(snippet);
    free(options);
    int outcome =
        q->text != NULL ? try_recommendation(self, q->text, given, &q->settings, q->steps, &json) : EXIT_DONE;
    if (outcome > EXIT_NO) return outcome;
    ireneo_json_end_object(&json);
    return print_json(self, &json, outcome);
}

static void print_given(const recommend_question *q, const ireneo_attention_assessment *before) {
    const ireneo_transformer *given = &q->transformer.transformer;
    printf("As given: ");
    print_transformer(given);
    printf("\n");
    print_assessment(given, before);
    if (well_inside(before, &q->settings.collapse))
        printf("\nNothing needs to change. What follows is for weights that are drawn anew all the same.\n");
    printf("\n");
}

static int print_text(const command *self, const recommend_question *q,
                      const ireneo_attention_recommendation *r, const ireneo_attention_assessment *before) {
    if (before != NULL) print_given(q, before);
    printf("Recommended: ");
    print_transformer(&r->transformer);
    printf("\n");
    print_deviations(&q->transformer.transformer, r);
    printf("\n");
    print_assessment(&r->transformer, &r->assessment);
    ireneo_attention_recommendation plain = before_enlarging(&q->transformer.transformer, r);
    if (others != NULL) others->print(&plain, &q->settings);
    printf(
        "\nTo follow it through the layers, give these options to 'attention propagate' or 'simulate':\n  ");
    print_options(stdout, &r->transformer);
    printf("\n\n");
    print_snippet(stdout, r, choose_style(q));
    print_enlarged(stdout, &q->transformer.transformer, r);
    if (q->text == NULL) return finish_output(self, EXIT_DONE);
    fflush(stdout);
    int outcome =
        try_recommendation(self, q->text, &q->transformer.transformer, &q->settings, q->steps, NULL);
    return outcome > EXIT_NO ? outcome : finish_output(self, outcome);
}

/* Whether the command line says how the weights are drawn now. */
static bool weights_given(const transformer_options *t) {
    static const char *const names[] = {"preset",
                                        "config",
                                        "std",
                                        "beta",
                                        "value-variance",
                                        "weight-variance",
                                        "mlp-in-variance",
                                        "mlp-out-variance",
                                        "residual-attention",
                                        "residual",
                                        "residual-mlp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (was_given(t, names[i])) return true;
    return false;
}

static int run(const command *self, int argc, char **argv) {
    recommend_question q = {.steps = 1000};
    transformer_options *t = &q.transformer;
    ireneo_attention_recommend_settings *s = &q.settings;
    declare_transformer(t);
    const option own[] = {
        CHOICE("tune", &q.tune, "branches|skips",
               "shrink branches or strengthen skips alone (post-LN: both)"),
        NUMBER("beta-margin", &s->beta_margin, "M", "beta this many times below entropy collapse (default 7)",
               1, 1e6),
        NUMBER("retention", &s->retention, "S", "share of 1 - rho left at the end (default 0.99)", 1e-6,
               0.999),
        NUMBER("rank-limit", &s->collapse.rank_limit, "E", "rank collapse is 1 - rho below E (default 0.001)",
               1e-12, 0.999),
        NUMBER("entropy-limit", &s->collapse.entropy_limit, "F",
               "entropy collapse is below F log T (default 1/3)", 1e-6, 0.999),
        NUMBER("rate", &s->collapse.rate, "R", "judges this learning rate of Adam, too", 1e-9, 10),
        FLAG("no-projection", &t->no_projection, "attention has no output projection W_O"),
        CHOICE("style", &q.style, "torch|bert|gpt2|timm|llama|gemma",
               "whose names the PyTorch code uses (default: the model's); bert: also ViT, llama: also Qwen "
               "and OLMo"),
        TEXT("try", &q.text, "TEXT", "trains the small version on this text, to prove it"),
        COUNT("steps", &q.steps, "N", "steps of that training (default 1000)", 1, 1e9),
        JSON(&q.json),
        OPTIONS_END,
    };
    declare_options(t, own);
    int outcome = parse_transformer(self, argc, argv, t);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (was_given(t, "steps") && q.text == NULL)
        return complain(self, EXIT_USAGE, "--steps are those of --try: name a text to train on");
    s->tune_skips = q.tune == NULL ? 0 : strcmp(q.tune, "skips") == 0 ? 1 : -1;
    s->no_output_projection = t->no_projection;
    if (snippet_is_gated(choose_style(&q)) != (t->transformer.activation >= IRENEO_ACTIVATION_REGLU))
        return complain(self, EXIT_USAGE,
                        "models of --style %s have %s gate in their MLP, so %s does not go with it",
                        q.style != NULL ? q.style : t->model, snippet_is_gated(choose_style(&q)) ? "a" : "no",
                        ireneo_activation_name(t->transformer.activation));
    ireneo_attention_recommendation r;
    ireneo_attention_assessment before;
    bool given = weights_given(t);
    ireneo_error failed = ireneo_attention_recommend(&t->transformer, s, &r);
    if (failed == IRENEO_OK && given)
        failed = ireneo_attention_assess(&t->transformer, &s->collapse, &before);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (q.text != NULL && isnan(r.assessment.safe_rate))
        return complain(self, EXIT_USAGE,
                        "--try needs a learning rate, and none is known to be safe for %s-LN; choose one "
                        "with 'attention train --rate'",
                        ireneo_normalisation_name(r.transformer.normalisation));
    if (q.text != NULL) outcome = check_text(self, q.text);
    if (outcome != 0) return outcome;
    const ireneo_attention_assessment *now = given ? &before : NULL;
    return q.json ? print_report(self, &q, &r, now) : print_text(self, &q, &r, now);
}

const command command_attention_recommend = {
    "attention recommend", "initial scales of all weights, and the largest learning rate, that train", run,
    "",
    "Give the architecture, or --preset bert-base, gpt2-small or vit-b to see what its usual initialisation "
    "does\n"
    "and what is recommended instead. Tokens of LayerNorm'ed embeddings have --q0 1; --rho0 is how alike "
    "they are."};
