/* The attention branch, forward and backward.
 *
 * Forward, a tile of queries at a time: logits by one product, softmax while the tile is in cache, output by
 * a second product. Only log sum e^a is kept; the way back makes the weights again from it. With
 * A = softmax(a), a = Q K^T / sqrt(d_head), O = A V:
 *     dV = A^T dO,   dA = dO V^T,   da = A (dA - sum_k A dA),   dQ = da K / sqrt(d_head),
 *     dK = da^T Q / sqrt(d_head). */
#include "attention/network/network.h"
#include "attention/network/network_tiles.h"
#include "attention/network/softmax.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

/* One head of one sequence: where its queries, keys and values begin, inside matrices of known stride. */
typedef struct head_view {
    ireneo_scalar *query, *key, *value; /* (context, head width), stride 3 width */
    size_t stride, head_width;
    ireneo_scalar factor; /* 1 / sqrt(head width) */
} head_view;

static head_view view_head(const ireneo_network_shape *shape, ireneo_scalar *query_key_value, size_t sequence,
                           size_t head) {
    size_t d = shape->width, width = d / shape->heads;
    ireneo_scalar *first = query_key_value + sequence * shape->context * 3 * d + head * width;
    return (head_view){.query = first,
                       .key = first + d,
                       .value = first + 2 * d,
                       .stride = 3 * d,
                       .head_width = width,
                       .factor = (ireneo_scalar)(1.0 / sqrt((double)width))};
}

/* Queries first .. first + count - 1 see keys 0 .. this - 1 at most. */
static size_t keys_of_tile(const ireneo_network_shape *shape, size_t first, size_t count) {
    return shape->causal ? first + count : shape->context;
}

static size_t keys_of_row(const ireneo_network_shape *shape, size_t row) {
    return shape->causal ? row + 1 : shape->context;
}

/* Logits of a tile of queries into tile (count, keys), rows `stride` apart. */
static void tile_logits(head_view head, size_t first, size_t count, size_t keys, ireneo_scalar *tile,
                        size_t stride) {
    ireneo_product(count, keys, head.head_width, head.factor,
                   ireneo_plain(head.query + first * head.stride, head.stride),
                   ireneo_turned(head.key, head.stride), 0, tile, stride, 1);
}

/* ---- forward ---- */

static void keep_row_report(ireneo_network_trace *trace, size_t place, ireneo_row_report report) {
    if (trace->participation == NULL) return;
    trace->participation[place] = report.participation;
    trace->entropy[place] = report.entropy;
}

static void forward_tile(const ireneo_network_shape *shape, ireneo_network_trace *trace, head_view head,
                         size_t first, size_t places, ireneo_scalar *log_sum, ireneo_scalar *out,
                         ireneo_scalar *tile) {
    size_t T = shape->context, count = T - first < NETWORK_TILE_ROWS ? T - first : NETWORK_TILE_ROWS;
    size_t keys = keys_of_tile(shape, first, count);
    tile_logits(head, first, count, keys, tile, T);
    for (size_t row = 0; row < count; row++) {
        size_t seen = keys_of_row(shape, first + row);
        ireneo_row_report report = ireneo_softmax_row(tile + row * T, seen);
        memset(tile + row * T + seen, 0, (keys - seen) * sizeof *tile);
        log_sum[first + row] = report.log_sum;
        keep_row_report(trace, places + first + row, report);
    }
    ireneo_product(count, head.head_width, keys, 1, ireneo_plain(tile, T),
                   ireneo_plain(head.value, head.stride), 0, out + first * shape->width, shape->width, 1);
}

static size_t tile_count(const ireneo_network_shape *shape) {
    return (shape->context + NETWORK_TILE_ROWS - 1) / NETWORK_TILE_ROWS;
}

/* A layer on its way forward. */
typedef struct forward_work {
    const ireneo_network_shape *shape;
    ireneo_network_trace *trace;
    ireneo_layer_trace *layer_trace;
    ireneo_scalar *branch;
} forward_work;

static ireneo_scalar *tile_of_thread(const forward_work *w, int thread) {
    return w->trace->tiles + (size_t)thread * NETWORK_TILE_ROWS * w->shape->context;
}

/* Job number `job` of all (sequence, head, tile). */
static void forward_job(void *context, size_t job, int thread) {
    const forward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    size_t tiles = tile_count(shape), T = shape->context, pair = job / tiles, sequence = pair / shape->heads,
           number = pair % shape->heads;
    head_view head = view_head(shape, w->layer_trace->query_key_value, sequence, number);
    forward_tile(
        shape, w->trace, head, job % tiles * NETWORK_TILE_ROWS, pair * T, w->layer_trace->log_sum + pair * T,
        w->branch + sequence * T * shape->width + number * head.head_width, tile_of_thread(w, thread));
}

