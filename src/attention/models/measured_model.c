/* The architecture of a model on disk. */
#include "attention/models/measured_model.h"

#include "attention/models/model_family.h"
#include "attention/models/tensor_scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_note(ireneo_attention_diagnosis *d, const char *sentence) {
    size_t end = strlen(d->note);
    snprintf(d->note + end, sizeof d->note - end, "%s%s", end > 0 ? "; " : "", sentence);
}

static const char *first_layer(const ireneo_measured_model *m, ireneo_tensor_role role) {
    return ireneo_layer_tensor(&m->tensors, 0, role);
}

static ireneo_error incomplete(const ireneo_measured_model *m, const char *what) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: layer 0 has no %s under a known name", m->tensors.path, what);
}

/* ---- sizes ---- */

/* Inputs and outputs of the first layer's matrix of a role; GPT-2's are the other way round, which its MLP shows. */
static ireneo_error matrix_size(const ireneo_measured_model *m, ireneo_tensor_role role, size_t *outputs,
                                size_t *inputs) {
    const char *name = first_layer(m, role);
    size_t rows = 0, columns = 0;
    IRENEO_TRY(ireneo_tensor_shape(m->tensors.path, name, &rows, &columns));
    *outputs = m->transposed ? columns : rows;
    *inputs = m->transposed ? rows : columns;
    return IRENEO_OK;
}

static ireneo_error find_orientation(ireneo_measured_model *m) {
    size_t in_rows = 0, in_columns = 0;
    if (m->tensors.family != IRENEO_FAMILY_GPT2) return IRENEO_OK;
    const char *packed = first_layer(m, IRENEO_ROLE_QUERY_KEY_VALUE);
    if (packed == NULL) return incomplete(m, "attention");
    IRENEO_TRY(ireneo_tensor_shape(m->tensors.path, packed, &in_rows, &in_columns));
    m->transposed = in_columns > in_rows; /* (width, 3 width) */
    return IRENEO_OK;
}

/* A norm over one head says how wide a head is. */
static ireneo_error heads_from_norms(ireneo_measured_model *m, size_t inner, ireneo_attention_diagnosis *d) {
    ireneo_transformer *t = &m->shape;
    const char *norm = first_layer(m, IRENEO_ROLE_QUERY_NORM);
    size_t head = 0, keys = inner, inputs;
    double *gain = NULL;
    if (norm != NULL) {
        IRENEO_TRY(ireneo_tensor_vector(m->tensors.path, norm, &gain, &head));
        ireneo_free(gain);
    }
    if (norm != NULL && first_layer(m, IRENEO_ROLE_KEY) != NULL)
        IRENEO_TRY(matrix_size(m, IRENEO_ROLE_KEY, &keys, &inputs));
    if (head == 0 || head == inner || inner % head != 0 || keys % head != 0 ||
        inner / head % (keys / head) != 0) {
        add_note(d, "how many heads there are is not known without a config.json; here one");
        head = inner;
    } else if (keys != inner) {
        t->key_heads = keys / head;
    }
    t->heads = inner / head;
    t->head_width = inner == t->width ? 0 : head;
    return IRENEO_OK;
}

static ireneo_error sizes_from_shapes(ireneo_measured_model *m, ireneo_attention_diagnosis *d) {
    ireneo_transformer *t = &m->shape;
    size_t inner = 0, inputs = 0;
    bool packed = first_layer(m, IRENEO_ROLE_QUERY_KEY_VALUE) != NULL;
    bool packed_gate = first_layer(m, IRENEO_ROLE_GATE_AND_IN) != NULL;
    if (!packed && first_layer(m, IRENEO_ROLE_QUERY) == NULL) return incomplete(m, "queries");
    if (!packed_gate && first_layer(m, IRENEO_ROLE_MLP_IN) == NULL)
        return incomplete(m, "first matrix of its MLP");
    IRENEO_TRY(matrix_size(m, packed ? IRENEO_ROLE_QUERY_KEY_VALUE : IRENEO_ROLE_QUERY, &inner, &t->width));
    if (packed) inner /= 3;
    IRENEO_TRY(
        matrix_size(m, packed_gate ? IRENEO_ROLE_GATE_AND_IN : IRENEO_ROLE_MLP_IN, &t->mlp_width, &inputs));
    if (packed_gate) t->mlp_width /= 2;
    t->layers = m->tensors.layers;
    if (inner == 0 || t->mlp_width == 0) return incomplete(m, "matrices of a size");
    return heads_from_norms(m, inner, d);
}

/* ---- architecture without a configuration ---- */

