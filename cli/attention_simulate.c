/* ireneo attention simulate: real random networks, measured at every depth. */
#include "attention_tokens.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_cell(ireneo_attention_estimate e) {
    if (isnan(e.mean))
        printf(" %18s", "");
    else if (isnan(e.error))
        printf(" %9.4f         ", e.mean);
    else
        printf(" %9.4f %8.4f", e.mean, e.error);
}

/* What the theory says beside what was measured; empty where it says nothing. */
typedef struct expectation {
    ireneo_attention_propagation depth; /* rho == NULL: not covered, and why_not tells what */
    double *gradient;                   /* NULL: not covered, or no backward pass */
    char why_not[256];
} expectation;

static ireneo_error expect(const ireneo_transformer *t, const ireneo_attention_simulate_settings *settings,
                           expectation *e) {
    *e = (expectation){0};
    ireneo_error failed = ireneo_attention_propagate_last(t, (double)settings->last, &e->depth);
    if (failed == IRENEO_ERROR_ARGUMENT) { /* the network ran, so that only the theory can be meant */
        snprintf(e->why_not, sizeof e->why_not, "%s", ireneo_last_error());
        return IRENEO_OK;
    }
    if (failed != IRENEO_OK || settings->forward_only) return failed;
    e->gradient = calloc(t->layers + 1, sizeof *e->gradient);
    if (e->gradient == NULL)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the gradients of %zu layers",
                           t->layers);
    failed = ireneo_attention_gradient_depth(t, e->gradient);
    if (failed != IRENEO_ERROR_ARGUMENT) return failed;
    free(e->gradient);
    e->gradient = NULL;
    return IRENEO_OK;
}

static void forget(expectation *e) {
    ireneo_attention_propagation_free(&e->depth);
    free(e->gradient);
}

static void print_table(const ireneo_transformer *t, const ireneo_attention_simulate_settings *settings,
                        const ireneo_attention_depth *depths, const expectation *e) {
    bool ends =
        t->causal && settings->last == 0; /* otherwise all rows are alike, or rho is that of the last */
    print_transformer(t);
    printf("%zu network%s%s, ", settings->draws, settings->draws == 1 ? "" : "s",
           t->causal ? ", causal attention" : "");
    if (settings->tokens != NULL)
        printf("%.4g tokens of text of overlap %.4g", t->keys, t->rho_0);
    else
        printf("tokens of overlap %g", t->rho_0);
    if (settings->last > 0) printf(", the last %zu measured", settings->last);
    printf(" (seed %llu)\n\n", (unsigned long long)settings->seed);
    printf("depth         rho    error      law");
    if (ends) printf("     early    error      late    error");
    printf("         q    error        Y2    error   entropy    error");
    if (!settings->forward_only)
        printf("   |dL/dx|^2%s  |dL/dW_Q|^2", e->gradient != NULL ? "        law" : "");
    printf("\n");
    for (size_t depth = 0; depth <= t->layers; depth++) {
        const ireneo_attention_depth *r = &depths[depth];
        printf("%5zu  ", depth);
        print_cell(r->rho);
        if (e->depth.rho != NULL)
            printf(" %8.4f", e->depth.rho[depth]);
        else
            printf(" %8s", "");
        if (ends) print_cell(r->rho_early);
        if (ends) print_cell(r->rho_late);
        print_cell(r->q);
        print_cell(r->participation);
        print_cell(r->entropy);
        if (!isnan(r->gradient_tokens.mean)) printf("  %10.3e", r->gradient_tokens.mean);
        if (e->gradient != NULL) printf(" %10.3e", e->gradient[depth]);
        if (!isnan(r->gradient_query.mean)) printf("   %10.3e", r->gradient_query.mean);
        printf("\n");
    }
    if (e->depth.rho != NULL) printf("\nThe law of rho is the recursion that is exact at T");
    if (e->depth.rho != NULL)
        printf(t->causal && settings->last > 0 ? ", for the last %zu rows." : ".", settings->last);
    if (e->depth.rho == NULL) printf("\nThere is no law: %s.", e->why_not);
    if (e->gradient != NULL) printf(" That of gradients is for wide networks.");
    if (!settings->forward_only) printf(" Squared norms are relative to the output's.");
    if (ends) printf("\nEarly and late: among the first and the last quarter of the tokens.");
    printf("\n");
}

static void list_numbers(ireneo_json *json, const char *key, const double *values, size_t count) {
    ireneo_json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) ireneo_json_number(json, NULL, values[i]);
    ireneo_json_end_array(json);
}

static void list_estimates(ireneo_json *json, const char *name, const ireneo_attention_depth *depths,
                           size_t layers, size_t offset) {
    char key[64];
    for (int errors = 0; errors < 2; errors++) {
        snprintf(key, sizeof key, "%s%s", name, errors ? "_error" : "");
        ireneo_json_begin_array(json, key);
        for (size_t depth = 0; depth <= layers; depth++) {
            ireneo_attention_estimate e;
            memcpy(&e, (const char *)&depths[depth] + offset, sizeof e);
            ireneo_json_number(json, NULL, errors ? e.error : e.mean);
        }
        ireneo_json_end_array(json);
    }
}

