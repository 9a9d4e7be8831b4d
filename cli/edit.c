/* ireneo edit: the nearest matrix that recalls new facts and keeps others. */
#include "edit.h"
#include "base/error.h"
#include "base/foreign.h"
#include "base/ram.h"
#include "commands.h"
#include "folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double USUAL_RIDGE = 0.01; /* of ordinary keys */

/* ---- names ---- */

/* The file of a location, without the name of a tensor, and an ending. */
static char *beside(const char *location, const char *ending) {
    size_t length = strlen(location);
    const char *colon = strrchr(location, ':'), *slash = strrchr(location, '/');
    if (colon != NULL && (slash == NULL || colon > slash) && access(location, F_OK) != 0)
        length = (size_t)(colon - location);
    char *name = malloc(length + strlen(ending) + 1);
    if (name != NULL) snprintf(name, length + strlen(ending) + 1, "%.*s%s", (int)length, location, ending);
    return name;
}

static int name_files(const command *self, edit_request *q) {
    const char *output = q->output != NULL ? q->output : q->into;
    q->state = beside(output, ".state");
    q->before = q->resume ? beside(q->files[0], ".edits") : NULL;
    q->after = q->resume ? beside(output, ".edits") : NULL;
    q->proved = q->certificate != NULL ? beside(q->certificate, ".facts") : NULL;
    bool fine = q->state != NULL && (!q->resume || (q->before != NULL && q->after != NULL)) &&
                (q->certificate == NULL || q->proved != NULL);
    return fine ? 0 : complain(self, EXIT_MACHINE, "not enough memory for the names of files");
}

static int check_files(const command *self, const edit_request *q) {
    const output_file outputs[] = {{"-o", q->output, OUTPUT_MEMORY, NULL},
                                   {"--into", q->into, OUTPUT_MODEL, NULL},
                                   {"--certificate", q->certificate, OUTPUT_CERTIFICATE, NULL}};
    const char *const inputs[] = {q->files[0],         q->files[1],       q->files[2],   q->targets,
                                  q->residual,         q->ordinary,       q->covariance, q->protect,
                                  q->protect_residual, q->protect_targets};
    return check_outputs(self, outputs, sizeof outputs / sizeof outputs[0], inputs,
                         sizeof inputs / sizeof inputs[0]);
}

/* ---- the work ---- */

static int type_of_layer(const command *self, const edit_request *q, ireneo_dtype *dtype) {
    ireneo_array array = {0};
    ireneo_error failed = ireneo_array_describe(q->files[0], &array);
    *dtype = array.dtype;
    ireneo_array_close(&array);
    return report_error(self, failed);
}

/* Half a unit in the last place of a significand, relative. */
static double rounding_of(ireneo_dtype dtype) {
    return dtype == IRENEO_DTYPE_BFLOAT16 ? 0x1p-9 : dtype == IRENEO_DTYPE_FLOAT16 ? 0x1p-12 : 0x1p-24;
}

static ireneo_edit_settings settings_of(const edit_request *q, const edit_data *d, ireneo_dtype dtype) {
    ireneo_edit_settings s = {.threads = (int)q->threads,
                              .margin = q->margin,
                              .nats = q->nats,
                              .margins = d->margins,
                              .covariance = d->covariance,
                              .ridge = q->ridge_given        ? q->ridge
                                       : q->ordinary != NULL ? USUAL_RIDGE
                                                             : 0.0,
                              .protect_count = d->protect_count,
                              .protect_keys = d->protect_keys,
                              .protect_residuals = d->protect_residuals,
                              .protect_targets = d->protect_targets,
                              .share = q->share,
                              .adopt = q->adopt,
                              .give_way = q->give_way,
                              .overload = q->overload,
                              .lambda = q->lambda,
                              .dimensions = q->dimensions,
                              .max_rounds = q->max_rounds,
                              .rounding = q->into != NULL ? rounding_of(dtype) : 0.0};
    while (strcmp(q->rule, ireneo_edit_rule_name(s.rule)) != 0) s.rule++;
    return s;
}

static void count_kept(const edit_data *d, edit_outcome *o) {
    for (size_t i = 0; i < d->facts.facts; i++)
        *(i < d->fresh ? &o->recalled : &o->earlier_kept) += o->result.kept[i];
}

/* The facts that W recalls, by themselves. */
typedef struct kept_facts {
    ireneo_facts facts;
    float *keys, *residuals;
    int64_t *targets;
} kept_facts;