static void llama_blocks(ireneo_measured_model *m, ireneo_attention_diagnosis *d) {
    ireneo_transformer *t = &m->shape;
    bool before = first_layer(m, IRENEO_ROLE_NORM_MLP) != NULL;
    bool behind = first_layer(m, IRENEO_ROLE_BRANCH_NORM_MLP) != NULL;
    t->normalisation = !behind  ? IRENEO_NORMALISATION_PRE
                       : before ? IRENEO_NORMALISATION_SANDWICH
                                : IRENEO_NORMALISATION_BRANCH;
    bool gemma = before && behind;
    t->activation = gemma ? IRENEO_ACTIVATION_GEGLU : IRENEO_ACTIVATION_SWIGLU;
    t->rms_norm = t->causal = 1;
    t->rope_base = 1e4;
    m->gain_offset = gemma ? 1.0 : 0.0;
    m->embedding_factor = gemma ? sqrt((double)t->width) : 1.0;
    add_note(d, gemma ? "taken for Gemma: norms multiply by 1 + weight, GeGLU, rotations of base 1e4"
                      : "SwiGLU and rotations of base 1e4 were assumed");
}

static void blocks_by_names(ireneo_measured_model *m, const ireneo_attention_diagnose_settings *s,
                            ireneo_attention_diagnosis *d) {
    static const char *const names[] = {"unknown", "llama", "gpt2", "bert", "vit", "timm", "torch"};
    ireneo_transformer *t = &m->shape;
    snprintf(d->family, sizeof d->family, "%s", names[m->tensors.family]);
    t->normalisation = IRENEO_NORMALISATION_PRE;
    t->activation = IRENEO_ACTIVATION_GELU;
    t->context = 1024.0;
    if (m->tensors.family == IRENEO_FAMILY_LLAMA) llama_blocks(m, d);
    if (m->tensors.family == IRENEO_FAMILY_GPT2) t->causal = 1;
    if (m->tensors.family == IRENEO_FAMILY_BERT) t->normalisation = IRENEO_NORMALISATION_POST;
    if (m->tensors.family == IRENEO_FAMILY_TORCH) {
        if (!s->norm_first) t->normalisation = IRENEO_NORMALISATION_POST;
        t->activation = IRENEO_ACTIVATION_RELU;
        add_note(d, s->norm_first
                        ? "ReLU was assumed"
                        : "ReLU and norms after the sums were assumed (norm_first is the other way)");
    }
}

/* ---- and with one ---- */

static ireneo_error blocks_by_config(ireneo_measured_model *m, const char *path,
                                     ireneo_attention_diagnosis *d) {
    ireneo_transformer_config config;
    IRENEO_TRY(ireneo_transformer_read_config(path, &config));
    m->shape = config.transformer;
    const ireneo_transformer *t = &m->shape;
    const ireneo_model_family *family = ireneo_model_family_find(config.model_type);
    m->gain_offset = family->scaled ? 1.0 : 0.0; /* the Gemma family has both */
    m->embedding_factor = family->scaled ? sqrt((double)t->width) : 1.0;
    m->logit_factor =
        family->normed ? t->query_key_norm
                       : t->beta / ireneo_beta_from_std(config.std, config.std, (double)t->width, t->context);
    snprintf(d->family, sizeof d->family, "%s", config.model_type);
    snprintf(d->unknown_fields, sizeof d->unknown_fields, "%s", config.unknown);
    if (config.note[0] != '\0') add_note(d, config.note);
    if (t->layers != m->tensors.layers)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s says %zu layers, but %s holds %zu", path, t->layers,
                           m->tensors.path, m->tensors.layers);
    return IRENEO_OK;
}

ireneo_error ireneo_measured_model_open(const char *path, const ireneo_attention_diagnose_settings *settings,
                                        ireneo_measured_model *model, ireneo_attention_diagnosis *diagnosis) {
    *model = (ireneo_measured_model){.logit_factor = 1.0, .embedding_factor = 1.0};
    IRENEO_TRY(ireneo_model_tensors_open(path, &model->tensors));
    IRENEO_TRY(find_orientation(model));
    if (settings->config != NULL) return blocks_by_config(model, settings->config, diagnosis);
    ireneo_transformer_defaults(&model->shape);
    IRENEO_TRY(sizes_from_shapes(model, diagnosis));
    blocks_by_names(model, settings, diagnosis);
    return IRENEO_OK;
}

void ireneo_measured_model_close(ireneo_measured_model *model) {
    ireneo_model_tensors_close(&model->tensors);
}
