/* A curve is a list of trials, `draws` of them at each of its loads; each load becomes a line of means and
 * standard deviations over the draws. */
#include "lab/figures/curves.h"
#include "base/ram.h"
#include "lab/figures/average.h"
#include "lab/figures/figure_trials.h"
#include "linear/law/rank_spectrum.h"

#include <math.h>
#include <string.h>

const char ireneo_curves_header[] =
    "problem,dim,rank,load,facts,accuracy,spread,all,loss,loss_spread,seconds,draws\n"
    "# A line is a point of a curve: means over `draws` random instances, of seeds S, S + 1, ...; two empty "
    "lines\n"
    "# part curves. rank 0: no limit. load: n log P / d^2. accuracy: share of facts recalled, and its "
    "standard\n"
    "# deviation over the draws (spread; 0 for one draw). all: share of draws in which every fact is "
    "recalled.\n"
    "# loss: cross-entropy in nats, nan where none is computed. seconds: of one draw.\n";

void ireneo_curve_resize(const figure_request *request, curve *c) {
    const figure_sizes *own = &request->own;
    if (own->load_points > 0) c->from = own->load_from, c->to = own->load_to, c->points = own->load_points;
    if (own->trials > 0) c->draws = own->trials;
}

static double load_at(const curve *c, size_t point) {
    return c->points < 2 ? c->from : c->from + (c->to - c->from) * (double)point / (double)(c->points - 1);
}

static void list_trials(const curve *curves, size_t count, trial *trials) {
    for (size_t c = 0; c < count; c++) {
        const curve *from = &curves[c];
        for (size_t i = 0; i < from->points * from->draws; i++, trials++) {
            *trials = from->like;
            trials->facts = trials->candidates =
                ireneo_trial_facts(load_at(from, i / from->draws), from->like.dim_in, from->like.dim_out, 0);
            trials->seed += i % from->draws;
        }
    }
}

static void write_point(const curve *c, const trial *t, const trial_result *r, FILE *stream) {
    draw_average accuracy = {0}, all = {0}, loss = {0}, seconds = {0};
    for (size_t i = 0; i < c->draws; i++) {
        ireneo_average_take(&accuracy, r[i].accuracy);
        ireneo_average_take(&all, r[i].recalled == t->facts ? 1.0 : 0.0);
        ireneo_average_take(&loss, r[i].loss);
        ireneo_average_take(&seconds, r[i].seconds);
    }
    fprintf(stream, "%s,%zu,%zu,%.8g,%zu,%.8g,%.8g,%.8g,%.8g,%.8g,%.4g,%zu\n",
            ireneo_trial_problem_name(t->problem), t->dim_in, t->rank, ireneo_trial_load(t), t->facts,
            ireneo_average_mean(&accuracy), ireneo_average_spread(&accuracy), ireneo_average_mean(&all),
            ireneo_average_mean(&loss), ireneo_average_spread(&loss), ireneo_average_mean(&seconds),
            c->draws);
}

ireneo_error ireneo_curves_write(const figure_request *request, const char *stage, const curve *curves,
                                 size_t count, FILE *stream) {
    size_t total = 0;
    for (size_t c = 0; c < count; c++) total += curves[c].points * curves[c].draws;
    trial *trials = NULL;
    trial_result *outcomes = NULL;
    results *store = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&trials, total, "the list of trials");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&outcomes, total, "outcomes of the trials");
    if (failed == IRENEO_OK) failed = ireneo_figure_store(request, &store);
    if (failed == IRENEO_OK) {
        queue_settings settings = ireneo_figure_queue(request, stage);
        list_trials(curves, count, trials);
        failed = ireneo_queue_trials(store, &settings, trials, total, outcomes);
    }
    fputs(ireneo_curves_header, stream);
    for (size_t c = 0, at = 0; c < count && failed == IRENEO_OK; c++) {
        if (c > 0) fputs("\n\n", stream);
        for (size_t p = 0; p < curves[c].points; p++, at += curves[c].draws)
            write_point(&curves[c], &trials[at], &outcomes[at], stream);
    }
    ireneo_results_close_shared(store);
    free(trials);
    free(outcomes);
    return failed;
}

ireneo_error ireneo_critical_load(trial_problem problem, size_t dim, double kappa, double *law,
                                  double *limit) {
    trial like = ireneo_trial_square(problem, TRIAL_PROJECT, dim, kappa, 2, 1);
    ireneo_shape shape = ireneo_trial_shape(&like, true);
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    *law = report.load;
    *limit = 0.5 * ireneo_rank_spectrum_energy(kappa, 1.0);
    return IRENEO_OK;
}
