/* What a layer's matrices amount to. A norm that multiplies entry i by g_i before a matrix W is W diag(g) behind a norm without
 * gains, so variances are means of (W_ki g_i)^2. The skip of a post-LN block starts behind the same gains: its strength is their
 * root mean square. */
#include "attention/models/layer_scales.h"

#include "attention/models/tensor_scan.h"
#include "attention/theory/transformer.h"

#include <math.h>
#include <stdlib.h>

typedef struct measuring {
    const ireneo_measured_model *model;
    size_t layer;
    double *gain_attention, *gain_mlp; /* (width) or NULL */
    ireneo_attention_layer_scales *scales;
    /* mean squares of entries behind gains */
    double query, key, value, output, gate, mlp_in, mlp_out;
} measuring;

static const char *name_of(const measuring *m, ireneo_tensor_role role) {
    return ireneo_layer_tensor(&m->model->tensors, m->layer, role);
}

static size_t inner_width(const ireneo_transformer *t) {
    return t->head_width > 0 ? t->head_width * t->heads : t->width;
}

static size_t key_width(const ireneo_transformer *t) {
    return inner_width(t) / t->heads * (t->key_heads > 0 ? t->key_heads : t->heads);
}

/* ---- vectors ---- */

/* A norm's gains (width), or NULL when the model has no such tensor. */
static ireneo_error read_gain(const ireneo_measured_model *model, const char *name, size_t length,
                              double **gain) {
    size_t count = 0;
    *gain = NULL;
    if (name == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_tensor_vector(model->tensors.path, name, gain, &count));
    for (size_t i = 0; i < count; i++) (*gain)[i] += model->gain_offset;
    if (count == length || length == 0) return IRENEO_OK;
    ireneo_free(*gain);
    *gain = NULL;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s:%s has %zu entries, but tokens have %zu", model->tensors.path,
                       name, count, length);
}

static double mean_square(const double *values, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += values[i] * values[i];
    return sum / (double)count;
}

/* Mean square of a bias from entry `first` on; 0 when there is none. */
static ireneo_error read_bias(const measuring *m, ireneo_tensor_role role, size_t first, double *square) {
    const char *name = name_of(m, role);
    double *bias = NULL;
    size_t count = 0;
    *square = 0.0;
    if (name == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_tensor_vector(m->model->tensors.path, name, &bias, &count));
    if (count > first) *square = mean_square(bias + first, count - first);
    ireneo_free(bias);
    return IRENEO_OK;
}

/* The norms whose gains stand before the two branches: the layer's own, or in a post-LN model those that its tokens have just
 * passed. */
static const char *gain_before_attention(const measuring *m) {
    const ireneo_model_tensors *tensors = &m->model->tensors;
    if (m->model->shape.normalisation != IRENEO_NORMALISATION_POST)
        return name_of(m, IRENEO_ROLE_NORM_ATTENTION);
    return m->layer > 0 ? ireneo_layer_tensor(tensors, m->layer - 1, IRENEO_ROLE_NORM_MLP)
                        : tensors->whole[IRENEO_ROLE_EMBEDDING_NORM];
}

static const char *gain_before_mlp(const measuring *m) {
    return name_of(m, m->model->shape.normalisation == IRENEO_NORMALISATION_POST ? IRENEO_ROLE_NORM_ATTENTION
                                                                                 : IRENEO_ROLE_NORM_MLP);
}

static ireneo_error read_gains(measuring *m) {
    const ireneo_transformer *t = &m->model->shape;
    ireneo_attention_layer_scales *s = m->scales;
    IRENEO_TRY(read_gain(m->model, gain_before_attention(m), t->width, &m->gain_attention));
    IRENEO_TRY(read_gain(m->model, gain_before_mlp(m), t->width, &m->gain_mlp));
    bool post = t->normalisation == IRENEO_NORMALISATION_POST;
    s->residual_attention =
        post && m->gain_attention != NULL ? sqrt(mean_square(m->gain_attention, t->width)) : 1.0;
    s->residual_mlp = post && m->gain_mlp != NULL ? sqrt(mean_square(m->gain_mlp, t->width)) : 1.0;
    return IRENEO_OK;
}

/* One number for the norms behind both branches. */
static ireneo_error read_branch_gain(measuring *m) {
    static const ireneo_tensor_role roles[] = {IRENEO_ROLE_BRANCH_NORM_ATTENTION,
                                               IRENEO_ROLE_BRANCH_NORM_MLP};
    double sum = 0.0, there = 0.0;
    for (size_t i = 0; i < 2; i++) {
        double *gain = NULL;
        IRENEO_TRY(read_gain(m->model, name_of(m, roles[i]), m->model->shape.width, &gain));
        if (gain == NULL) continue;
        sum += mean_square(gain, m->model->shape.width);
        there += 1.0;
        ireneo_free(gain);
    }
    m->scales->branch_gain = there > 0.0 ? sqrt(sum / there) : 0.0;
    return IRENEO_OK;
}

