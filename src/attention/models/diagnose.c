/* Where the weights of a model on disk stand on the diagram. */
#include "attention/models/embedding.h"
#include "attention/models/measured_model.h"
#include "attention/models/tensor_scan.h"
#include "attention/theory/block.h"
#include "attention/theory/transformer.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/safetensors.h"
#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct patient {
    ireneo_measured_model model;
    ireneo_attention_diagnose_settings settings;
    ireneo_attention_diagnosis *diagnosis;
} patient;

/* What the diagnosis keeps until it is freed. */
typedef struct record {
    ireneo_attention_layer_scales *scales;
    char **unknown;
} record;

/* ---- the input ---- */

/* A table beside the embedding, of as many columns; NULL when there is none. */
static ireneo_error read_table(const patient *p, ireneo_tensor_role role, size_t width, float **table,
                               size_t *rows) {
    const char *name = p->model.tensors.whole[role];
    char *location = NULL;
    size_t columns = 0;
    *table = NULL;
    if (name == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_tensor_location(p->model.tensors.path, name, &location));
    ireneo_error failed = ireneo_load_queries(location, table, rows, &columns, NULL);
    if (failed == IRENEO_OK && columns != width)
        failed = ireneo_fail(IRENEO_ERROR_DATA, "%s has %zu columns, but tokens have %zu", location, columns,
                             width);
    free(location);
    return failed;
}

/* The tokens of the file, or of the vocabulary. */
static ireneo_error measure_tokens(patient *p, const ireneo_embedding_request *r) {
    static const int64_t padding = -1;
    ireneo_attention_diagnosis *d = p->diagnosis;
    const char *path = p->settings.tokens;
    ireneo_attention_tokens tokens;
    size_t longest = 0;
    if (path == NULL) {
        d->tokens = r->vocabulary;
        if (r->positions != NULL && p->settings.config == NULL)
            d->transformer.context = (double)r->position_count;
        return ireneo_embedding_measure(r, &d->rho_0, &d->q_0);
    }
    IRENEO_TRY(ireneo_attention_tokens_open(path, &padding, &tokens));
    ireneo_error failed = ireneo_tokens_count(path, &tokens, r->vocabulary, &d->tokens, &longest);
    if (failed == IRENEO_OK && r->positions != NULL && tokens.length > r->position_count)
        failed =
            ireneo_fail(IRENEO_ERROR_DATA, "%s: sequences of %zu tokens, but the model has %zu positions",
                        path, tokens.length, r->position_count);
    ireneo_embedding_request own = *r;
    own.tokens = &tokens;
    d->transformer.context = (double)longest;
    if (failed == IRENEO_OK) failed = ireneo_embedding_measure(&own, &d->rho_0, &d->q_0);
    ireneo_attention_tokens_close(&tokens);
    return failed;
}

/* With what is added to the vectors of tokens. */
static ireneo_error measure_vectors(patient *p, ireneo_embedding_request *r) {
    float *positions = NULL, *segments = NULL;
    size_t rows = 0;
    ireneo_error failed = read_table(p, IRENEO_ROLE_POSITIONS, r->width, &positions, &r->position_count);
    if (failed == IRENEO_OK) failed = read_table(p, IRENEO_ROLE_SEGMENTS, r->width, &segments, &rows);
    r->positions = positions;
    r->segment = segments; /* the first */
    if (failed == IRENEO_OK) failed = measure_tokens(p, r);
    ireneo_free(positions);
    ireneo_free(segments);
    return failed;
}

static ireneo_error measure_input(patient *p) {
    const ireneo_transformer *t = &p->model.shape;
    ireneo_embedding_request r = {.path = p->model.tensors.path,
                                  .embedding = p->model.tensors.whole[IRENEO_ROLE_EMBEDDING],
                                  .scale = p->model.embedding_factor,
                                  .centred = !t->rms_norm};
    if (r.embedding == NULL) {
        if (p->settings.tokens == NULL) return IRENEO_OK;
        return ireneo_fail(IRENEO_ERROR_DATA, "%s holds no embedding of tokens under a known name", r.path);
    }
    IRENEO_TRY(ireneo_tensor_shape(r.path, r.embedding, &r.vocabulary, &r.width));
    if (r.width != t->width)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s:%s has %zu columns, but tokens have %zu entries", r.path,
                           r.embedding, r.width, t->width);
    p->diagnosis->vocabulary = r.vocabulary;
    return measure_vectors(p, &r);
}

/* rho_0 and q_0 as the theory wants them. */
static void settle_input(patient *p) {
    ireneo_attention_diagnosis *d = p->diagnosis;
    ireneo_transformer *t = &d->transformer;
    if (isfinite(d->rho_0)) t->rho_0 = fmin(fmax(d->rho_0, 0.0), 1.0);
    if (isfinite(d->q_0) && d->q_0 > 0.0) t->q_0 = d->q_0;
    if (t->normalisation == IRENEO_NORMALISATION_POST) t->q_0 = 1.0;
    if (p->settings.context > 0.0) t->context = p->settings.context;
    if (t->window >= t->context) t->window = 0.0;
    p->model.shape = *t;
}

