/* One attention layer: the averages of its rows put together to what leaves it.
 *
 *     sigma^2 = beta^2 q (q - p) log T                         spread of the logits within a row
 *     q_att = p + (q - p) Y2 ,   p_att = p + (q - p) O12
 *     finite width:  (q - p) S / (sigma^2 d) more in q_att, where S = E sum_{k != l} A_k A_l e_k e_l and by
 *                    two integrations by parts S / sigma^2 = sigma^2 (1 - 5 Y2 + 4 Y3 + 6 (E Y2^2 - Y4))
 *     gradient:      q (q - p)^2 sigma_v^2 beta { E[Y2 - 2 Y3 + Y2^2] + 1/d } . */
#include "attention/theory/rem.h"
#include "attention/theory/transformer.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

static ireneo_error check_input(const ireneo_attention_input *input) {
    IRENEO_TRY(ireneo_check_reserved(input->reserved, "the input"));
    IRENEO_TRY(ireneo_check_context(input->beta, input->context, input->keys));
    if (!(input->q > 0.0 && input->q <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "q, the overlap of a token with itself, must lie between 0 and 1e6, not %g",
                           input->q);
    if (!(input->p >= 0.0 && input->p <= input->q))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "p, the overlap of two tokens, must lie between 0 and q = %g, not %g", input->q,
                           input->p);
    if (!(input->value_variance >= 0.0 && input->value_variance <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the value variance must lie between 0 and 1e12, not %g",
                           input->value_variance);
    if (!(input->value_bias_variance >= 0.0 && input->value_bias_variance <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the value bias variance must lie between 0 and 1e12, not %g",
                           input->value_bias_variance);
    return IRENEO_OK;
}

/* Overlaps after attention and values; `uniform` is what gain control subtracts from each weight's square. */
static void outputs(const ireneo_attention_input *input, double participation, double overlap, double uniform,
                    double *q_out, double *p_out) {
    double gap = input->q - input->p, base = input->gain_control ? 0.0 : input->p;
    if (!input->gain_control) uniform = 0.0;
    *q_out = input->value_variance * (base + gap * (participation - uniform)) + input->value_bias_variance;
    *p_out = input->value_variance * (base + gap * (overlap - uniform)) + input->value_bias_variance;
}

static double gradient(const ireneo_attention_input *input, const ireneo_rem_row *row, double floor) {
    double gap = input->q - input->p;
    return input->q * gap * gap * input->value_variance * input->beta *
           (row->y[2] - 2.0 * row->y[3] + row->y2_squared + floor);
}

static double finite_width_share(const ireneo_attention_input *input, const ireneo_rem_row *row,
                                 double sigma) {
    double s =
        sigma * sigma * (1.0 - 5.0 * row->y[2] + 4.0 * row->y[3] + 6.0 * (row->y2_squared - row->y[4]));
    return input->value_variance * (input->q - input->p) * s / (double)input->width;
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

/* The layer whose q is known. */
static ireneo_error describe(const ireneo_attention_input *input, ireneo_attention_report *report) {
    IRENEO_TRY(check_input(input));
    double keys = input->keys > 0.0 ? input->keys : input->context, rho = input->p / input->q;
    double variance = input->q * (input->q - input->p) * log(input->context);
    double sigma = input->beta * sqrt(variance), b = sigma / sqrt(log(keys));
    ireneo_rem_row row, limit;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_rem_exact(sigma, keys, &row);
    if (failed == IRENEO_OK) failed = ireneo_rem_row_overlap(sigma, rho, keys, &report->overlap);
    IRENEO_TRY(ireneo_leave(failed));
    ireneo_rem_limit(b, log(keys), &limit);
    write_rows(&row, &limit, report);
    report->beta_c = sqrt(2.0 * log(keys) / variance);
    report->beta_effective = b;
    report->participation_exponent = ireneo_rem_participation_exponent(b);
    report->overlap_exponent = ireneo_rem_overlap_exponent(b, rho);
    outputs(input, row.y[2], report->overlap, 1.0 / keys, &report->q_out, &report->p_out);
    outputs(input, limit.y[2], 0.0, 0.0, &report->q_out_limit, &report->p_out_limit);
    report->gradient_limit = gradient(input, &limit, 0.0);
    report->gradient = gradient(input, &row, 0.0);
    if (input->width > 0) {
        report->finite_width_q = finite_width_share(input, &row, sigma);
        report->finite_width_p = rho * report->finite_width_q;
        report->gradient = gradient(input, &row, 1.0 / (double)input->width);
        report->gradient_floor = report->gradient - gradient(input, &row, 0.0);
    }
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