/* Entry i of a normalised query meets entry i of a normalised key: the root mean square of g_i h_i. Norms over all heads at
 * once have an entry for each, and with shared keys more for queries. */
static double gains_together(const double *query, size_t queries, const double *key, size_t keys) {
    if (queries != keys) return sqrt(mean_square(query, queries) * mean_square(key, keys));
    double sum = 0.0;
    for (size_t i = 0; i < queries; i++) sum += query[i] * query[i] * key[i] * key[i];
    return sqrt(sum / (double)queries);
}

static ireneo_error read_query_norms(measuring *m) {
    const char *query_name = name_of(m, IRENEO_ROLE_QUERY_NORM), *key_name = name_of(m, IRENEO_ROLE_KEY_NORM);
    double *query = NULL, *key = NULL;
    size_t queries = 0, keys = 0;
    if (query_name == NULL || key_name == NULL) return IRENEO_OK;
    ireneo_error failed = ireneo_tensor_vector(m->model->tensors.path, query_name, &query, &queries);
    if (failed == IRENEO_OK) failed = ireneo_tensor_vector(m->model->tensors.path, key_name, &key, &keys);
    if (failed == IRENEO_OK) {
        for (size_t i = 0; i < queries; i++) query[i] += m->model->gain_offset;
        for (size_t i = 0; i < keys; i++) key[i] += m->model->gain_offset;
        m->scales->query_key_norm = m->model->logit_factor * gains_together(query, queries, key, keys);
    }
    ireneo_free(query);
    ireneo_free(key);
    return failed;
}

/* ---- matrices ---- */

static ireneo_error check_size(const measuring *m, const char *name, size_t outputs, size_t inputs) {
    size_t rows = 0, columns = 0;
    IRENEO_TRY(ireneo_tensor_shape(m->model->tensors.path, name, &rows, &columns));
    bool turned = m->model->transposed;
    if ((turned ? columns : rows) == outputs && (turned ? rows : columns) == inputs) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s:%s is %zu x %zu, but %zu outputs and %zu inputs were expected",
                       m->model->tensors.path, name, rows, columns, outputs, inputs);
}

/* A matrix of one part; both numbers are NaN when it is not there. */
static ireneo_error measure_matrix(const measuring *m, ireneo_tensor_role role, size_t outputs, size_t inputs,
                                   const double *gain, double *deviation, double *power) {
    const char *name = name_of(m, role);
    ireneo_scan_part parts[IRENEO_SCAN_PARTS];
    *deviation = *power = NAN;
    if (name == NULL) return IRENEO_OK;
    IRENEO_TRY(check_size(m, name, outputs, inputs));
    ireneo_scan_request request = {m->model->transposed, 1, {outputs}, gain};
    IRENEO_TRY(ireneo_tensor_scan(m->model->tensors.path, name, &request, parts));
    *deviation = parts[0].deviation;
    *power = parts[0].power;
    return IRENEO_OK;
}

static ireneo_error measure_packed_queries(measuring *m, const char *name) {
    const ireneo_transformer *t = &m->model->shape;
    size_t inner = inner_width(t), keys = key_width(t);
    ireneo_scan_part parts[IRENEO_SCAN_PARTS];
    IRENEO_TRY(check_size(m, name, inner + 2 * keys, t->width));
    ireneo_scan_request request = {
        m->model->transposed, 3, {inner, inner + keys, inner + 2 * keys}, m->gain_attention};
    IRENEO_TRY(ireneo_tensor_scan(m->model->tensors.path, name, &request, parts));
    ireneo_block_deviations *std = &m->scales->std;
    std->query = parts[0].deviation, m->query = parts[0].power;
    std->key = parts[1].deviation, m->key = parts[1].power;
    std->value = parts[2].deviation, m->value = parts[2].power;
    return IRENEO_OK;
}

static ireneo_error measure_attention(measuring *m) {
    const ireneo_transformer *t = &m->model->shape;
    ireneo_block_deviations *std = &m->scales->std;
    size_t inner = inner_width(t), keys = key_width(t);
    const char *packed = name_of(m, IRENEO_ROLE_QUERY_KEY_VALUE);
    const double *gain = m->gain_attention;
    if (packed != NULL) {
        IRENEO_TRY(measure_packed_queries(m, packed));
    } else {
        IRENEO_TRY(measure_matrix(m, IRENEO_ROLE_QUERY, inner, t->width, gain, &std->query, &m->query));
        IRENEO_TRY(measure_matrix(m, IRENEO_ROLE_KEY, keys, t->width, gain, &std->key, &m->key));
        IRENEO_TRY(measure_matrix(m, IRENEO_ROLE_VALUE, keys, t->width, gain, &std->value, &m->value));
    }
    return measure_matrix(m, IRENEO_ROLE_OUTPUT, t->width, inner, NULL, &std->output, &m->output);
}

