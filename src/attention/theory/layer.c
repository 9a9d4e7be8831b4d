/* One attention layer: the averages of its rows (row_law.c) put together to what leaves it.
 *
 *     sigma^2 = beta^2 q (q - p) log T                         spread of the logits within a row
 *     q_att = p + (q - p) Y2 ,   p_att = p + (q - p) O12
 *     finite width:  (q - p) S / (sigma^2 d) more in q_att, where S = E sum_{k != l} A_k A_l e_k e_l and by
 *                    two integrations by parts S / sigma^2 = sigma^2 (1 - 5 Y2 + 4 Y3 + 6 (E Y2^2 - Y4)); of two
 *                    rows, whose preferred directions have overlap rho, rho sigma^2 (1 - Y2)^2 in p_att
 *     gradient:      q (q - p)^2 sigma_v^2 beta { E[Y2 - 2 Y3 + Y2^2] + 1/d } .
 *
 * One q - p of the gradient is that of values, the other of keys, for which rotations put q - p r. A norm of queries and keys
 * has S = g^2 in the place of the logits' variance beta^2 q^2 log T, and |dL/dW_Q|^2 is S over the variance of the
 * queries before the norm: S / (beta q log T) in the place of beta q. */
#include "attention/theory/row_law.h"
#include "attention/theory/transformer.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

static ireneo_error check_scales(const ireneo_attention_input *input) {
    const struct {
        const char *name;
        double value;
    } scales[] = {{"value variance", input->value_variance},
                  {"value bias variance", input->value_bias_variance},
                  {"gain of queries and keys", input->query_key_norm},
                  {"cap of the logits", input->soft_cap}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (!(scales[i].value >= 0.0 && scales[i].value <= 1e12))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the %s must lie between 0 and 1e12, not %g",
                               scales[i].name, scales[i].value);
    return IRENEO_OK;
}

static ireneo_error check_input(const ireneo_attention_input *input) {
    IRENEO_TRY(ireneo_check_reserved(input->reserved, "the input"));
    IRENEO_TRY(ireneo_check_context(input->beta, input->context, input->keys));
    IRENEO_TRY(ireneo_check_sight(input->context, input->window, input->rope_base));
    if (!(input->q > 0.0 && input->q <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "q, the overlap of a token with itself, must lie between 0 and 1e6, not %g",
                           input->q);
    if (!(input->p >= 0.0 && input->p <= input->q))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "p, the overlap of two tokens, must lie between 0 and q = %g, not %g", input->q,
                           input->p);
    if (input->rope_base > 0.0 && input->head_width < 2 && input->width < 2)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "rotary positions turn the planes of a head: its width must be given");
    return check_scales(input);
}

static ireneo_row_law law_of(const ireneo_attention_input *input) {
    size_t head_width = input->head_width > 0 ? input->head_width : input->width;
    bool normed = input->query_key_norm > 0.0;
    double rows = input->keys > 0.0 ? input->keys : input->context;
    return (ireneo_row_law){.keys = ireneo_window_keys(rows, input->window),
                            .shared = ireneo_window_shared(rows, input->window),
                            .spread = normed ? input->query_key_norm
                                             : input->beta * input->q * sqrt(log(input->context)),
                            .sphere = normed ? head_width : 0,
                            .cap = input->soft_cap,
                            .rope = {input->rope_base, head_width}};
}

/* Overlaps after attention and values; `uniform` is what gain control subtracts from each weight's square. */
static void outputs(const ireneo_attention_input *input, double participation, double overlap, double uniform,
                    double *q_out, double *p_out) {
    double gap = input->q - input->p, base = input->gain_control ? 0.0 : input->p;
    double bias =
        input->gain_control ? 0.0 : input->value_bias_variance; /* weights that sum to 0 cancel it */
    if (!input->gain_control) uniform = 0.0;
    *q_out = input->value_variance * (base + gap * (participation - uniform)) + bias;
    *p_out = input->value_variance * (base + gap * (overlap - uniform)) + bias;
}

static double gradient(const ireneo_attention_input *input, const ireneo_row_law *law, double condensed) {
    double gap = input->q - input->p, apart = input->q * ireneo_row_distance(law, gap / input->q);
    return gap * input->value_variance * condensed *
           ireneo_query_gradient(law->spread * law->spread, input->beta, log(input->context), input->q,
                                 apart);
}

