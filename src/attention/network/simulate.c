/* Random networks: tokens forward, a random gradient backward, and what happens to both at every depth.
 *
 * Tokens are sqrt(rho_0) z_0 + sqrt(1 - rho_0) z_s with independent Gaussian z, normalised, and for all but
 * post stretched to squared length q_0; or they are a text: random vectors of ids and positions, normalised
 * likewise. The gradient at the output has independent entries N(0, 1 / (context width)), so that its squared
 * norm is about 1. */
#include "attention/network/network_settings.h"
#include "attention/network/order_parameters.h"
#include "attention/network/token_ids.h"
#include "base/floats.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { FIGURES = sizeof(ireneo_attention_depth) / sizeof(ireneo_attention_estimate) };
enum { WORTH_THREADS = 1 << 14 }; /* numbers in the tokens; below, threads wait more than they work */
enum { STREAM_WEIGHTS = 0x41540001, STREAM_TOKENS, STREAM_GRADIENT, STREAM_POSITIONS, STREAMS_PER_DRAW = 16 };

/* One draw's numbers at one depth, in the order of ireneo_attention_depth. */
typedef struct depth_sample {
    double rho, q, participation, entropy, overlap;
    double gradient_tokens, gradient_query, gradient_key, gradient_value, gradient_mlp_in, gradient_mlp_out;
    double rho_early, rho_late, gradient_output, gradient_mlp_gate;
} depth_sample;

_Static_assert(sizeof(depth_sample) == FIGURES * sizeof(double), "one number for every estimate");

typedef struct simulation {
    const ireneo_transformer *transformer;
    ireneo_network_shape shape;
    ireneo_network_scales scales;
    const ireneo_attention_simulate_settings *settings;
    int threads;
    ireneo_network_trace trace;
    ireneo_token_windows text; /* empty: Gaussian tokens */
    float *parameters;         /* all layers */
    float *gradients;          /* one layer */
    float *common;             /* (width): what all tokens share */
    double *scratch;           /* (width) */
    depth_sample *samples;     /* (layers + 1) */
    double *means, *squares;   /* (layers + 1, FIGURES): running mean and sum of squared distances */
} simulation;

static uint64_t stream_of(uint64_t kind, size_t draw) {
    return kind + (uint64_t)draw * STREAMS_PER_DRAW;
}

/* Tokens of overlap rho_0. */
static void draw_gaussian(simulation *s, size_t draw) {
    size_t d = s->shape.width, rows = s->trace.rows;
    uint64_t stream = stream_of(STREAM_TOKENS, draw);
    float *x = s->trace.stream, shared = (float)sqrt(s->transformer->rho_0);
    float own = (float)sqrt(1.0 - s->transformer->rho_0);
    ireneo_random_normals_float(s->settings->seed, stream, 0, d, 1, s->common);
    ireneo_random_normals_float(s->settings->seed, stream, d, rows * d, s->threads, x);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < d; i++) x[row * d + i] = shared * s->common[i] + own * x[row * d + i];
}

/* Standard deviation of the vectors of positions. */
static double position_scale(const simulation *s) {
    if (s->settings->positions != 0.0) return s->settings->positions;
    return s->transformer->rope_base > 0.0 ? 0.0 : 1.0;
}

/* A window of the text; the network is as long as that is. */
static void draw_text(simulation *s, size_t draw) {
    const uint64_t streams[2] = {stream_of(STREAM_TOKENS, draw), stream_of(STREAM_POSITIONS, draw)};
    s->shape.context = ireneo_token_windows_embed(&s->text, draw, s->shape.width, position_scale(s),
                                                  s->settings->seed, streams, s->trace.stream);
    s->trace.rows = s->shape.context;
}

static void draw_tokens(simulation *s, size_t draw) {
    (s->text.count > 0 ? draw_text : draw_gaussian)(s, draw);
    size_t d = s->shape.width, rows = s->trace.rows;
    float *x = s->trace.stream;
    ireneo_network_normalise(&s->shape, x, x, rows, s->trace.layers[0].attention_scale, s->threads);
    if (s->shape.normalisation == IRENEO_NORMALISATION_POST) return;
    float length = (float)sqrt(s->transformer->q_0);
    for (size_t i = 0; i < rows * d; i++) x[i] *= length;
}

