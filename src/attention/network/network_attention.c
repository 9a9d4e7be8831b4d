/* The attention branch, forward and backward.
 *
 * Forward, a tile of queries at a time: logits by one product, softmax while the tile is in cache, output by
 * a second product. Only log sum e^a is kept; the way back makes the weights again from it. With
 * A = softmax(a), a = Q K^T / sqrt(d_head), O = A V:
 *     dV = A^T dO,   dA = dO V^T,   da = A (dA - sum_k A dA),   dQ = da K / sqrt(d_head),
 *     dK = da^T Q / sqrt(d_head) .
 * Where several heads share keys and values, their dK and dV add up. */
#include "attention/network/gain_control.h"
#include "attention/network/network_tiles.h"
#include "attention/network/query_key.h"
#include "attention/network/sight.h"
#include "attention/network/soft_cap.h"
#include "attention/network/softmax.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

/* One head of one sequence: where its queries, keys and values begin, inside matrices of known stride. */
typedef struct head_view {
    ireneo_scalar *query, *key, *value; /* (context, head width), stride projection width */
    size_t stride, head_width;
    ireneo_scalar factor; /* 1 / sqrt(head width), times the gains of QK-norm */
} head_view;

static head_view view_head(const ireneo_network_shape *shape, ireneo_scalar *projections, size_t sequence,
                           size_t head) {
    size_t width = ireneo_head_width(shape), stride = ireneo_projection_width(shape);
    size_t key_head = head / (shape->heads / ireneo_key_heads(shape));
    ireneo_scalar *first = projections + sequence * shape->context * stride,
                  *keys = first + ireneo_query_width(shape) + key_head * width;
    double gain = shape->query_key_norm > 0.0 ? shape->query_key_norm : 1.0;
    return (head_view){.query = first + head * width,
                       .key = keys,
                       .value = keys + ireneo_key_width(shape),
                       .stride = stride,
                       .head_width = width,
                       .factor = (ireneo_scalar)(gain / sqrt((double)width))};
}

/* ---- tiles of queries ---- */

static size_t tile_count(const ireneo_network_shape *shape) {
    return (shape->context + NETWORK_TILE_ROWS - 1) / NETWORK_TILE_ROWS;
}

static ireneo_span tile_rows(const ireneo_network_shape *shape, size_t tile) {
    size_t first = tile * NETWORK_TILE_ROWS, end = first + NETWORK_TILE_ROWS;
    return (ireneo_span){first, end < shape->context ? end : shape->context};
}

/* tile (rows, stride): logits of these queries, in the columns of these keys. */
static void tile_logits(head_view head, ireneo_span rows, ireneo_span keys, ireneo_scalar *tile,
                        size_t stride) {
    ireneo_product(rows.end - rows.first, keys.end - keys.first, head.head_width, head.factor,
                   ireneo_plain(head.query + rows.first * head.stride, head.stride),
                   ireneo_turned(head.key + keys.first * head.stride, head.stride), 0, tile + keys.first,
                   stride, 1);
}

/* Columns `within` of a row that lie outside `seen` become 0. */
static void clear_unseen(ireneo_scalar *row, ireneo_span within, ireneo_span seen) {
    memset(row + within.first, 0, (seen.first - within.first) * sizeof *row);
    memset(row + seen.end, 0, (within.end - seen.end) * sizeof *row);
}

static void cap_logits(const ireneo_network_shape *shape, ireneo_scalar *row, ireneo_span seen) {
    if (shape->soft_cap > 0.0) ireneo_soft_cap(row + seen.first, seen.end - seen.first, shape->soft_cap);
}

/* ---- forward ---- */

static void keep_row_report(ireneo_network_trace *trace, size_t place, ireneo_row_report report) {
    if (trace->participation == NULL) return;
    trace->participation[place] = report.participation;
    trace->entropy[place] = report.entropy;
}

/* A layer on its way forward. */
typedef struct forward_work {
    const ireneo_network_shape *shape;
    ireneo_network_trace *trace;
    ireneo_layer_trace *layer_trace;
    ireneo_scalar *out; /* (rows, query width) */
} forward_work;