static void write_rows(const ireneo_rem_row *row, const ireneo_rem_row *limit,
                       ireneo_attention_report *report) {
    report->participation = row->y[2];
    report->participation_limit = limit->y[2];
    report->y3 = row->y[3];
    report->y3_limit = limit->y[3];
    report->y4 = row->y[4];
    report->y4_limit = limit->y[4];
    report->y2_squared = row->y2_squared;
    report->y2_squared_limit = limit->y2_squared;
    report->entropy = row->entropy;
    report->entropy_limit = limit->entropy;
}

/* What is of order 1/d. Tokens of one length that point more along the preferred direction point less along all others, what they
 * share included: E sum_k A_k e_k^2 / sigma^2 - 1 = sigma^2 (1 - 3 Y2 + 2 Y3) by parts, of which p loses its share. */
static void write_width(const ireneo_attention_input *input, const ireneo_row_law *law,
                        const ireneo_rem_row *row, ireneo_attention_report *report) {
    if (input->width == 0) return;
    double distance = 1.0 - input->p / input->q, sigma = row->slope * law->spread * sqrt(distance);
    double scale = input->value_variance * (input->q - input->p) * sigma * sigma / (double)input->width;
    double lost = (1.0 - distance) * (1.0 - 3.0 * row->y[2] + 2.0 * row->y[3]);
    double along =
        ireneo_rope_mean(&law->rope, law->keys); /* of the directions that two keys are asked for */
    if (input->gain_control) lost = 0.0;
    report->finite_width_q = scale * (along * ireneo_rem_tilt(row) - lost);
    report->finite_width_p =
        scale *
        (along * (1.0 - distance) * ireneo_tilt_of_two(ireneo_rem_tilt(row), row->y[2], distance) - lost);
    report->gradient_floor = gradient(input, law, row->slope * row->slope / (double)input->width);
    report->gradient += report->gradient_floor;
}

/* The rows themselves. */
static ireneo_error average(const ireneo_row_law *law, double distance, ireneo_rem_row *row,
                            ireneo_attention_report *report, double *sigma) {
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_row_averages(law, distance, row);
    if (failed == IRENEO_OK) failed = ireneo_row_overlap(law, distance, &report->overlap);
    *sigma = law->spread * sqrt(ireneo_row_distance(law, distance));
    if (failed == IRENEO_OK && law->cap > 0.0) failed = ireneo_row_gaussian_spread(law, distance, sigma);
    return ireneo_leave(failed);
}

/* The layer whose q is known. A cap holds logits far below sqrt(log T): in the limit weights are equal. */
static ireneo_error describe(const ireneo_attention_input *input, ireneo_attention_report *report) {
    IRENEO_TRY(check_input(input));
    ireneo_row_law law = law_of(input);
    ireneo_rem_row row, limit;
    double rho = input->p / input->q, log_keys = log(law.keys), sigma;
    IRENEO_TRY(average(&law, 1.0 - rho, &row, report, &sigma));
    double logit_scale = input->query_key_norm > 0.0 ? 1.0 : input->q;
    double variance = logit_scale * logit_scale * ireneo_row_distance(&law, 1.0 - rho) * log(input->context);
    double b = sigma / sqrt(log_keys), b_limit = law.cap > 0.0 ? 0.0 : b;
    ireneo_rem_limit(b_limit, log_keys, &limit);
    write_rows(&row, &limit, report);
    report->beta_c = law.cap > 0.0 ? INFINITY : sqrt(2.0 * log_keys / variance);
    report->beta_effective = b;
    report->participation_exponent = ireneo_rem_participation_exponent(b_limit);
    report->overlap_exponent =
        ireneo_rem_overlap_exponent(b_limit, ireneo_row_correlation(&law, law.keys, rho));
    outputs(input, row.y[2], report->overlap, 1.0 / law.keys, &report->q_out, &report->p_out);
    outputs(input, limit.y[2], 0.0, 0.0, &report->q_out_limit, &report->p_out_limit);
    report->gradient_limit = gradient(input, &law, limit.condensed);
    report->gradient = gradient(input, &law, row.condensed);
    write_width(input, &law, &row, report);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_layer(const ireneo_attention_input *input, ireneo_attention_report *report) {
    IRENEO_REQUIRE(report != NULL, "a layer needs a report to be written to");
    memset(report, 0, sizeof *report);
    IRENEO_REQUIRE(input != NULL, "a layer needs its input");
    ireneo_attention_input chosen = *input;
    if (chosen.q == 0.0) chosen.q = 1.0;
    ireneo_attention_report made = {0}; /* what fails half-way leaves no half of a report */
    IRENEO_TRY(describe(&chosen, &made));
    *report = made;
    return IRENEO_OK;
}