static void free_kept(kept_facts *k) {
    free(k->keys), free(k->residuals), free(k->targets);
}

static ireneo_error gather_kept(const edit_data *d, const edit_outcome *o, kept_facts *k) {
    const ireneo_facts *all = &o->result.all;
    size_t in = all->dim_in, out = all->dim_out, count = o->recalled + o->earlier_kept, at = 0;
    *k = (kept_facts){.facts = *all};
    IRENEO_TRY(IRENEO_ALLOCATE(&k->keys, count * in, "kept facts"));
    IRENEO_TRY(IRENEO_ALLOCATE(&k->targets, count, "kept facts"));
    if (all->residuals != NULL) IRENEO_TRY(IRENEO_ALLOCATE(&k->residuals, count * out, "kept facts"));
    for (size_t i = 0; i < d->facts.facts; i++) {
        if (!o->result.kept[i]) continue;
        memcpy(k->keys + at * in, all->keys + i * in, in * sizeof *k->keys);
        if (all->residuals != NULL)
            memcpy(k->residuals + at * out, all->residuals + i * out, out * sizeof *k->residuals);
        k->targets[at++] = all->targets[i];
    }
    k->facts.facts = count;
    k->facts.keys = k->keys, k->facts.targets = k->targets, k->facts.residuals = k->residuals;
    return IRENEO_OK;
}

/* What the matrix leaves of the gaps of the facts that W recalls. */
static ireneo_error check_kept(const edit_data *d, const ireneo_memory *m,
                               const ireneo_run_settings *settings, edit_outcome *o) {
    size_t count = o->recalled + o->earlier_kept;
    o->gap = o->info.margin;
    o->rounded_lost = d->facts.facts - o->rounded_recalled;
    if (count == d->facts.facts) return IRENEO_OK;
    o->rounded_lost = 0;
    if (count == 0) return IRENEO_OK;
    kept_facts kept;
    ireneo_check_report before, after;
    ireneo_error failed = gather_kept(d, o, &kept);
    if (failed == IRENEO_OK) failed = ireneo_check(o->edited, &kept.facts, settings, NULL, &before);
    if (failed == IRENEO_OK) failed = ireneo_check(m, &kept.facts, settings, NULL, &after);
    if (failed == IRENEO_OK)
        o->gap = before.gap, o->rounded_gap = after.gap, o->rounded_lost = count - after.recalled;
    free_kept(&kept);
    return failed;
}

/* What a matrix that was rounded, or put together from W0 and a difference, still gets right. */
static ireneo_error check_again(const edit_request *q, const edit_data *d, const ireneo_memory *m,
                                edit_outcome *o) {
    ireneo_facts part = o->result.all;
    ireneo_check_report report;
    ireneo_run_settings settings = {.threads = (int)q->threads};
    part.facts = d->facts.facts;
    ireneo_error failed = ireneo_check(m, &part, &settings, NULL, &report);
    o->rounded_recalled = report.recalled, o->rounded_gap = report.gap;
    if (failed == IRENEO_OK) failed = check_kept(d, m, &settings, o);
    part = o->result.all;
    part.facts -= d->facts.facts;
    if (failed != IRENEO_OK || part.facts == 0) return failed;
    part.keys += d->facts.facts * part.dim_in, part.targets += d->facts.facts;
    if (part.residuals != NULL) part.residuals += d->facts.facts * part.dim_out;
    failed = ireneo_check(m, &part, &settings, NULL, &report);
    o->rounded_kept = report.recalled;
    return failed;
}

static ireneo_error write_into(const edit_request *q, const edit_data *d, edit_outcome *o) {
    size_t area = d->w0.dim_in * d->w0.dim_out;
    float *copy = malloc(area * sizeof *copy);
    if (copy == NULL)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a copy of the edited layer");
    memcpy(copy, o->edited->matrix, area * sizeof *copy);
    ireneo_error failed =
        ireneo_safetensors_replace(q->files[0], q->into, copy, d->w0.dim_out, d->w0.dim_in, &o->dtype);
    ireneo_memory rounded = {.dim_in = d->w0.dim_in, .dim_out = d->w0.dim_out, .matrix = copy};
    if (failed == IRENEO_OK) failed = check_again(q, d, &rounded, o);
    o->rounded = failed == IRENEO_OK;
    free(copy);
    return failed;
}

