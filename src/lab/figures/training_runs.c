/* A run is a job of the queue, on one thread: as many at a time as there are cores. */
#include "lab/figures/training_runs.h"
#include "base/error.h"
#include "base/file_view.h"
#include "base/ram.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figure_trials.h"

#include <limits.h>
#include <stdlib.h>

enum { FIELDS = sizeof(training_outcome) / sizeof(double) };
_Static_assert(sizeof(training_outcome) % sizeof(double) == 0, "an outcome is an array of doubles");

static ireneo_error train(queue_worker *worker, const void *context, double *values, size_t count) {
    const training_run *run = context;
    ireneo_attention_train_settings settings = run->settings;
    ireneo_attention_train_report r;
    char text[PATH_MAX + 64];
    (void)count;
    settings.threads = 1;
    settings.progress = &worker->progress;
    IRENEO_TRY(ireneo_data_path(run->text, text, sizeof text));
    IRENEO_TRY(ireneo_attention_train_file(&run->network, text, &settings, &r));
    *(training_outcome *)values = (training_outcome){.unigram_entropy = r.unigram_entropy,
                                                     .final_loss = r.final_loss,
                                                     .held_out_unigram = r.held_out_unigram,
                                                     .held_out_loss = r.held_out_loss,
                                                     .rho_before = r.rho_before,
                                                     .rho_after = r.rho_after,
                                                     .entropy_before = r.entropy_before,
                                                     .entropy_after = r.entropy_after,
                                                     .diverged = r.diverged,
                                                     .seconds = r.seconds};
    return IRENEO_OK;
}

/* The name says all that the figures' runs differ in; what the preset of the network fixes is not in it. */
static ireneo_error run_one(queue_worker *worker, size_t index, void *context) {
    training_run *run = (training_run *)context + index;
    const ireneo_transformer *t = &run->network;
    const ireneo_attention_train_settings *s = &run->settings;
    char name[512];
    snprintf(name, sizeof name,
             "training %s layers=%zu width=%zu heads=%zu mlp=%zu context=%g beta=%g residual=%g:%g "
             "variances=%g:%g:%g causal=%d batch=%zu steps=%zu rate=%g mask=%g clip=%g seed=%llu",
             run->text, t->layers, t->width, t->heads, t->mlp_width, t->context, t->beta,
             t->residual_attention, t->residual_mlp, t->value_variance, t->mlp_in_variance,
             t->mlp_out_variance, t->causal, s->batch, s->steps, s->rate, s->mask, s->clip,
             (unsigned long long)s->seed);
    return ireneo_queue_array(worker, name, train, run, (double *)&run->outcome, FIELDS);
}

ireneo_error ireneo_training_runs_make(const figure_request *request, const char *stage, training_run *runs,
                                       size_t count) {
    results *store = NULL;
    queue_settings settings = ireneo_figure_queue(request, stage);
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_run(store, &settings, count, NULL, run_one, runs);
    ireneo_results_close_shared(store);
    return failed;
}

ireneo_error ireneo_training_runs_copy(const figure_request *request, const char *shipped, const char *name) {
    char path[PATH_MAX + 64];
    ireneo_file_view view;
    figure_csv csv;
    IRENEO_TRY(ireneo_data_path(shipped, path, sizeof path));
    IRENEO_TRY(ireneo_file_view_open(path, &view));
    ireneo_error failed = ireneo_csv_open(request, name, &csv);
    if (failed == IRENEO_OK) {
        fwrite(view.bytes, 1, view.count, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    ireneo_file_view_close(&view);
    return failed;
}
