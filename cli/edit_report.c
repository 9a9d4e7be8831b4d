/* The report of ireneo edit. */
#include "edit.h"

#include <math.h>
#include <stdio.h>

/* Does the rounded matrix of --into still get right what W does? */
static bool rounded_all(const edit_outcome *o) {
    return !o->rounded || (o->rounded_lost == 0 && o->rounded_kept >= o->info.protected_kept);
}

/* A margin that rounding would not eat up: what it took from the smallest gap, and a fifth more. */
static double margin_needed(const edit_outcome *o) {
    return 1.2 * (o->gap - o->rounded_gap);
}

static int exit_code_of(const edit_request *q, const edit_outcome *o) {
    if (o->info.status == IRENEO_STATUS_INTERRUPTED) return EXIT_INTERRUPTED;
    bool done =
        o->info.status == IRENEO_STATUS_EDITED || (o->info.status == IRENEO_STATUS_PARTIAL && q->overload);
    return done && (rounded_all(o) || q->overload) ? EXIT_DONE : EXIT_NO;
}

static void print_counts(const edit_request *q, const edit_data *d, const edit_outcome *o) {
    const ireneo_edit_info *info = &o->info;
    printf("%s: %zu of %zu new facts recalled", ireneo_status_name(info->status), o->recalled, d->fresh);
    if (d->earlier > 0) printf(", %zu of %zu earlier ones", o->earlier_kept, d->earlier);
    if (info->protected_facts > 0)
        printf(", %zu of %zu protected positions kept", info->protected_kept, info->protected_facts);
    putchar('\n');
    if (info->adopted > 0) printf("  %zu protected positions were taken as new facts\n", info->adopted);
    if (info->gave_way > 0) printf("  %zu protected positions gave way to new facts\n", info->gave_way);
    if (info->reason[0] != '\0') printf("  "), print_words(info->reason), putchar('\n');
    if (info->status == IRENEO_STATUS_IMPOSSIBLE && q->certificate == NULL)
        printf("  --certificate FILE writes the proof; --overload keeps what fits\n");
}

static void print_rounding(const edit_data *d, const edit_outcome *o) {
    if (!o->rounded) return;
    printf("  rounded to %s: %zu of %zu facts recalled", ireneo_dtype_name(o->dtype), o->rounded_recalled,
           d->facts.facts);
    if (o->info.protected_facts > 0)
        printf(", %zu of %zu protected positions kept", o->rounded_kept, o->info.protected_facts);
    putchar('\n');
    if (!rounded_all(o)) printf("  a margin of about %.3g would outlast the rounding\n", margin_needed(o));
}

static void print_files(const edit_request *q, const edit_outcome *o) {
    bool stopped = o->info.status == IRENEO_STATUS_INTERRUPTED;
    if (stopped) printf("  the matrix so far is in %s\n", q->state);
    if (!stopped && q->output != NULL && o->difference != NULL)
        printf("  difference of rank %zu in %s: W - W0 = U V^T\n", o->difference->rank, q->output);
    if (!stopped && q->output != NULL && o->difference == NULL) printf("  matrix in %s\n", q->output);
    if (!stopped && q->into != NULL) printf("  whole file in %s\n", q->into);
    if (o->result.certificate != NULL && q->certificate != NULL) {
        printf("  proof in %s%s\n", q->certificate, o->info.exact ? ": no real matrix does it" : "");
        if (o->info.protected_facts > 0)
            printf("  it is about new and protected facts together: verify it with %s:keys, :targets, "
                   ":residuals\n",
                   q->proved);
    }
}

static int print_table(const command *self, const edit_request *q, const edit_data *d, const edit_outcome *o,
                       int exit_code) {
    const ireneo_edit_info *info = &o->info;
    print_counts(q, d, o);
    printf("  change %.6g (%.3g of the matrix)", info->change, info->change_relative);
    if (d->covariance != NULL) printf(", %.6g in the metric", info->change_metric);
    if (isfinite(info->bound) && info->status == IRENEO_STATUS_EDITED)
        printf("; no smaller one than %.6g does it", info->bound);
    printf("\n  smallest gap of a fact %.4g; %zu binding pairs, %zu Newton steps, %.1f s\n", info->margin,
           info->active, info->steps, info->seconds);
    if (info->lambda > 0.0) printf("  lambda %.3g, %zu dimensions\n", info->lambda, info->dimensions);
    print_rounding(d, o);
    print_files(q, o);
    return finish_output(self, exit_code);
}

static void add_rounding(ireneo_json *json, const edit_outcome *o) {
    if (!o->rounded) return;
    ireneo_json_text(json, "rounded_to", ireneo_dtype_name(o->dtype));
    ireneo_json_size(json, "rounded_recalled", o->rounded_recalled);
    ireneo_json_size(json, "rounded_protected_kept", o->rounded_kept);
    if (!rounded_all(o)) ireneo_json_number(json, "margin_needed", margin_needed(o));
}

int report_edit(const command *self, const edit_request *q, const edit_data *d, const edit_outcome *o) {
    const ireneo_edit_info *info = &o->info;
    int exit_code = exit_code_of(q, o);
    if (!q->json) return print_table(self, q, d, o, exit_code);
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "status", ireneo_status_name(info->status));
    ireneo_json_text(&json, "rule", q->rule);
    ireneo_json_size(&json, "facts", d->fresh);
    ireneo_json_size(&json, "recalled", o->recalled);
    ireneo_json_size(&json, "protected", info->protected_facts + d->earlier);
    ireneo_json_size(&json, "protected_kept", info->protected_kept + o->earlier_kept);
    ireneo_json_size(&json, "earlier", d->earlier);
    ireneo_json_size(&json, "adopted", info->adopted);
    ireneo_json_size(&json, "gave_way", info->gave_way);
    ireneo_json_number(&json, "change", info->change);
    ireneo_json_number(&json, "change_relative", info->change_relative);
    ireneo_json_number(&json, "change_metric", info->change_metric);
    ireneo_json_number(&json, "bound", info->bound);
    ireneo_json_number(&json, "duality_gap", info->duality_gap);
    ireneo_json_number(&json, "margin", info->margin);
    ireneo_json_number(&json, "shortfall", info->shortfall);
    ireneo_json_size(&json, "active", info->active);
    ireneo_json_size(&json, "rounds", info->rounds);
    ireneo_json_size(&json, "newton_steps", info->steps);
    ireneo_json_size(&json, "scans", info->scans);
    if (info->lambda > 0.0) ireneo_json_number(&json, "lambda", info->lambda);
    if (info->lambda > 0.0) ireneo_json_size(&json, "dimensions", info->dimensions);
    if (o->difference != NULL) ireneo_json_size(&json, "rank", o->difference->rank);
    if (info->status == IRENEO_STATUS_IMPOSSIBLE) {
        ireneo_json_bool(&json, "exact", info->exact);
        ireneo_json_number(&json, "certificate_norm_bound", info->certificate_norm_bound);
    }
    add_rounding(&json, o);
    ireneo_json_text(&json, "reason", info->reason);
    ireneo_json_number(&json, "seconds", info->seconds);
    ireneo_json_size(&json, "peak_bytes", info->peak_bytes);
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}