/* W0 + U V^T must do what W does: otherwise the rank was cut too low, and the next finer cut is taken. */
static ireneo_error make_difference(const edit_request *q, const edit_data *d, edit_outcome *o) {
    size_t in = d->w0.dim_in, out = d->w0.dim_out;
    ireneo_memory sum = {.dim_in = in, .dim_out = out, .matrix = malloc(in * out * sizeof(float))};
    ireneo_error failed = IRENEO_OK;
    if (sum.matrix == NULL)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to check the difference of the layers");
    for (double rounding = 1e-3; failed == IRENEO_OK; rounding *= 0.03) {
        ireneo_memory_free(o->difference);
        failed = ireneo_edit_difference(&d->w0, o->edited, rounding, &o->difference);
        if (failed != IRENEO_OK) break;
        const ireneo_memory *m = o->difference;
        for (size_t k = 0; k < in * out; k++) {
            double entry = (double)d->matrix[k];
            for (size_t r = 0; r < m->rank; r++)
                entry += (double)m->left[k / in * m->rank + r] * (double)m->right[k % in * m->rank + r];
            sum.matrix[k] = (float)entry;
        }
        failed = check_again(q, d, &sum, o);
        if (rounding < 1e-8 ||
            (o->rounded_recalled >= o->info.recalled && o->rounded_kept >= o->info.protected_kept))
            break;
    }
    free(sum.matrix);
    return failed;
}

static int save_outcome(const command *self, const edit_request *q, const edit_data *d, edit_outcome *o) {
    if (o->info.status == IRENEO_STATUS_INTERRUPTED)
        return report_error(self, ireneo_memory_save(o->edited, q->state, NULL, NULL, NULL));
    ireneo_error failed = IRENEO_OK;
    if (o->result.certificate != NULL && q->certificate != NULL) {
        failed = ireneo_certificate_save(o->result.certificate, q->certificate);
        int outcome =
            failed == IRENEO_OK && d->protect_count + d->earlier > 0 ? save_proved_facts(self, q, o) : 0;
        if (outcome != 0) return outcome;
    }
    if (failed == IRENEO_OK && q->difference) failed = make_difference(q, d, o);
    if (failed == IRENEO_OK && q->output != NULL)
        failed = ireneo_memory_save(q->difference ? o->difference : o->edited, q->output, NULL, NULL, NULL);
    if (failed == IRENEO_OK && q->into != NULL) failed = write_into(q, d, o);
    if (failed != IRENEO_OK) return report_error(self, failed);
    unlink(q->state);
    return o->info.status == IRENEO_STATUS_EDITED || o->info.status == IRENEO_STATUS_PARTIAL
               ? save_edits(self, q, d, o)
               : 0;
}

static int run_edit(const command *self, const edit_request *q, const edit_data *d, edit_outcome *o) {
    ireneo_dtype dtype = IRENEO_DTYPE_FLOAT32;
    int outcome = q->into != NULL ? type_of_layer(self, q, &dtype) : 0;
    if (outcome != 0) return outcome;
    ireneo_edit_settings settings = settings_of(q, d, dtype);
    settings.progress = start_progress();
    ireneo_error failed = ireneo_edit(&d->w0, &d->facts, &settings, &o->edited, &o->result, &o->info);
    finish_progress();
    outcome = report_error(self, failed);
    if (outcome != 0) return outcome;
    count_kept(d, o);
    outcome = save_outcome(self, q, d, o);
    return outcome == 0 ? report_edit(self, q, d, o) : outcome;
}

static int check_request(const command *self, const edit_request *q) {
    bool least = strcmp(q->rule, "least-change") == 0;
    if (q->output == NULL && q->into == NULL)
        return complain(self, EXIT_USAGE, "give the output file with -o OUT, or --into MODEL.safetensors");
    if (q->ordinary != NULL && q->covariance != NULL)
        return complain(self, EXIT_USAGE, "--ordinary and --covariance exclude each other");
    if (q->protect == NULL &&
        (q->protect_residual != NULL || q->protect_targets != NULL || q->adopt || q->give_way))
        return complain(
            self, EXIT_USAGE,
            "--protect-residual, --protect-targets, --adopt and --give-way only make sense with --protect");
    if (q->difference && q->output == NULL)
        return complain(self, EXIT_USAGE, "--as-difference writes to OUT: give it with -o");
    if (q->overload && !least) return complain(self, EXIT_USAGE, "--overload needs the least-change rule");
    if (least && (q->lambda > 0.0 || q->dimensions > 0))
        return complain(self, EXIT_USAGE,
                        "--lambda and --dimensions only make sense with --rule ridge or null-space");
    if (strcmp(q->rule, "null-space") == 0 && q->ordinary == NULL && q->covariance == NULL)
        return complain(self, EXIT_USAGE, "--rule null-space needs --ordinary or --covariance");
    if (q->into != NULL && strcmp(q->files[0], q->into) == 0)
        return complain(self, EXIT_USAGE, "%s is the file that is edited; give the copy another name",
                        q->into);
    return 0;
}

