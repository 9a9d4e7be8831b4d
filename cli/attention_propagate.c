/* ireneo attention propagate: how alike tokens become over depth. */
#include "attention.h"

#include <math.h>
#include <stdio.h>

/* Layers worth a line: the first ones, then fewer and fewer, and the last. */
static bool shown(size_t layer, size_t layers, bool all) {
    if (all || layer <= 5 || layer == layers) return true;
    size_t step = 5;
    while (layer >= 20 * step) step *= step % 10 == 5 ? 2 : 5;
    return layer % step == 0;
}

static void print_depth(const ireneo_transformer *t, const ireneo_attention_propagation *p, bool all) {
    bool pre = t->normalisation != IRENEO_NORMALISATION_POST;
    printf("\n  layer   similarity rho       1 - rho%s   participation Y2     entropy (nats)\n",
           pre ? "          q" : "");
    printf("          exact     T to inf   exact  %s   exact     limit      exact     limit\n",
           pre ? "    exact  " : "");
    for (size_t l = 0; l <= p->layers; l++) {
        if (!shown(l, p->layers, all)) continue;
        printf("  %5zu   %-8.5f  %-8.5f   %8.2e", l, p->rho[l], p->rho_limit[l], p->distance[l]);
        if (pre) printf("  %8.3g", p->scale[l]);
        if (l < p->layers)
            printf("   %-8.5f  %-8.5f   %7.3f   %7.3f", p->participation[l], p->participation_limit[l],
                   p->entropy[l], p->entropy_limit[l]);
        printf("\n");
    }
}

/* Under a causal mask: early and late rows beside the mean. */
static void print_rows(const ireneo_attention_propagation *p, bool all) {
    printf("\n  layer   rho of all rows   first quarter   last quarter\n");
    for (size_t l = 0; l <= p->layers; l++)
        if (shown(l, p->layers, all))
            printf("  %5zu   %-8.5f          %-8.5f        %-8.5f\n", l, p->rho[l], p->rho_early[l],
                   p->rho_late[l]);
}

static void print_stability(const ireneo_transformer *t, const ireneo_attention_propagation *p) {
    printf("\nNear collapse 1 - rho shrinks by chi = %.5f a layer (attention %.5f, MLP %.5f)", p->chi,
           p->chi_attention, p->chi_mlp);
    if (isfinite(p->correlation_depth))
        printf(": by e every %.2f layers.\n", p->correlation_depth);
    else
        printf(": tokens stay apart.\n");
    if (isfinite(p->critical_residual))
        printf("At infinite depth tokens stay apart when the attention residual strength exceeds %.4g.\n",
               p->critical_residual);
    else
        printf("At infinite depth no residual strength prevents rank collapse with this MLP.\n");
    if (t->normalisation == IRENEO_NORMALISATION_PRE)
        printf("(pre-LN: chi is taken at the last layer's q.)\n");
}

static void write_list(ireneo_json *json, const char *key, const double *values, size_t count) {
    ireneo_json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) ireneo_json_number(json, NULL, values[i]);
    ireneo_json_end_array(json);
}

static int print_report(const command *self, const ireneo_transformer *t,
                        const ireneo_attention_propagation *p, double residual, double residual_limit,
                        double rank_limit) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    write_transformer(&json, "transformer", t);
    write_list(&json, "rho", p->rho, p->layers + 1);
    write_list(&json, "rho_limit", p->rho_limit, p->layers + 1);
    if (t->causal) {
        write_list(&json, "rho_early", p->rho_early, p->layers + 1);
        write_list(&json, "rho_late", p->rho_late, p->layers + 1);
    }
    write_list(&json, "distance", p->distance, p->layers + 1);
    write_list(&json, "distance_limit", p->distance_limit, p->layers + 1);
    write_list(&json, "q", p->scale, p->layers + 1);
    write_list(&json, "q_limit", p->scale_limit, p->layers + 1);
    write_list(&json, "participation", p->participation, p->layers);
    write_list(&json, "participation_limit", p->participation_limit, p->layers);
    write_list(&json, "entropy", p->entropy, p->layers);
    write_list(&json, "entropy_limit", p->entropy_limit, p->layers);
    ireneo_json_number(&json, "chi", p->chi);
    ireneo_json_number(&json, "chi_attention", p->chi_attention);
    ireneo_json_number(&json, "chi_mlp", p->chi_mlp);
    ireneo_json_number(&json, "correlation_depth", p->correlation_depth);
    ireneo_json_number(&json, "critical_residual", p->critical_residual);
    ireneo_json_number(&json, "rank_limit", rank_limit);
    ireneo_json_number(&json, "critical_residual_at_depth", residual);
    ireneo_json_number(&json, "critical_residual_at_depth_limit", residual_limit);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    transformer_options t;
    bool json = false, all = false;
    double rank_limit = 0.05, residual, residual_limit;
    declare_transformer(&t);
    const option own[] = {
        NUMBER("rank-limit", &rank_limit, "E", "collapse is 1 - rho below E (default 0.05)", 1e-12, 0.999),
        FLAG("all", &all, "a line for every layer"),
        JSON(&json),
        OPTIONS_END,
    };
    declare_options(&t, own);
    int outcome = parse_transformer(self, argc, argv, &t);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    ireneo_attention_propagation p;
    ireneo_error failed = ireneo_attention_propagate(&t.transformer, &p);
    if (failed == IRENEO_OK)
        failed = ireneo_attention_critical_residual(&t.transformer, rank_limit, &residual, &residual_limit);
    if (failed != IRENEO_OK) {
        ireneo_attention_propagation_free(&p);
        return report_error(self, failed);
    }
    if (json) {
        outcome = print_report(self, &t.transformer, &p, residual, residual_limit, rank_limit);
    } else {
        print_transformer(&t.transformer);
        print_depth(&t.transformer, &p, all);
        if (t.transformer.causal) print_rows(&p, all);
        print_stability(&t.transformer, &p);
        printf(
            "To keep 1 - rho above %g after %zu layers the attention residual strength must be at least %.4g "
            "(T to inf: %.4g).\n",
            rank_limit, p.layers, residual, residual_limit);
        outcome = finish_output(self, EXIT_DONE);
    }
    ireneo_attention_propagation_free(&p);
    return outcome;
}

const command command_attention_propagate = {
    "attention propagate", "similarity of tokens over depth, and how fast they become alike", run, "",
    "Layer 0 is the input. Rank collapse is rho near 1: every token carries the same signal. Variances are "
    "those "
    "of the\nentries times the number of inputs; standard deviations as in initializer_range: --std."};