static ireneo_scalar *tile_of_thread(const ireneo_network_shape *shape, const ireneo_network_trace *trace,
                                     int thread) {
    return trace->tiles + (size_t)thread * NETWORK_TILE_ROWS * shape->context;
}

/* Job number `job` of all (sequence, head, tile). */
static void forward_job(void *context, size_t job, int thread) {
    const forward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    size_t tiles = tile_count(shape), T = shape->context, pair = job / tiles, sequence = pair / shape->heads,
           number = pair % shape->heads, width = ireneo_query_width(shape);
    head_view head = view_head(shape, w->layer_trace->query_key_value, sequence, number);
    ireneo_span rows = tile_rows(shape, job % tiles), keys = ireneo_keys_of_rows(shape, rows);
    ireneo_scalar *tile = tile_of_thread(shape, w->trace, thread),
                  *out = w->out + (sequence * T + rows.first) * width + number * head.head_width;
    tile_logits(head, rows, keys, tile, T);
    for (size_t row = rows.first; row < rows.end; row++) {
        ireneo_scalar *logits = tile + (row - rows.first) * T;
        ireneo_span seen = ireneo_keys_seen(shape, row);
        cap_logits(shape, logits, seen);
        ireneo_row_report report = ireneo_softmax_row(logits + seen.first, seen.end - seen.first);
        clear_unseen(logits, keys, seen);
        w->layer_trace->log_sum[pair * T + row] = report.log_sum;
        keep_row_report(w->trace, pair * T + row, report);
    }
    ireneo_product(rows.end - rows.first, head.head_width, keys.end - keys.first, 1,
                   ireneo_plain(tile + keys.first, T),
                   ireneo_plain(head.value + keys.first * head.stride, head.stride), 0, out, width, 1);
}

/* Adds what is the same for all rows of a column of A, for the overlap of rows. */
static void add_column_sums(size_t count, ireneo_span keys, const ireneo_scalar *tile, size_t stride,
                            ireneo_scalar *sums) {
    for (size_t row = 0; row < count; row++)
        for (size_t k = keys.first; k < keys.end; k++) sums[k] += tile[row * stride + k];
}

/* Column sums of A of one head. */
static void measure_head(void *context, size_t pair, int thread) {
    const forward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    size_t T = shape->context;
    head_view head =
        view_head(shape, w->layer_trace->query_key_value, pair / shape->heads, pair % shape->heads);
    ireneo_scalar *tile = tile_of_thread(shape, w->trace, thread);
    for (size_t number = 0; number < tile_count(shape); number++) {
        ireneo_span rows = tile_rows(shape, number), keys = ireneo_keys_of_rows(shape, rows);
        tile_logits(head, rows, keys, tile, T);
        for (size_t row = rows.first; row < rows.end; row++) {
            ireneo_scalar *logits = tile + (row - rows.first) * T;
            ireneo_span seen = ireneo_keys_seen(shape, row);
            cap_logits(shape, logits, seen);
            ireneo_softmax_again(logits + seen.first, seen.end - seen.first,
                                 w->layer_trace->log_sum[pair * T + row]);
            clear_unseen(logits, keys, seen);
        }
        add_column_sums(rows.end - rows.first, keys, tile, T, w->trace->column_sum + pair * T);
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

/* sums (width) += the sum of the rows. */
static void add_column_totals(const ireneo_scalar *x, size_t rows, size_t width, size_t stride,
                              ireneo_scalar *sums) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) sums[i] += x[row * stride + i];
}

/* Queries, keys and values of all tokens, ready to meet. */
static void project(const ireneo_network_shape *shape, ireneo_layer_view weights, ireneo_network_trace *trace,
                    size_t layer) {
    size_t d = shape->width, rows = trace->rows, projections = ireneo_projection_width(shape),
           keys = ireneo_key_width(shape);
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_product(rows, projections, d, 1, ireneo_plain(layer_trace->attention_input, d),
                   ireneo_turned(weights.query_key_value, d), 0, layer_trace->query_key_value, projections,
                   trace->threads);
    add_to_rows(layer_trace->query_key_value + projections - keys, rows, keys, projections,
                weights.value_bias);
    ireneo_ready_query_key(shape, trace, layer);
}