/* All tokens or the last ones; and as many at either end, or a quarter. */
static void measure_tokens(simulation *s, depth_sample *sample) {
    size_t rows = s->trace.rows, d = s->shape.width, last = s->settings->last;
    size_t first = last > 0 && last < rows ? rows - last : 0;
    size_t edge = first > 0 ? last : rows < 8 ? 2 : rows / 4;
    const float *x = s->trace.stream;
    double q;
    ireneo_measure_tokens(x + first * d, rows - first, d, s->scratch, &sample->rho, &sample->q);
    ireneo_measure_tokens(x, edge, d, s->scratch, &sample->rho_early, &q);
    ireneo_measure_tokens(x + (rows - edge) * d, edge, d, s->scratch, &sample->rho_late, &q);
}

static void measure_rows(simulation *s, depth_sample *sample) {
    ireneo_measure_rows(&s->shape, &s->trace, &sample->participation, &sample->entropy, &sample->overlap);
    if (s->settings->last == 0) return;
    ireneo_measure_last_rows(&s->shape, &s->trace, s->settings->last, &sample->participation,
                             &sample->entropy);
}

/* How far draw number `draw` is, as a share of it. */
static ireneo_error tell(const simulation *s, size_t draw, double share) {
    if (ireneo_report(s->settings->progress, "networks", (double)draw + share, (double)s->settings->draws))
        return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped in draw %zu of %zu", draw + 1,
                           s->settings->draws);
    return IRENEO_OK;
}

static ireneo_error forward(simulation *s, size_t draw) {
    const ireneo_network_shape *shape = &s->shape;
    draw_tokens(s, draw);
    ireneo_network_draw(shape, &s->scales, s->settings->seed, stream_of(STREAM_WEIGHTS, draw), s->parameters,
                        s->threads);
    ireneo_network_begin(shape, &s->trace);
    measure_tokens(s, &s->samples[0]);
    for (size_t layer = 0; layer < shape->layers; layer++) {
        depth_sample *sample = &s->samples[layer + 1];
        ireneo_network_layer_forward(shape, ireneo_network_layer(shape, s->parameters, layer), &s->trace,
                                     layer);
        measure_tokens(s, sample);
        if (!isfinite(sample->q))
            return ireneo_fail(IRENEO_ERROR_NUMERIC,
                               "the tokens grow beyond all numbers in layer %zu; smaller variances or a norm "
                               "in every block keep them finite",
                               layer + 1);
        measure_rows(s, sample);
        IRENEO_TRY(tell(s, draw, (double)(layer + 1) / (double)shape->layers / 3.0));
    }
    return IRENEO_OK;
}

/* Squared norms of one layer's gradients, over `whole`. */
static void measure_gradients(const ireneo_network_shape *shape, ireneo_layer_view sums, double whole,
                              depth_sample *sample) {
    size_t d = shape->width, m = shape->mlp_width, queries = ireneo_query_width(shape) * d,
           keys = ireneo_key_width(shape) * d, gates = ireneo_hidden_width(shape) - m;
    sample->gradient_query = ireneo_square_sum(sums.query_key_value, queries) / whole;
    sample->gradient_key = ireneo_square_sum(sums.query_key_value + queries, keys) / whole;
    sample->gradient_value = ireneo_square_sum(sums.query_key_value + queries + keys, keys) / whole;
    if (shape->output_projection) sample->gradient_output = ireneo_square_sum(sums.output, queries) / whole;
    sample->gradient_mlp_in = ireneo_square_sum(sums.mlp_in, m * d) / whole;
    if (gates > 0) sample->gradient_mlp_gate = ireneo_square_sum(sums.mlp_in + m * d, gates * d) / whole;
    sample->gradient_mlp_out = ireneo_square_sum(sums.mlp_out, d * m) / whole;
}

static ireneo_error backward(simulation *s, size_t draw) {
    const ireneo_network_shape *shape = &s->shape;
    size_t count = s->trace.rows * shape->width;
    float *gradient = s->trace.gradient, size = (float)(1.0 / sqrt((double)count));
    ireneo_random_normals_float(s->settings->seed, stream_of(STREAM_GRADIENT, draw), 0, count, s->threads,
                                gradient);
    for (size_t i = 0; i < count; i++) gradient[i] *= size;
    double whole = ireneo_square_sum(gradient, count);
    s->samples[shape->layers].gradient_tokens = 1.0;
    ireneo_layer_view sums = ireneo_network_layer(shape, s->gradients, 0);
    for (size_t layer = shape->layers; layer-- > 0;) {
        memset(s->gradients, 0, ireneo_network_parameters(shape) / shape->layers * sizeof *s->gradients);
        ireneo_network_layer_backward(shape, ireneo_network_layer(shape, s->parameters, layer), sums,
                                      &s->trace, layer);
        measure_gradients(shape, sums, whole, &s->samples[layer + 1]);
        s->samples[layer].gradient_tokens = ireneo_square_sum(gradient, count) / whole;
        IRENEO_TRY(tell(s, draw, 1.0 - 2.0 * (double)layer / (double)shape->layers / 3.0));
    }
    return IRENEO_OK;
}