static int print_as_json(const command *self, const ireneo_transformer *t, const char *text,
                         const ireneo_attention_simulate_settings *settings,
                         const ireneo_attention_depth *depths, const expectation *e) {
    static const struct {
        const char *name;
        size_t offset;
    } columns[] = {
        {"rho", offsetof(ireneo_attention_depth, rho)},
        {"q", offsetof(ireneo_attention_depth, q)},
        {"participation", offsetof(ireneo_attention_depth, participation)},
        {"entropy", offsetof(ireneo_attention_depth, entropy)},
        {"overlap", offsetof(ireneo_attention_depth, overlap)},
        {"gradient_tokens", offsetof(ireneo_attention_depth, gradient_tokens)},
        {"gradient_query", offsetof(ireneo_attention_depth, gradient_query)},
        {"gradient_key", offsetof(ireneo_attention_depth, gradient_key)},
        {"gradient_value", offsetof(ireneo_attention_depth, gradient_value)},
        {"gradient_mlp_in", offsetof(ireneo_attention_depth, gradient_mlp_in)},
        {"gradient_mlp_out", offsetof(ireneo_attention_depth, gradient_mlp_out)},
        {"rho_early", offsetof(ireneo_attention_depth, rho_early)},
        {"rho_late", offsetof(ireneo_attention_depth, rho_late)},
        {"gradient_output", offsetof(ireneo_attention_depth, gradient_output)},
        {"gradient_mlp_gate", offsetof(ireneo_attention_depth, gradient_mlp_gate)},
    };
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    if (text != NULL) ireneo_json_text(&json, "tokens", text);
    write_transformer(&json, "transformer", t);
    ireneo_json_bool(&json, "causal", t->causal != 0);
    ireneo_json_size(&json, "draws", settings->draws);
    ireneo_json_size(&json, "seed", settings->seed);
    if (settings->last > 0) ireneo_json_size(&json, "last", settings->last);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        list_estimates(&json, columns[i].name, depths, t->layers, columns[i].offset);
    if (e->depth.rho != NULL) list_numbers(&json, "rho_law", e->depth.rho, t->layers + 1);
    if (e->gradient != NULL) list_numbers(&json, "gradient_tokens_law", e->gradient, t->layers + 1);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

/* What a text turned out to be, for the law: its number of tokens and their overlap. */
static ireneo_error describe_text(ireneo_transformer *t, const ireneo_attention_simulate_settings *settings,
                                  const ireneo_attention_depth *depths) {
    if (settings->tokens == NULL) return IRENEO_OK;
    t->rho_0 = fmax(depths[0].rho.mean, 0.0);
    return ireneo_attention_tokens_keys(settings->tokens, t->context, settings->draws, &t->keys);
}

/* Measures and prints; depths is (layers + 1); `text`: where tokens came from, or NULL. */
static int measure(const command *self, ireneo_transformer *t, const char *text,
                   ireneo_attention_simulate_settings *settings, ireneo_attention_depth *depths, bool json) {
    catch_interrupts();
    settings->progress = start_progress();
    ireneo_error failed = ireneo_attention_simulate(t, settings, depths);
    finish_progress();
    expectation e = {0};
    if (failed == IRENEO_OK) failed = describe_text(t, settings, depths);
    if (failed == IRENEO_OK) failed = expect(t, settings, &e);
    int outcome = EXIT_DONE;
    if (failed != IRENEO_OK) {
        outcome = report_error(self, failed);
    } else if (json) {
        outcome = print_as_json(self, t, text, settings, depths, &e);
    } else {
        print_table(t, settings, depths, &e);
        outcome = finish_output(self, EXIT_DONE);
    }
    forget(&e);
    return outcome;
}

static int run(const command *self, int argc, char **argv) {
    transformer_options t;
    ireneo_attention_simulate_settings settings = {.draws = 10, .seed = 1};
    token_options text = {.padding = NAN};
    bool json = false, forward = false;
    size_t threads = 0;
    declare_transformer(&t);
    const option own[] = {
        COUNT("draws", &settings.draws, "N", "independent networks (default 10)", 1, 1e6),
        TOKEN_OPTIONS(&text),
        NUMBER("positions", &settings.positions, "S",
               "deviation of position vectors, over that of ids (default 1; 0 with --rope)", 0, 1e6),
        COUNT("last", &settings.last, "N", "measure the last N tokens only", 2, 1e6),
        FLAG("forward", &forward, "leave out the gradients"),
        SEED("seed", &settings.seed, "seed of the random numbers (default 1)"),
        THREADS(&threads),
        JSON(&json),
        OPTIONS_END,
    };
    declare_options(&t, own);
    int outcome = parse_transformer(self, argc, argv, &t);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    settings.forward_only = forward;
    settings.threads = (int)threads;
    if (was_given(&t, "positions") && settings.positions == 0.0) settings.positions = -1.0;
    if (text.path == NULL && was_given(&t, "positions"))
        return complain(self, EXIT_USAGE, "--positions belongs to --tokens, which is missing");
    if (text.path != NULL && was_given(&t, "rho0"))
        return complain(self, EXIT_USAGE, "the overlap of tokens comes from --tokens: leave out --rho0");
    if (text.path != NULL && was_given(&t, "keys"))
        return complain(self, EXIT_USAGE, "which tokens are padding comes from --tokens: leave out --keys");
    outcome = open_tokens(self, &t, &text);
    if (outcome != 0) return outcome;
    if (text.path != NULL) settings.tokens = &text.tokens;
    ireneo_attention_depth *depths = calloc(t.transformer.layers + 1, sizeof *depths);
    outcome = depths == NULL
                  ? complain(self, EXIT_MACHINE, "not enough memory for %zu layers", t.transformer.layers)
                  : measure(self, &t.transformer, text.path, &settings, depths, json);
    free(depths);
    ireneo_attention_tokens_close(&text.tokens);
    return outcome;
}

const command command_attention_simulate = {
    "attention simulate", "real random transformers, measured layer by layer", run, "",
    "Gaussian tokens of overlap R, or those of a text, go through N random networks; a random gradient "
    "comes\n"
    "back. Reported with\n"
    "standard errors over the networks: overlap rho and length q of the tokens, participation Y2 and "
    "entropy\n"
    "(nats) of attention, squared norms of the gradients over that at the output."};