/* ---- the layers ---- */

static ireneo_error measure_layers(patient *p) {
    ireneo_attention_diagnosis *d = p->diagnosis;
    for (size_t l = 0; l < d->layers; l++) {
        if (ireneo_report(p->settings.collapse.progress, "reading layers", (double)l, (double)d->layers) != 0)
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "the diagnosis was stopped");
        IRENEO_TRY(ireneo_measure_layer(&p->model, l, &d->scales[l]));
    }
    return IRENEO_OK;
}

static void add_share(const ireneo_attention_layer_scales *s, double share,
                      ireneo_attention_layer_scales *mean) {
    mean->beta += share * s->beta;
    mean->value_variance += share * s->value_variance;
    mean->mlp_in_variance += share * s->mlp_in_variance;
    mean->mlp_gate_variance += share * s->mlp_gate_variance;
    mean->mlp_out_variance += share * s->mlp_out_variance;
    mean->value_bias_variance += share * s->value_bias_variance;
    mean->mlp_bias_variance += share * s->mlp_bias_variance;
    mean->residual_attention += share * s->residual_attention;
    mean->residual_mlp += share * s->residual_mlp;
    mean->query_key_norm += share * s->query_key_norm;
    mean->branch_gain += share * s->branch_gain;
}

/* Means over the layers that are complete; false when none is. */
static bool average_layers(ireneo_attention_diagnosis *d) {
    ireneo_attention_layer_scales mean = {0};
    double count = 0.0;
    for (size_t l = 0; l < d->layers; l++) count += d->scales[l].complete != 0;
    if (count == 0.0) return false;
    for (size_t l = 0; l < d->layers; l++)
        if (d->scales[l].complete) add_share(&d->scales[l], 1.0 / count, &mean);
    d->transformer = ireneo_transformer_with_scales(&d->transformer, &mean);
    return true;
}

/* ---- the judgement ---- */

static void forget_judgement(ireneo_attention_layer_scales *s) {
    s->rho = s->q = s->entropy = NAN;
    s->beta_line = s->beta_margin = s->residual_line = s->residual_margin = NAN;
}

/* Tokens on their way through the layers; under a mask every pair of rows has an overlap of its own. */
typedef struct passing {
    ireneo_tokens tokens;
    ireneo_causal_tokens rows;
    bool begun;
} passing;

static void pass_rows(const ireneo_block *block, const ireneo_transformer *layer, passing *on,
                      ireneo_attention_layer_scales *s) {
    ireneo_causal_rows attention;
    if (!on->begun) ireneo_causal_input(block->causal, layer, &on->rows);
    ireneo_causal_step(block->causal, &block->mlp, layer, &on->rows, &attention);
    s->rho = ireneo_causal_similarity(block->causal, &on->rows, 0.0, 1.0);
    s->q = ireneo_causal_mean(block->causal, on->rows.q, 0.0);
    s->entropy = ireneo_causal_mean(block->causal, attention.entropy, 0.0);
}

static void pass_tokens(const ireneo_block *block, const ireneo_transformer *layer, passing *on,
                        ireneo_attention_layer_scales *s) {
    if (!on->begun) on->tokens = ireneo_block_input(layer);
    ireneo_attention_averages a = ireneo_block_attention(block, IRENEO_MAP_EXACT, on->tokens);
    on->tokens = ireneo_block_step(block, layer, IRENEO_MAP_EXACT, on->tokens, a);
    s->rho = 1.0 - on->tokens.gap / on->tokens.q;
    s->q = on->tokens.q;
    s->entropy = a.entropy;
}

/* One step of this model, from the tokens that the layers before it leave. */
static ireneo_error pass_layer(const ireneo_transformer *layer, passing *on,
                               ireneo_attention_layer_scales *s) {
    ireneo_block block;
    IRENEO_TRY(ireneo_check_transformer(layer));
    IRENEO_TRY(ireneo_enter(0, NULL));
    IRENEO_TRY(ireneo_leave(ireneo_block_open(layer, &block)));
    (block.causal != NULL ? pass_rows : pass_tokens)(&block, layer, on, s);
    on->begun = true;
    ireneo_block_close(&block);
    if (isfinite(s->q)) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_NUMERIC, "tokens outgrow all numbers on their way through the layers");
}

static ireneo_error judge_layer(const patient *p, const ireneo_transformer *layer,
                                ireneo_attention_layer_scales *s) {
    ireneo_attention_assessment a;
    IRENEO_TRY(ireneo_attention_assess(layer, &p->settings.collapse, &a));
    s->beta_line = a.beta_line;
    s->beta_margin = a.beta_margin;
    s->residual_line = a.residual_line;
    s->residual_margin = a.residual_margin;
    s->near_entropy = a.beta_margin < p->settings.near;
    s->near_rank = a.residual_margin < p->settings.near;
    return IRENEO_OK;
}