/* Welford's update of means and squared distances with the sample of one draw. */
static void add_sample(simulation *s, size_t draw) {
    const double *values = (const double *)s->samples;
    for (size_t i = 0; i < (s->shape.layers + 1) * FIGURES; i++) {
        double before = values[i] - s->means[i];
        s->means[i] += before / (double)(draw + 1);
        s->squares[i] += before * (values[i] - s->means[i]);
    }
}

static void write_report(const simulation *s, ireneo_attention_depth *depths) {
    double draws = (double)s->settings->draws;
    for (size_t depth = 0; depth <= s->shape.layers; depth++) {
        ireneo_attention_estimate *out = (ireneo_attention_estimate *)&depths[depth];
        for (size_t i = 0; i < FIGURES; i++) {
            size_t at = depth * FIGURES + i;
            out[i].mean = s->means[at];
            out[i].error = draws > 1.0 ? sqrt(s->squares[at] / (draws * (draws - 1.0))) : NAN;
        }
    }
}

static ireneo_error allocate(simulation *s) {
    size_t depths = s->shape.layers + 1, parameters = ireneo_network_parameters(&s->shape);
    bool backward_too = !s->settings->forward_only;
    IRENEO_TRY(ireneo_ram_require((double)parameters * sizeof(float), "the network's parameters"));
    IRENEO_TRY(ireneo_network_trace_create(&s->shape, 1, s->threads, backward_too, true, &s->trace));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->parameters, parameters, "the network's parameters"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->gradients, parameters / s->shape.layers, "gradients"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->common, s->shape.width, "tokens"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->scratch, s->shape.width, "tokens"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->samples, depths, "measurements"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->means, depths * FIGURES, "measurements"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->squares, depths * FIGURES, "measurements"));
    for (size_t i = 0; i < depths * FIGURES; i++) ((double *)s->samples)[i] = NAN;
    return IRENEO_OK;
}

static void release(simulation *s) {
    ireneo_token_windows_free(&s->text);
    ireneo_network_trace_free(&s->trace);
    free(s->parameters);
    free(s->gradients);
    free(s->common);
    free(s->scratch);
    free(s->samples);
    free(s->means);
    free(s->squares);
}

static ireneo_error run_draws(simulation *s, ireneo_attention_depth *depths) {
    IRENEO_TRY(allocate(s));
    for (size_t draw = 0; draw < s->settings->draws; draw++) {
        IRENEO_TRY(forward(s, draw));
        if (!s->settings->forward_only) IRENEO_TRY(backward(s, draw));
        add_sample(s, draw);
    }
    write_report(s, depths);
    return IRENEO_OK;
}

/* The text, when there is one; the network has room for its longest window, and weights for the context that was asked for. */
static ireneo_error read_text(simulation *s) {
    if (s->settings->tokens == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_token_windows_cut(s->settings->tokens, (size_t)s->transformer->context, &s->text));
    s->scales.context = s->transformer->context;
    s->shape.context = s->text.longest;
    return IRENEO_OK;
}

ireneo_error ireneo_attention_simulate(const ireneo_transformer *transformer,
                                       const ireneo_attention_simulate_settings *settings,
                                       ireneo_attention_depth *depths) {
    ireneo_attention_simulate_settings chosen = {0};
    if (settings != NULL) chosen = *settings;
    if (chosen.draws == 0) chosen.draws = 10;
    IRENEO_REQUIRE(depths != NULL, "a simulation needs room for every depth");
    IRENEO_TRY(ireneo_check_reserved(chosen.reserved, "the simulation's settings"));
    simulation s = {.transformer = transformer, .settings = &chosen};
    IRENEO_TRY(ireneo_network_read(transformer, &s.shape, &s.scales));
    if (chosen.last == 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "overlaps are between tokens: measure the last 2 or more");
    if (!(fabs(chosen.positions) <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the vectors of positions must lie below 1e6, not %g",
                           chosen.positions);
    IRENEO_TRY(read_text(&s));
    ireneo_error failed = ireneo_enter(chosen.threads, &s.threads);
    if (s.shape.context * s.shape.width < WORTH_THREADS) s.threads = 1;
    if (failed == IRENEO_OK) failed = ireneo_leave(run_draws(&s, depths));
    release(&s);
    return failed;
}