/* Adds what is the same for all rows of a column of A, for the overlap of rows. */
static void add_column_sums(size_t count, size_t keys, const ireneo_scalar *tile, size_t stride,
                            ireneo_scalar *sums) {
    for (size_t row = 0; row < count; row++)
        for (size_t k = 0; k < keys; k++) sums[k] += tile[row * stride + k];
}

/* Column sums of A of one head. */
static void measure_head(void *context, size_t pair, int thread) {
    const forward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    size_t T = shape->context;
    head_view head =
        view_head(shape, w->layer_trace->query_key_value, pair / shape->heads, pair % shape->heads);
    ireneo_scalar *tile = tile_of_thread(w, thread);
    for (size_t first = 0; first < T; first += NETWORK_TILE_ROWS) {
        size_t count = T - first < NETWORK_TILE_ROWS ? T - first : NETWORK_TILE_ROWS;
        size_t keys = keys_of_tile(shape, first, count);
        tile_logits(head, first, count, keys, tile, T);
        for (size_t row = 0; row < count; row++) {
            size_t seen = keys_of_row(shape, first + row);
            ireneo_softmax_again(tile + row * T, seen, w->layer_trace->log_sum[pair * T + first + row]);
            memset(tile + row * T + seen, 0, (keys - seen) * sizeof *tile);
        }
        add_column_sums(count, keys, tile, T, w->trace->column_sum + pair * T);
    }
}

/* Column sums of A by a second pass over the logits: tiles write to the same sums, so one thread per head. */
static void measure_columns(forward_work *w) {
    size_t pairs = w->trace->sequences * w->shape->heads;
    memset(w->trace->column_sum, 0, pairs * w->shape->context * sizeof *w->trace->column_sum);
    ireneo_share(pairs, w->trace->threads, measure_head, w);
}

/* Rows [0, rows) of x (rows, width) += vector. */
static void add_to_rows(ireneo_scalar *x, size_t rows, size_t width, size_t stride,
                        const ireneo_scalar *vector) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) x[row * stride + i] += vector[i];
}

/* sums (width) += factor times the sum of the rows. */
static void add_column_totals(const ireneo_scalar *x, size_t rows, size_t width, size_t stride,
                              ireneo_scalar factor, ireneo_scalar *sums) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) sums[i] += factor * x[row * stride + i];
}

/* Gain control, forward and backward alike: every row of target less the mean of the rows of source. */
static void subtract_mean_row(const ireneo_scalar *source, size_t source_stride, ireneo_scalar *target,
                              size_t target_stride, size_t rows, size_t width, ireneo_scalar *mean) {
    memset(mean, 0, width * sizeof *mean);
    add_column_totals(source, rows, width, source_stride, (ireneo_scalar)(-1.0 / (double)rows), mean);
    add_to_rows(target, rows, width, target_stride, mean);
}

void ireneo_attention_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                              ireneo_network_trace *trace, size_t layer, ireneo_scalar *branch) {
    size_t T = shape->context, d = shape->width, rows = trace->rows;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_product(rows, 3 * d, d, 1, ireneo_plain(layer_trace->attention_input, d),
                   ireneo_turned(weights.query_key_value, d), 0, layer_trace->query_key_value, 3 * d,
                   trace->threads);
    add_to_rows(layer_trace->query_key_value + 2 * d, rows, d, 3 * d, weights.value_bias);
    forward_work w = {shape, trace, layer_trace, branch};
    ireneo_share(trace->sequences * shape->heads * tile_count(shape), trace->threads, forward_job, &w);
    if (trace->column_sum != NULL) measure_columns(&w);
    if (shape->gain_control)
        for (size_t sequence = 0; sequence < trace->sequences; sequence++)
            subtract_mean_row(layer_trace->query_key_value + sequence * T * 3 * d + 2 * d, 3 * d,
                              branch + sequence * T * d, d, T, d, trace->wide);
}

/* ---- backward ---- */

/* A head on its way back. */
typedef struct backward_work {
    const ireneo_network_shape *shape;
    ireneo_network_trace *trace;
    head_view head, gradient;
    const ireneo_scalar *log_sum, *out_gradient;
} backward_work;

