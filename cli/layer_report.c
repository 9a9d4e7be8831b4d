/* The report of ireneo layer: one matrix in full, many as a table. */
#include "layer.h"

#include <math.h>
#include <stdio.h>

/* Rows of ordinary keys, over their dimension, below which the directions they use are underestimated. */
static const double FEW_ROWS = 10.0;

/* ---- for people ---- */

static void print_ordinary(const layer_request *q, const layer_outcome *o, const ireneo_layer_report *r) {
    char text[40];
    printf("\n  ordinary keys         %10s   rows\n", grouped((double)o->rows, text));
    printf("  participation         %10.4g   directions, %.4g around the mean\n", r->key_participation,
           r->key_participation_centred);
    printf("  directions            %10.0f   hold %g %% of their square\n", r->key_directions,
           100.0 * (q->share > 0.0 ? q->share : 0.99));
    printf("  facts claimed         %10s   by those directions\n", grouped(r->facts_claimed, text));
    printf("  room left             %10s   facts that leave them alone\n", grouped(r->facts_left, text));
    printf("  gentle                %10s   facts of least change move outputs by 1 %% of their square %.4g\n",
           grouped(floor(r->facts_gentle), text), r->output_square);
    if ((double)o->rows < FEW_ROWS * (double)r->dim_in)
        printf("  note                    fewer than %.0f rows a dimension: more of them would find more "
               "directions\n",
               FEW_ROWS);
}

static void print_one(const layer_request *q, const layer_outcome *o) {
    const layer_found *found = &o->layers[0];
    const ireneo_layer_report *r = &found->report;
    char text[40];
    print_words(found->name);
    printf(": %zu x %zu, %s\n\n", r->dim_out, r->dim_in, found->dtype);
    printf("  singular values       %10.4g   largest, %.4g median, %.4g smallest; norm %.4g\n", r->largest,
           r->median, r->smallest, r->norm);
    printf("  stable rank           %10.4g   participation %.4g, effective rank %.4g, rank %zu\n",
           r->stable_rank, r->participation, r->effective_rank, r->rank);
    printf("  facts that fit        %10s   finite-size law, %s candidates", grouped(r->facts_capacity, text),
           q->candidates > 0.0 || q->unembed != NULL ? "these" : "as many");
    printf(" (%s)\n", grouped(r->candidates, text));
    if (r->facts_capacity_at_rank < r->facts_capacity)
        printf("  at its rank           %10s   facts\n", grouped(r->facts_capacity_at_rank, text));
    if (o->rows > 0) print_ordinary(q, o, r);
}

static size_t roomiest(const layer_outcome *o) {
    size_t best = 0;
    for (size_t k = 1; k < o->count; k++)
        if (o->layers[k].report.facts_capacity > o->layers[best].report.facts_capacity) best = k;
    return best;
}

static void print_model(const layer_outcome *o) {
    char text[40];
    printf("%13s %9s %9s %9s %8s %8s %12s  %s\n", "shape", "largest", "median", "smallest", "stable",
           "particip.", "facts fit", "tensor");
    for (size_t k = 0; k < o->count; k++) {
        const ireneo_layer_report *r = &o->layers[k].report;
        printf("%6zu x %-5zu %8.4g %9.4g %9.4g %8.4g %8.4g %12s  ", r->dim_out, r->dim_in, r->largest,
               r->median, r->smallest, r->stable_rank, r->participation, grouped(r->facts_capacity, text));
        print_words(o->layers[k].name);
        putchar('\n');
    }
    size_t best = roomiest(o);
    printf("\nmost room: ");
    print_words(o->layers[best].name);
    printf(", %s facts by its shape", grouped(o->layers[best].report.facts_capacity, text));
    if (o->others > 0) printf("; %zu tensors that are no matrices were left out", o->others);
    printf("\nwhat ordinary use claims of a layer: --ordinary with the keys that it sees\n");
}

/* ---- for programs ---- */

static void add_layer(ireneo_json *json, const layer_outcome *o, const layer_found *found) {
    const ireneo_layer_report *r = &found->report;
    ireneo_json_text(json, "tensor", found->name);
    ireneo_json_text(json, "dtype", found->dtype);
    ireneo_json_size(json, "dim_out", r->dim_out);
    ireneo_json_size(json, "dim_in", r->dim_in);
    ireneo_json_number(json, "norm", r->norm);
    ireneo_json_number(json, "largest", r->largest);
    ireneo_json_number(json, "median", r->median);
    ireneo_json_number(json, "smallest", r->smallest);
    ireneo_json_size(json, "rank", r->rank);
    ireneo_json_number(json, "stable_rank", r->stable_rank);
    ireneo_json_number(json, "participation", r->participation);
    ireneo_json_number(json, "effective_rank", r->effective_rank);
    ireneo_json_size(json, "span_in", r->span_in);
    ireneo_json_size(json, "span_out", r->span_out);
    ireneo_json_number(json, "candidates", r->candidates);
    ireneo_json_number(json, "delta", r->delta);
    ireneo_json_number(json, "facts_capacity", r->facts_capacity);
    ireneo_json_number(json, "facts_capacity_at_rank", r->facts_capacity_at_rank);
    if (o->rows == 0) return;
    ireneo_json_size(json, "ordinary_rows", (size_t)o->rows);
    ireneo_json_number(json, "key_participation", r->key_participation);
    ireneo_json_number(json, "key_participation_centred", r->key_participation_centred);
    ireneo_json_number(json, "key_directions", r->key_directions);
    ireneo_json_number(json, "facts_claimed", r->facts_claimed);
    ireneo_json_number(json, "facts_left", r->facts_left);
    ireneo_json_number(json, "output_square", r->output_square);
    ireneo_json_number(json, "facts_gentle", r->facts_gentle);
}

static int print_json_report(const command *self, const layer_outcome *o) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    if (!o->model) {
        add_layer(&json, o, &o->layers[0]);
    } else {
        ireneo_json_begin_array(&json, "layers");
        for (size_t k = 0; k < o->count; k++) {
            ireneo_json_begin_object(&json, NULL);
            add_layer(&json, o, &o->layers[k]);
            ireneo_json_end_object(&json);
        }
        ireneo_json_end_array(&json);
        ireneo_json_text(&json, "most_room", o->layers[roomiest(o)].name);
        ireneo_json_size(&json, "others", o->others);
    }
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

int report_layers(const command *self, const layer_request *q, const layer_outcome *o) {
    if (q->json) return print_json_report(self, o);
    if (o->model)
        print_model(o);
    else
        print_one(q, o);
    if (q->picture != NULL) printf("\npicture: %s\n", q->picture);
    return finish_output(self, EXIT_DONE);
}
