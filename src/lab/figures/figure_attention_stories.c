/* Figure "attention_stories": what theory says about 60 layers at three learning rates, with training runs on short stories.
 *
 * Both skips have the strength of the axis. The full figure trains all points; the quick one takes the outcomes that are shipped in
 * data/stories-training.csv, from the same settings. */
#include "base/error.h"
#include "base/progress.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "lab/figures/training_runs.h"

static const struct {
    double beta, residual, rate;
} POINTS[] = {
    {0.3, 1, 1e-3}, {0.3, 2, 1e-3},   {0.3, 4, 1e-3},   {0.3, 8, 1e-3}, {2, 1, 1e-3},
    {2, 2, 1e-3},   {2, 4, 1e-3},     {2, 8, 1e-3},     {10, 1, 1e-3},  {10, 2, 1e-3},
    {10, 4, 1e-3},  {10, 8, 1e-3},    {0.3, 4, 4e-3},   {0.3, 8, 4e-3}, {2, 8, 4e-3},
    {2, 4, 4e-3},   {0.3, 1, 2.5e-4}, {0.3, 2, 2.5e-4}, {2, 2, 2.5e-4},
};

enum { RUNS = sizeof POINTS / sizeof *POINTS };

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
    return (ireneo_attention_train_settings){.steps = 1000, .batch = 12, .mask = 0.2, .clip = 1.0};
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

static const char OUTCOMES[] = "attention_stories_runs.csv";

static void write_run(const training_run *run, FILE *stream) {
    const ireneo_transformer *t = &run->network;
    const ireneo_attention_train_settings *s = &run->settings;
    const training_outcome *r = &run->outcome;
    fprintf(stream, "%g,%g,%g,%llu,%zu,%zu,%zu,%g,%zu,%zu,", t->beta, t->residual_attention, s->rate,
            (unsigned long long)s->seed, t->layers, t->width, t->heads, t->context, s->batch, s->steps);
    fprintf(stream, "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.0f\n", r->unigram_entropy, r->final_loss,
            r->held_out_unigram, r->held_out_loss, r->rho_before, r->rho_after, r->diverged);
}

static ireneo_error train_all(const figure_request *request) {
    training_run runs[RUNS];
    figure_csv csv;
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = (training_run){
            .network = network(POINTS[i].residual), .settings = budget(), .text = "stories.txt"};
        runs[i].network.beta = POINTS[i].beta;
        runs[i].settings.rate = POINTS[i].rate;
        runs[i].settings.seed = request->seed;
    }
    IRENEO_TRY(ireneo_training_runs_make(request, "training (attention_stories)", runs, RUNS));
    IRENEO_TRY(ireneo_csv_open(request, OUTCOMES, &csv));
    fprintf(csv.stream,
            "beta,residual,rate,seed,layers,width,heads,context,batch,steps,unigram_entropy,final_loss,"
            "held_out_unigram,held_out_loss,rho_before,rho_after,diverged\n");
    for (size_t i = 0; i < RUNS; i++) write_run(&runs[i], csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
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
    return request->quick ? ireneo_training_runs_copy(request, "stories-training.csv", OUTCOMES)
                          : train_all(request);
}

const figure figure_attention_stories = {
    "attention_stories",
    "trainability of 60 layers at three learning rates, and training runs on stories",
    make,
    {0, 0, false, 0, "attention_stories", false}};