/* Rows of A again, and of the gradient with respect to the logits, for one tile of queries; then dQ. */
static void backward_queries(void *context, size_t number, int thread) {
    (void)thread;
    const backward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    ireneo_network_trace *trace = w->trace;
    const head_view head = w->head, gradient = w->gradient;
    size_t first = number * NETWORK_TILE_ROWS, T = shape->context,
           count = T - first < NETWORK_TILE_ROWS ? T - first : NETWORK_TILE_ROWS;
    size_t keys = keys_of_tile(shape, first, count);
    ireneo_scalar *weights = trace->weights + first * T, *logits = trace->logit_gradient + first * T;
    tile_logits(head, first, count, keys, weights, T);
    ireneo_product(count, keys, head.head_width, 1,
                   ireneo_plain(w->out_gradient + first * shape->width, shape->width),
                   ireneo_turned(head.value, head.stride), 0, logits, T, 1);
    for (size_t row = 0; row < count; row++) {
        size_t seen = keys_of_row(shape, first + row);
        ireneo_softmax_again(weights + row * T, seen, w->log_sum[first + row]);
        ireneo_softmax_backward(weights + row * T, logits + row * T, seen);
        memset(weights + row * T + seen, 0, (T - seen) * sizeof *weights);
        memset(logits + row * T + seen, 0, (T - seen) * sizeof *logits);
    }
    ireneo_product(count, head.head_width, keys, head.factor, ireneo_plain(logits, T),
                   ireneo_plain(head.key, head.stride), 0, gradient.query + first * gradient.stride,
                   gradient.stride, 1);
}

/* dK and dV of one tile of keys, once all rows of A and of the logits' gradient are there. */
static void backward_keys(void *context, size_t number, int thread) {
    (void)thread;
    const backward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    const ireneo_network_trace *trace = w->trace;
    const head_view head = w->head, gradient = w->gradient;
    size_t first = number * NETWORK_TILE_ROWS, T = shape->context,
           count = T - first < NETWORK_TILE_ROWS ? T - first : NETWORK_TILE_ROWS;
    size_t from = shape->causal ? first : 0; /* earlier queries do not see these keys */
    ireneo_product(count, head.head_width, T - from, 1, ireneo_turned(trace->weights + from * T + first, T),
                   ireneo_plain(w->out_gradient + from * shape->width, shape->width), 0,
                   gradient.value + first * gradient.stride, gradient.stride, 1);
    ireneo_product(count, head.head_width, T - from, head.factor,
                   ireneo_turned(trace->logit_gradient + from * T + first, T),
                   ireneo_plain(head.query + from * head.stride, head.stride), 0,
                   gradient.key + first * gradient.stride, gradient.stride, 1);
}

static void backward_head(backward_work *w) {
    size_t tiles = tile_count(w->shape);
    ireneo_share(tiles, w->trace->threads, backward_queries, w);
    ireneo_share(tiles, w->trace->threads, backward_keys, w);
}

void ireneo_attention_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                               ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                               const ireneo_scalar *branch_gradient, ireneo_scalar *input_gradient) {
    size_t T = shape->context, d = shape->width, rows = trace->rows, heads = shape->heads;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *inner = trace->wide_gradient; /* (rows, 3 width) */
    for (size_t pair = 0; pair < trace->sequences * heads; pair++) {
        size_t sequence = pair / heads;
        head_view head = view_head(shape, layer_trace->query_key_value, sequence, pair % heads);
        head_view gradient = view_head(shape, inner, sequence, pair % heads);
        backward_work w = {shape,
                           trace,
                           head,
                           gradient,
                           layer_trace->log_sum + pair * T,
                           branch_gradient + sequence * T * d + pair % heads * head.head_width};
        backward_head(&w);
    }
    if (shape->gain_control)
        for (size_t sequence = 0; sequence < trace->sequences; sequence++)
            subtract_mean_row(branch_gradient + sequence * T * d, d, inner + sequence * T * 3 * d + 2 * d,
                              3 * d, T, d, trace->wide);
    add_column_totals(inner + 2 * d, rows, d, 3 * d, 1, gradients.value_bias);
    ireneo_product(3 * d, d, rows, 1, ireneo_turned(inner, 3 * d),
                   ireneo_plain(layer_trace->attention_input, d), 1, gradients.query_key_value, d,
                   trace->threads);
    ireneo_product(rows, d, 3 * d, 1, ireneo_plain(inner, 3 * d), ireneo_plain(weights.query_key_value, d), 0,
                   input_gradient, d, trace->threads);
}