void ireneo_attention_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                              ireneo_network_trace *trace, size_t layer, ireneo_scalar *branch) {
    size_t width = ireneo_query_width(shape);
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *out = shape->output_projection ? layer_trace->mixed : branch;
    project(shape, weights, trace, layer);
    forward_work w = {shape, trace, layer_trace, out};
    ireneo_share(trace->sequences * shape->heads * tile_count(shape), trace->threads, forward_job, &w);
    if (trace->column_sum != NULL) measure_columns(&w);
    if (shape->gain_control) ireneo_gain_control(shape, trace, layer_trace->query_key_value, out);
    if (shape->output_projection)
        ireneo_product(trace->rows, shape->width, width, 1, ireneo_plain(out, width),
                       ireneo_turned(weights.output, width), 0, branch, shape->width, trace->threads);
}

/* ---- backward ---- */

/* A head on its way back. */
typedef struct backward_work {
    const ireneo_network_shape *shape;
    ireneo_network_trace *trace;
    head_view head, gradient;
    const ireneo_scalar *log_sum,
        *out_gradient;  /* (context), and (context, head width) of stride query width */
    ireneo_scalar keep; /* 1 when a head before has left dK and dV of the same keys, otherwise 0 */
} backward_work;

/* One row of A again from its logits, and of the gradient with respect to the logits; capped is scratch
 * (context). */
static void backward_row(const backward_work *w, size_t row, ireneo_scalar *weights, ireneo_scalar *logits,
                         ireneo_scalar *capped) {
    const ireneo_network_shape *shape = w->shape;
    ireneo_span all = {0, shape->context}, seen = ireneo_keys_seen(shape, row);
    size_t count = seen.end - seen.first;
    cap_logits(shape, weights, seen);
    if (shape->soft_cap > 0.0) memcpy(capped, weights + seen.first, count * sizeof *capped);
    ireneo_softmax_again(weights + seen.first, count, w->log_sum[row]);
    ireneo_softmax_backward(weights + seen.first, logits + seen.first, count);
    if (shape->soft_cap > 0.0) ireneo_soft_cap_backward(capped, count, shape->soft_cap, logits + seen.first);
    clear_unseen(weights, all, seen);
    clear_unseen(logits, all, seen);
}

/* Rows of A again, and of the gradient with respect to the logits, for one tile of queries; then dQ. */
static void backward_queries(void *context, size_t number, int thread) {
    const backward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    ireneo_network_trace *trace = w->trace;
    const head_view head = w->head, gradient = w->gradient;
    size_t T = shape->context, width = ireneo_query_width(shape);
    ireneo_span rows = tile_rows(shape, number), keys = ireneo_keys_of_rows(shape, rows);
    size_t count = rows.end - rows.first, seen = keys.end - keys.first;
    ireneo_scalar *weights = trace->weights + rows.first * T,
                  *logits = trace->logit_gradient + rows.first * T;
    tile_logits(head, rows, keys, weights, T);
    ireneo_product(count, seen, head.head_width, 1, ireneo_plain(w->out_gradient + rows.first * width, width),
                   ireneo_turned(head.value + keys.first * head.stride, head.stride), 0, logits + keys.first,
                   T, 1);
    for (size_t row = 0; row < count; row++)
        backward_row(w, rows.first + row, weights + row * T, logits + row * T,
                     tile_of_thread(shape, trace, thread));
    ireneo_product(count, head.head_width, seen, head.factor, ireneo_plain(logits + keys.first, T),
                   ireneo_plain(head.key + keys.first * head.stride, head.stride), 0,
                   gradient.query + rows.first * gradient.stride, gradient.stride, 1);
}

