/* The report of ireneo store: the answer, why, what can be done, and where everything went. */
#include "job.h"
#include "store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FEW_ROWS = 16,
    DEFAULT_SCANS = 200,
    DEFAULT_ITERATIONS = 3000,
    DEFAULT_SETTLE = 2500,
    MOST_SETTLED = 100000
};

static bool one_pass(const store_request *q) {
    return q->settings.solver != IRENEO_SOLVER_PROJECT;
}

/* ---- what a certificate says ---- */

/* The sentence about single facts; NULL: there is none. */
static const char *reason_of(const store_outcome *o) {
    return o->info.store.reason[0] != '\0' ? o->info.store.reason : NULL;
}

/* The facts that it is about, when they are few. Weights come sorted by fact. */
static size_t rows_of(const store_outcome *o, int64_t *rows) {
    const ireneo_certificate *c = o->result.certificate;
    size_t count = 0;
    if (o->status != IRENEO_STATUS_IMPOSSIBLE || c == NULL) return 0;
    for (size_t k = 0; k < c->count; k++) {
        if (k > 0 && c->facts[k] == c->facts[k - 1]) continue;
        if (count == FEW_ROWS) return 0;
        rows[count++] = c->facts[k];
    }
    return count;
}

/* ---- what can be done ---- */

/* How many facts --overload would keep, by the law; NAN when the law does not apply. */
static double estimate_kept(const store_request *q, const ireneo_facts *facts, const store_outcome *o) {
    const ireneo_store_info *info = &o->info.store;
    ireneo_shape shape = {.dim_in = info->span_in,
                          .dim_out = info->span_out,
                          .rank = q->settings.rank,
                          .candidates = (double)facts->candidates,
                          .facts = (double)o->info.store.facts};
    size_t smaller = info->span_in < info->span_out ? info->span_in : info->span_out;
    if (shape.rank >= smaller) shape.rank = 0;
    double kept = NAN;
    bool open = (o->status == IRENEO_STATUS_IMPOSSIBLE || o->status == IRENEO_STATUS_UNDECIDED) &&
                q->settings.top < 2;
    return open && smaller > 0 && ireneo_capacity_overload(&shape, &kept) == IRENEO_OK ? kept : NAN;
}

static void print_overload_advice(const store_request *q, const ireneo_facts *facts, const store_outcome *o) {
    double kept = estimate_kept(q, facts, o);
    char text[40];
    if (kept < (double)o->info.store.facts)
        printf("  what can be done        --overload chooses which to keep: about %s of them\n",
               grouped(kept, text));
    else
        printf("  what can be done        --overload gives up what contradicts and keeps the rest\n");
}

static void print_impossible(const store_request *q, const ireneo_facts *facts, const store_outcome *o) {
    const ireneo_store_info *info = &o->info.store;
    int64_t rows[FEW_ROWS];
    size_t count = rows_of(o, rows);
    if (info->exact)
        printf("  proof                   no matrix at all recalls them, shown exactly\n");
    else
        printf("  proof                   no memory recalls all with an angular margin above %.1e\n",
               info->angular_margin_bound);
    print_overload_advice(q, facts, o);
    if (count == 0) return;
    printf("                          or drop %s of the facts that contradict:",
           count == 1 ? "it, out" : "one");
    for (size_t k = 0; k < count; k++) printf("%s %lld", k > 0 ? "," : "", (long long)rows[k]);
    printf("; others may, too\n");
}

/* Among the K best nothing tells whether another memory would do. */
static void print_open(const store_request *q) {
    printf("  what was tried          the minimiser came to rest with facts missing, and tried again\n"
           "  what can be done        fewer facts, or a larger --top; for more than one best answer nothing "
           "proves that\n"
           "                          they do not fit. --resume starts again from %s\n",
           q->state);
}

