/* Figure "attention_stories": what theory says about 60 layers at three learning rates, with training runs on short stories.
 *
 * Both skips have the strength of the axis. The full figure trains all points; the quick one takes the outcomes that are shipped in
 * data/stories-training.csv, from the same settings. */
#include "base/error.h"
#include "base/file_view.h"
#include "base/progress.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <limits.h>

static const struct {
    double beta, residual, rate;
} POINTS[] = {
    {0.3, 1, 1e-3}, {0.3, 2, 1e-3},   {0.3, 4, 1e-3},   {0.3, 8, 1e-3}, {2, 1, 1e-3},
    {2, 2, 1e-3},   {2, 4, 1e-3},     {2, 8, 1e-3},     {10, 1, 1e-3},  {10, 2, 1e-3},
    {10, 4, 1e-3},  {10, 8, 1e-3},    {0.3, 4, 4e-3},   {0.3, 8, 4e-3}, {2, 8, 4e-3},
    {2, 4, 4e-3},   {0.3, 1, 2.5e-4}, {0.3, 2, 2.5e-4}, {2, 2, 2.5e-4},
};

/* The squares of the diagrams: all scales, strengths and rates that occur above. */
static const double BETA[] = {0.3, 2, 10}, RESIDUAL[] = {1, 2, 4, 8}, RATE[] = {2.5e-4, 1e-3, 4e-3};
enum { BETAS = sizeof BETA / sizeof *BETA, RESIDUALS = sizeof RESIDUAL / sizeof *RESIDUAL };

static ireneo_transformer network(double residual) {
    ireneo_transformer t;
    (void)ireneo_transformer_preset("small", &t); /* a name that exists */
    t.layers = 60;
    t.width = t.mlp_width = 32;
    t.residual_attention = t.residual_mlp = residual;
    return t;
}

static ireneo_attention_train_settings budget(void) {
    return (ireneo_attention_train_settings){.steps = 1000, .batch = 12};
}

/* ---- the diagram ---- */

static const char *what_fails(const ireneo_attention_assessment *judged) {
    if (judged->rank_collapse) return "rank";
    if (judged->gradients_explode) return "gradients";
    return judged->rate_too_large ? "rate" : "nothing";
}

static ireneo_error write_point(double beta, double residual, FILE *stream) {
    ireneo_transformer t = network(residual);
    t.beta = beta;
    for (size_t i = 0; i < sizeof RATE / sizeof *RATE; i++) {
        const ireneo_attention_collapse_settings limits = {.rate = RATE[i]};
        ireneo_attention_assessment judged;
        IRENEO_TRY(ireneo_attention_assess(&t, &limits, &judged));
        fprintf(stream, "%g,%g,%g,%.6g,%.6g,%.6g,%s\n", beta, residual, RATE[i], 1.0 - judged.rho,
                judged.growth, judged.update, what_fails(&judged));
    }
    return IRENEO_OK;
}

static ireneo_error write_points(const figure_request *request, FILE *stream) {
    for (size_t i = 0; i < BETAS * RESIDUALS; i++) {
        if (ireneo_report(request->progress, "diagram", (double)i, (double)(BETAS * RESIDUALS)))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped in the diagram");
        IRENEO_TRY(write_point(BETA[i / RESIDUALS], RESIDUAL[i % RESIDUALS], stream));
    }
    return IRENEO_OK;
}

static ireneo_error write_regions(const figure_request *request) {
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, "attention_stories.csv", &csv));
    fprintf(csv.stream, "beta,residual,rate,distance,growth,update,fails\n"
                        "# distance: 1 - similarity after the last layer; growth: of squared gradients from "
                        "the last layer to the first; update: by a step of Adam.\n");
    return ireneo_csv_close(&csv, write_points(request, csv.stream));
}

/* ---- the runs ---- */

static ireneo_error copy_runs(const figure_request *request) {
    char path[PATH_MAX + 64];
    ireneo_file_view view;
    figure_csv csv;
    IRENEO_TRY(ireneo_data_path("stories-training.csv", path, sizeof path));
    IRENEO_TRY(ireneo_file_view_open(path, &view));
    ireneo_error failed = ireneo_csv_open(request, "attention_stories_runs.csv", &csv);
    if (failed == IRENEO_OK) {
        fwrite(view.bytes, 1, view.count, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    ireneo_file_view_close(&view);
    return failed;
}

static ireneo_error train(const figure_request *request, size_t point, const char *text, FILE *stream) {
    ireneo_transformer t = network(POINTS[point].residual);
    ireneo_attention_train_settings settings = budget();
    ireneo_attention_train_report r;
    t.beta = POINTS[point].beta;
    settings.rate = POINTS[point].rate;
    settings.seed = request->seed;
    settings.threads = request->threads;
    settings.progress = request->progress;
    IRENEO_TRY(ireneo_attention_train_file(&t, text, &settings, &r));
    fprintf(stream, "%g,%g,%g,%llu,%zu,%zu,%zu,%g,%zu,%zu,", t.beta, POINTS[point].residual, settings.rate,
            (unsigned long long)settings.seed, t.layers, t.width, t.heads, t.context, settings.batch,
            settings.steps);
    fprintf(stream, "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%d\n", r.unigram_entropy, r.final_loss, r.held_out_unigram,
            r.held_out_loss, r.rho_before, r.rho_after, r.diverged);
    return IRENEO_OK;
}

static ireneo_error train_runs(const figure_request *request) {
    char text[PATH_MAX + 64];
    figure_csv csv;
    IRENEO_TRY(ireneo_data_path("stories.txt", text, sizeof text));
    IRENEO_TRY(ireneo_csv_open(request, "attention_stories_runs.csv", &csv));
    fprintf(csv.stream,
            "beta,residual,rate,seed,layers,width,heads,context,batch,steps,unigram_entropy,final_loss,"
            "held_out_unigram,held_out_loss,rho_before,rho_after,diverged\n");
    ireneo_error failed = IRENEO_OK;
    for (size_t i = 0; i < sizeof POINTS / sizeof *POINTS && failed == IRENEO_OK; i++)
        failed = train(request, i, text, csv.stream);
    return ireneo_csv_close(&csv, failed);
}

static ireneo_error make(const figure_request *request) {
    const ireneo_transformer t = network(1.0);
    const ireneo_attention_train_settings s = budget();
    IRENEO_TRY(ireneo_figure_note(request, "attention_stories",
                                  "%zu layers of width %zu, T = %g tokens, %zu steps of %zu sequences of "
                                  "short stories. A circle is one training run (one draw), its "
                                  "colour what\nit gained over frequencies; crossed out: less than 0.03 "
                                  "nats. Squares: theory, not fitted to these runs",
                                  t.layers, t.width, t.context, s.steps, s.batch));
    IRENEO_TRY(write_regions(request));
    return request->quick ? copy_runs(request) : train_runs(request);
}

const figure figure_attention_stories = {
    "attention_stories",
    "trainability of 60 layers at three learning rates, and training runs on stories",
    make,
    {0}};