/* dK and dV of one tile of keys, once all rows of A and of the logits' gradient are there. */
static void backward_keys(void *context, size_t number, int thread) {
    (void)thread;
    const backward_work *w = context;
    const ireneo_network_shape *shape = w->shape;
    const ireneo_network_trace *trace = w->trace;
    const head_view head = w->head, gradient = w->gradient;
    size_t T = shape->context, width = ireneo_query_width(shape);
    ireneo_span keys = tile_rows(shape, number), rows = ireneo_rows_of_keys(shape, keys);
    size_t count = keys.end - keys.first, seeing = rows.end - rows.first,
           corner = rows.first * T + keys.first;
    ireneo_product(count, head.head_width, seeing, 1, ireneo_turned(trace->weights + corner, T),
                   ireneo_plain(w->out_gradient + rows.first * width, width), w->keep,
                   gradient.value + keys.first * gradient.stride, gradient.stride, 1);
    ireneo_product(count, head.head_width, seeing, head.factor,
                   ireneo_turned(trace->logit_gradient + corner, T),
                   ireneo_plain(head.query + rows.first * head.stride, head.stride), w->keep,
                   gradient.key + keys.first * gradient.stride, gradient.stride, 1);
}

static void backward_head(backward_work *w) {
    size_t tiles = tile_count(w->shape);
    ireneo_share(tiles, w->trace->threads, backward_queries, w);
    ireneo_share(tiles, w->trace->threads, backward_keys, w);
}

/* From out_gradient (rows, query width) to the gradient of the projections (rows, projection width). */
static void backward_heads(const ireneo_network_shape *shape, ireneo_network_trace *trace, size_t layer,
                           const ireneo_scalar *out_gradient, ireneo_scalar *projections) {
    size_t T = shape->context, heads = shape->heads, width = ireneo_query_width(shape);
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    for (size_t pair = 0; pair < trace->sequences * heads; pair++) {
        size_t sequence = pair / heads, number = pair % heads;
        head_view head = view_head(shape, layer_trace->query_key_value, sequence, number);
        backward_work w = {shape,
                           trace,
                           head,
                           view_head(shape, projections, sequence, number),
                           layer_trace->log_sum + pair * T,
                           out_gradient + sequence * T * width + number * head.head_width,
                           number % (heads / ireneo_key_heads(shape)) == 0 ? 0 : 1};
        backward_head(&w);
    }
    if (shape->gain_control) ireneo_gain_control_backward(shape, trace, out_gradient, projections);
}

/* Through W_O: returns the gradient of the heads' output (rows, query width). */
static const ireneo_scalar *backward_output(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                            ireneo_layer_view gradients, ireneo_network_trace *trace,
                                            size_t layer, const ireneo_scalar *branch_gradient) {
    size_t d = shape->width, rows = trace->rows, width = ireneo_query_width(shape);
    if (!shape->output_projection) return branch_gradient;
    ireneo_product(d, width, rows, 1, ireneo_turned(branch_gradient, d),
                   ireneo_plain(trace->layers[layer].mixed, width), 1, gradients.output, width,
                   trace->threads);
    ireneo_product(rows, width, d, 1, ireneo_plain(branch_gradient, d), ireneo_plain(weights.output, width),
                   0, trace->mixed_gradient, width, trace->threads);
    return trace->mixed_gradient;
}

void ireneo_attention_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                               ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                               const ireneo_scalar *branch_gradient, ireneo_scalar *input_gradient) {
    size_t d = shape->width, rows = trace->rows, projections = ireneo_projection_width(shape),
           keys = ireneo_key_width(shape);
    ireneo_scalar *inner = trace->wide_gradient; /* (rows, projection width) */
    const ireneo_scalar *out_gradient =
        backward_output(shape, weights, gradients, trace, layer, branch_gradient);
    backward_heads(shape, trace, layer, out_gradient, inner);
    ireneo_ready_query_key_backward(shape, trace, layer, inner);
    add_column_totals(inner + projections - keys, rows, keys, projections, gradients.value_bias);
    ireneo_product(projections, d, rows, 1, ireneo_turned(inner, projections),
                   ireneo_plain(trace->layers[layer].attention_input, d), 1, gradients.query_key_value, d,
                   trace->threads);
    ireneo_product(rows, d, projections, 1, ireneo_plain(inner, projections),
                   ireneo_plain(weights.query_key_value, d), 0, input_gradient, d, trace->threads);
}