static int run(const command *self, int argc, char **argv) {
    edit_request q = {.rule = "least-change"};
    option options[] = {
        TEXT("o", &q.output, "OUT", "where the edited matrix goes (.safetensors, tensor W)"),
        TEXT("into", &q.into, "MODEL",
             "a copy of W0's whole file with the matrix in its place, rounded to its type (.safetensors)"),
        FLAG("as-difference", &q.difference, "OUT holds U and V with W - W0 = U V^T instead of W"),
        TEXT("targets", &q.targets, "FILE", "index of each key's value (default: row i to row i)"),
        RESIDUAL(&q.residual),
        NUMBER("margin", &q.margin, "M", "gap by which new facts must win (default: half a nat)", 1e-30,
               1e30),
        FLAG("nats", &q.nats, "the margin is in root mean squares of the output W0 x + r"),
        TEXT("ordinary", &q.ordinary, "FILE",
             "ordinary keys: the change is measured by what it does to them"),
        TEXT("covariance", &q.covariance, "FILE", "their moments instead (ireneo moments), or a matrix"),
        NUMBER("ridge", &q.ridge, "R",
               "times the mean diagonal, added to the metric (default 0.01 with --ordinary, else 0)", 0, 1e6),
        TEXT("protect", &q.protect, "FILE", "keys at which the answer must stay"),
        TEXT("protect-residual", &q.protect_residual, "FILE", "their offsets"),
        TEXT("protect-targets", &q.protect_targets, "FILE", "what they answer (default: what W0 does)"),
        NUMBER("share", &q.share, "S", "of a protected gap that must be left (default 0.5)", 1e-6, 1),
        FLAG("adopt", &q.adopt, "take protected keys that W0 answers otherwise as new facts"),
        FLAG("give-way", &q.give_way, "leave out protected keys that a new fact answers otherwise"),
        FLAG("resume-edits", &q.resume,
             "keep the facts of earlier edits, which lie in W0's file name + .edits"),
        FLAG("overload", &q.overload, "when not all facts fit, choose which to keep"),
        TEXT("certificate", &q.certificate, "FILE", "where a proof of impossibility goes"),
        CHOICE("rule", &q.rule, "least-change|ridge|null-space", "how to edit (default least-change)"),
        NUMBER("lambda", &q.lambda, "L",
               "with the other rules: weight of the ridge (default: the best of several)", 1e-30, 1e30),
        COUNT("dimensions", &q.dimensions, "N",
              "with null-space: dimensions left to the change (default: likewise)", 1, 1e7),
        COUNT("max-rounds", &q.max_rounds, "N", "most rounds (default 200)", 1, 1e6),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 3, 3, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    q.ridge_given = given(options, "ridge");
    outcome = check_request(self, &q);
    if (outcome == 0) outcome = name_files(self, &q);
    if (outcome == 0) outcome = check_files(self, &q);
    edit_data d = {0};
    edit_outcome o = {0};
    if (outcome == 0) outcome = load_edit(self, &q, &d);
    catch_interrupts();
    if (outcome == 0) outcome = run_edit(self, &q, &d, &o);
    ireneo_memory_free(o.edited), ireneo_memory_free(o.difference);
    ireneo_edit_result_free(&o.result);
    free_edit(&d);
    free(q.state), free(q.before), free(q.after), free(q.proved);
    return outcome;
}

const command command_edit = {
    "edit", "changes a layer as little as possible so that it recalls new facts", run, "W0 KEYS VALUES",
    "W0 is a matrix (.npy, or file.safetensors:tensor) of values' dimension x keys' dimension. In the last "
    "block of a\n"
    "transformer KEYS are the inputs of its last projection, --residual what that is added to, and VALUES "
    "the output\n"
    "vectors of the tokens times the gain of the last norm. A full pass over all values decides what counts "
    "as recalled.\n"
    "Exit code 0: all new facts are recalled and all protected keys answer as before, or --overload kept "
    "what fits;\n"
    "1: impossible, undecided, or lost by rounding to the type of MODEL; 130: interrupted."};