static void print_undecided(const store_request *q, const ireneo_facts *facts, const store_outcome *o) {
    const ireneo_store_info *info = &o->info.store;
    if (q->settings.top > 1) {
        print_open(q);
        return;
    }
    size_t scans = q->settings.max_scans > 0 ? q->settings.max_scans : DEFAULT_SCANS;
    size_t iterations = q->settings.max_iterations > 0 ? q->settings.max_iterations : DEFAULT_ITERATIONS;
    bool limited = info->scans >= scans || info->iterations >= iterations;
    if (info->iterations >= iterations)
        printf("  what was tried          all %zu iterations that --max-iterations allows\n", iterations);
    else if (limited)
        printf("  what was tried          all %zu passes that --max-scans allows\n", scans);
    else
        printf("  what was tried          the minimiser came to rest with facts missing, and no proof was "
               "found\n");
    print_overload_advice(q, facts, o);
    size_t settled = q->settings.settle > 0 ? q->settings.settle : DEFAULT_SETTLE;
    size_t entries = info->span_in * info->span_out;
    if (limited)
        printf("                          or --resume with a higher limit goes on from %s\n", q->state);
    else if (q->settings.rank == 0 && entries > settled && entries <= MOST_SETTLED)
        printf("                          or --settle %zu, which decides it exactly, given time\n", entries);
    else
        printf("                          or %s--resume, which starts again from %s\n",
               q->settings.rank > 0 ? "a higher --rank, or " : "", q->state);
}

/* ---- the table ---- */

static void print_margins(const store_request *q, const store_outcome *o) {
    const ireneo_max_margin_info *margin = &o->info;
    printf("  smallest margin       %10.2e   score spreads\n", margin->store.margin);
    if (q->max_margin && o->status == IRENEO_STATUS_STORED) {
        printf("  largest margin        %10.4f   of |W| / sqrt(d_in), for normalised data\n", margin->margin);
        printf("  upper bound           %10.4f   duality gap %.1e\n", margin->margin_bound,
               margin->duality_gap);
        printf("  the law expects       %10.4f   for random data of this size\n", margin->margin_law);
    }
    if (o->hard_count == 0) return;
    printf("  hardest facts         ");
    for (size_t k = 0; k < o->hard_count; k++)
        printf("%s%zu (against candidate %lld)", k > 0 ? ", " : "", o->hardest[k].fact,
               (long long)o->hardest[k].rival);
    putchar('\n');
}

static void print_places(const store_request *q, const store_outcome *o) {
    const ireneo_store_info *info = &o->info.store;
    char text[40];
    if (o->written && info->recalled < info->facts) {
        printf("  written to              %s: partial, %s", q->output, grouped((double)info->recalled, text));
        printf(" of %s facts\n", grouped((double)info->facts, text));
    } else if (o->written) {
        printf("  written to              %s\n", q->output);
    }
    if (o->result.kept != NULL)
        printf("  facts given up          %s, listed in %s\n",
               grouped((double)(info->facts - info->recalled), text), q->given_up);
    if (o->result.certificate != NULL && q->certificate != NULL)
        printf("  proof written to        %s\n", q->certificate);
    if (o->status == IRENEO_STATUS_INTERRUPTED && o->waiting)
        printf("  kept in                 %s; to go on:\n\n    %s\n", q->state, q->again);
}

static void print_table(const store_request *q, const ireneo_facts *facts, const store_outcome *o) {
    const ireneo_store_info *info = &o->info.store;
    char text[40];
    printf("%s: %s of ", one_pass(q) ? "done" : ireneo_status_name(o->status),
           grouped((double)info->recalled, text));
    printf("%s facts recalled", grouped((double)info->facts, text));
    if (q->settings.top > 1) printf(" among the %zu best", q->settings.top);
    printf("\n\n  fraction of capacity  %10.3f   the law holds %s%s facts\n", info->fraction_of_capacity,
           q->settings.top > 1 ? "at most " : "", grouped(info->facts_capacity, text));
    print_margins(q, o);
    printf("  passes over the data  %10zu   and %zu iterations in %.2f s\n", info->scans, info->iterations,
           info->seconds);
    if (info->span_in > 0)
        printf("  data span             %10zu   dimensions of keys, %zu of values\n", info->span_in,
               info->span_out);
    if (reason_of(o) != NULL) printf("  why                     %s\n", reason_of(o));
    if (o->status == IRENEO_STATUS_IMPOSSIBLE) print_impossible(q, facts, o);
    if (o->status == IRENEO_STATUS_UNDECIDED) print_undecided(q, facts, o);
    print_places(q, o);
}

/* ---- JSON ---- */