static ireneo_error measure_packed_gate(measuring *m, const char *name) {
    const ireneo_transformer *t = &m->model->shape;
    ireneo_scan_part parts[IRENEO_SCAN_PARTS];
    IRENEO_TRY(check_size(m, name, 2 * t->mlp_width, t->width));
    ireneo_scan_request request = {m->model->transposed, 2, {t->mlp_width, 2 * t->mlp_width}, m->gain_mlp};
    IRENEO_TRY(ireneo_tensor_scan(m->model->tensors.path, name, &request, parts));
    m->scales->std.mlp_gate = parts[0].deviation, m->gate = parts[0].power;
    m->scales->std.mlp_in = parts[1].deviation, m->mlp_in = parts[1].power;
    return IRENEO_OK;
}

static ireneo_error measure_mlp(measuring *m) {
    const ireneo_transformer *t = &m->model->shape;
    ireneo_block_deviations *std = &m->scales->std;
    const char *packed = name_of(m, IRENEO_ROLE_GATE_AND_IN);
    const double *gain = m->gain_mlp;
    if (packed != NULL) {
        IRENEO_TRY(measure_packed_gate(m, packed));
    } else {
        IRENEO_TRY(
            measure_matrix(m, IRENEO_ROLE_MLP_IN, t->mlp_width, t->width, gain, &std->mlp_in, &m->mlp_in));
        if (ireneo_is_gated(t->activation))
            IRENEO_TRY(
                measure_matrix(m, IRENEO_ROLE_GATE, t->mlp_width, t->width, gain, &std->mlp_gate, &m->gate));
    }
    return measure_matrix(m, IRENEO_ROLE_MLP_OUT, t->width, t->mlp_width, NULL, &std->mlp_out, &m->mlp_out);
}

/* The value bias passes W_O like the values; biases of queries and keys are left out. */
static ireneo_error measure_biases(measuring *m) {
    const ireneo_transformer *t = &m->model->shape;
    ireneo_attention_layer_scales *s = m->scales;
    double value, packed, output, in, out;
    IRENEO_TRY(read_bias(m, IRENEO_ROLE_VALUE_BIAS, 0, &value));
    IRENEO_TRY(read_bias(m, IRENEO_ROLE_QUERY_KEY_VALUE_BIAS, inner_width(t) + key_width(t), &packed));
    IRENEO_TRY(read_bias(m, IRENEO_ROLE_OUTPUT_BIAS, 0, &output));
    IRENEO_TRY(read_bias(m, IRENEO_ROLE_MLP_IN_BIAS, 0, &in));
    IRENEO_TRY(read_bias(m, IRENEO_ROLE_MLP_OUT_BIAS, 0, &out));
    s->value_bias_variance = (value + packed) * (double)inner_width(t) * m->output + output;
    s->mlp_bias_variance = 0.5 * (in + out);
    return IRENEO_OK;
}

static void combine(measuring *m) {
    const ireneo_transformer *t = &m->model->shape;
    ireneo_attention_layer_scales *s = m->scales;
    double width = (double)t->width;
    s->beta = m->model->logit_factor * ireneo_beta_from_std(sqrt(m->query), sqrt(m->key), width, t->context);
    s->value_variance = width * m->value * (double)inner_width(t) * m->output;
    s->mlp_in_variance = width * m->mlp_in;
    s->mlp_gate_variance = width * m->gate;
    s->mlp_out_variance = (double)t->mlp_width * m->mlp_out;
    double needed =
        s->beta + s->value_variance + s->mlp_in_variance + s->mlp_gate_variance + s->mlp_out_variance;
    s->complete = isfinite(needed) && isfinite(s->value_bias_variance);
}

static ireneo_error measure(measuring *m) {
    IRENEO_TRY(read_gains(m));
    IRENEO_TRY(read_branch_gain(m));
    IRENEO_TRY(read_query_norms(m));
    IRENEO_TRY(measure_attention(m));
    IRENEO_TRY(measure_mlp(m));
    IRENEO_TRY(measure_biases(m));
    combine(m);
    return IRENEO_OK;
}

ireneo_error ireneo_measure_layer(const ireneo_measured_model *model, size_t layer,
                                  ireneo_attention_layer_scales *scales) {
    measuring m = {.model = model, .layer = layer, .scales = scales};
    *scales = (ireneo_attention_layer_scales){0};
    ireneo_error failed = measure(&m);
    ireneo_free(m.gain_attention);
    ireneo_free(m.gain_mlp);
    return failed;
}

ireneo_transformer ireneo_transformer_with_scales(const ireneo_transformer *shape,
                                                  const ireneo_attention_layer_scales *s) {
    ireneo_transformer t = *shape;
    t.beta = fmin(s->beta, IRENEO_MOST_BETA);
    t.value_variance = s->value_variance;
    t.mlp_in_variance = s->mlp_in_variance;
    t.mlp_gate_variance = s->mlp_gate_variance;
    t.mlp_out_variance = s->mlp_out_variance;
    t.value_bias_variance = s->value_bias_variance;
    t.mlp_bias_variance = s->mlp_bias_variance;
    t.residual_attention = s->residual_attention;
    t.residual_mlp = s->residual_mlp;
    t.query_key_norm = s->query_key_norm;
    t.branch_gain = s->branch_gain;
    return t;
}