static ireneo_error judge(patient *p) {
    ireneo_attention_diagnosis *d = p->diagnosis;
    passing on = {.begun = false};
    bool chain = true; /* a layer that is not known ends it */
    IRENEO_TRY(ireneo_attention_assess(&d->transformer, &p->settings.collapse, &d->assessment));
    for (size_t l = 0; l < d->layers; l++) {
        ireneo_attention_layer_scales *s = &d->scales[l];
        chain = chain && s->complete;
        if (ireneo_report(p->settings.collapse.progress, "judging layers", (double)l, (double)d->layers) != 0)
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "the diagnosis was stopped");
        if (!s->complete) continue;
        ireneo_transformer layer = ireneo_transformer_with_scales(&d->transformer, s);
        IRENEO_TRY(judge_layer(p, &layer, s));
        if (chain) IRENEO_TRY(pass_layer(&layer, &on, s));
    }
    return IRENEO_OK;
}

/* What the theory does not cover is no failure of the reading. */
static ireneo_error judge_if_covered(patient *p) {
    ireneo_attention_diagnosis *d = p->diagnosis;
    d->assessment = (ireneo_attention_assessment){.rho = NAN, .entropy = NAN};
    for (size_t l = 0; l < d->layers; l++) forget_judgement(&d->scales[l]);
    if (!average_layers(d)) {
        snprintf(d->refusal, sizeof d->refusal, "no layer has all of its matrices under known names");
        return IRENEO_OK;
    }
    ireneo_error failed = judge(p);
    if (failed != IRENEO_ERROR_ARGUMENT && failed != IRENEO_ERROR_NUMERIC) return failed;
    snprintf(d->refusal, sizeof d->refusal, "%s", ireneo_last_error());
    return IRENEO_OK;
}

/* ---- all of it ---- */

static ireneo_error examine(patient *p, const char *path) {
    ireneo_attention_diagnosis *d = p->diagnosis;
    record *kept = d->block;
    IRENEO_TRY(ireneo_measured_model_open(path, &p->settings, &p->model, d));
    d->layers = p->model.tensors.layers;
    d->transformer = p->model.shape;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&kept->scales, d->layers, "the layers of a model"));
    d->scales = kept->scales;
    IRENEO_TRY(ireneo_names_pack(p->model.tensors.unknown, p->model.tensors.unknown_count, &kept->unknown));
    d->unknown = (const char *const *)kept->unknown;
    d->unknown_count = p->model.tensors.unknown_count;
    IRENEO_TRY(measure_input(p));
    settle_input(p);
    IRENEO_TRY(measure_layers(p));
    return judge_if_covered(p);
}

static ireneo_error fill_settings(const ireneo_attention_diagnose_settings *given,
                                  ireneo_attention_diagnose_settings *filled) {
    *filled = given != NULL ? *given : (ireneo_attention_diagnose_settings){0};
    IRENEO_TRY(ireneo_check_reserved(filled->reserved, "the diagnosis' settings"));
    IRENEO_TRY(ireneo_check_reserved(filled->collapse.reserved, "the collapse settings"));
    if (filled->near == 0.0) filled->near = 1.5;
    if (!(filled->near >= 1.0 && filled->near <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "near is a factor between 1 and 1e6, not %g", filled->near);
    if (filled->context != 0.0 && !(filled->context >= 2.0 && filled->context <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the context must have between 2 and 1e12 tokens, not %g",
                           filled->context);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_diagnose(const char *model, const ireneo_attention_diagnose_settings *settings,
                                       ireneo_attention_diagnosis *diagnosis) {
    patient p = {.diagnosis = diagnosis};
    IRENEO_REQUIRE(diagnosis != NULL, "a diagnosis needs a place to be written to");
    *diagnosis = (ireneo_attention_diagnosis){.rho_0 = NAN, .q_0 = NAN};
    IRENEO_REQUIRE(model != NULL, "no model was given");
    IRENEO_TRY(fill_settings(settings, &p.settings));
    record *kept = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&kept, 1, "a diagnosis"));
    diagnosis->block = kept;
    ireneo_error failed = examine(&p, model);
    ireneo_measured_model_close(&p.model);
    if (failed != IRENEO_OK) ireneo_attention_diagnosis_free(diagnosis);
    return failed;
}

void ireneo_attention_diagnosis_free(ireneo_attention_diagnosis *diagnosis) {
    if (diagnosis == NULL) return;
    record *kept = diagnosis->block;
    if (kept != NULL) {
        free(kept->scales);
        ireneo_free(kept->unknown);
    }
    free(kept);
    *diagnosis = (ireneo_attention_diagnosis){0};
}