static void add_margins(ireneo_json *json, const store_request *q, const store_outcome *o) {
    const ireneo_max_margin_info *margin = &o->info;
    bool widest = q->max_margin && o->status == IRENEO_STATUS_STORED;
    ireneo_json_number(json, "margin", widest ? margin->margin : margin->store.margin);
    if (widest) {
        ireneo_json_number(json, "margin_bound", margin->margin_bound);
        ireneo_json_number(json, "duality_gap", margin->duality_gap);
        ireneo_json_number(json, "margin_law", margin->margin_law);
    }
    ireneo_json_begin_array(json, "hardest");
    for (size_t k = 0; k < o->hard_count; k++) ireneo_json_size(json, NULL, o->hardest[k].fact);
    ireneo_json_end_array(json);
}

static void add_why(ireneo_json *json, const store_request *q, const ireneo_facts *facts,
                    const store_outcome *o) {
    int64_t rows[FEW_ROWS];
    size_t count = rows_of(o, rows);
    ireneo_json_text(json, "reason", reason_of(o));
    ireneo_json_begin_array(json, "rows");
    for (size_t k = 0; k < count; k++) ireneo_json_size(json, NULL, (uint64_t)rows[k]);
    ireneo_json_end_array(json);
    if (o->status == IRENEO_STATUS_IMPOSSIBLE) {
        ireneo_json_bool(json, "exact", o->info.store.exact != 0);
        ireneo_json_number(json, "angular_margin_bound", o->info.store.angular_margin_bound);
        ireneo_json_number(json, "certificate_norm_bound", o->info.store.certificate_norm_bound);
    }
    if (o->status == IRENEO_STATUS_IMPOSSIBLE || o->status == IRENEO_STATUS_UNDECIDED)
        ireneo_json_number(json, "overload_estimate", estimate_kept(q, facts, o));
}

static void add_places(ireneo_json *json, const store_request *q, const store_outcome *o) {
    const ireneo_store_info *info = &o->info.store;
    ireneo_json_text(json, "memory", o->written ? q->output : NULL);
    ireneo_json_text(json, "memory_status",
                     !o->written                     ? NULL
                     : info->recalled == info->facts ? ireneo_status_name(IRENEO_STATUS_STORED)
                                                     : ireneo_status_name(IRENEO_STATUS_PARTIAL));
    ireneo_json_text(json, "state", o->waiting ? q->state : NULL);
    ireneo_json_text(json, "resume", o->waiting ? q->again : NULL);
    if (o->result.kept != NULL) ireneo_json_text(json, "dropped", q->given_up);
}

static int print_report(const command *self, const store_request *q, const ireneo_facts *facts,
                        const store_outcome *o, int exit_code) {
    const ireneo_store_info *info = &o->info.store;
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "status", ireneo_status_name(o->status));
    ireneo_json_size(&json, "facts", info->facts);
    ireneo_json_size(&json, "recalled", info->recalled);
    ireneo_json_size(&json, "top", q->settings.top > 1 ? q->settings.top : 1);
    ireneo_json_number(&json, "facts_capacity", info->facts_capacity);
    ireneo_json_number(&json, "fraction_of_capacity", info->fraction_of_capacity);
    add_margins(&json, q, o);
    ireneo_json_size(&json, "scans", info->scans);
    ireneo_json_size(&json, "iterations", info->iterations);
    ireneo_json_number(&json, "seconds", info->seconds);
    ireneo_json_size(&json, "peak_bytes", info->peak_bytes);
    ireneo_json_size(&json, "span_in", info->span_in);
    ireneo_json_size(&json, "span_out", info->span_out);
    add_why(&json, q, facts, o);
    add_places(&json, q, o);
    add_job(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

/* With --overload giving facts up is what was asked for; rules of one pass were asked for all. */
static int exit_code_of(const store_request *q, ireneo_status status) {
    switch (status) {
    case IRENEO_STATUS_EDITED:
    case IRENEO_STATUS_STORED:
        return EXIT_DONE;
    case IRENEO_STATUS_PARTIAL:
        return one_pass(q) ? EXIT_NO : EXIT_DONE;
    case IRENEO_STATUS_IMPOSSIBLE:
    case IRENEO_STATUS_UNDECIDED:
        return EXIT_NO;
    case IRENEO_STATUS_INTERRUPTED:
        return EXIT_INTERRUPTED;
    }
    return EXIT_NO;
}

int report_store(const command *self, const store_request *q, const ireneo_facts *facts,
                 const store_outcome *o) {
    int exit_code = exit_code_of(q, o->status);
    if (q->json) return print_report(self, q, facts, o, exit_code);
    print_table(q, facts, o);
    return finish_output(self, exit_code);
}
