/* Figure "attention_training": what was learned over the two things that stand in its way, the change of the
 * function by one step of Adam and the growth of gradients.
 *
 * The full figure trains the 25 networks of one seed; the quick one takes all outcomes that are shipped in
 * data/attention-training.csv. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "lab/figures/training_runs.h"

/* Query-key scales and strengths of the attention's skip: a network at every pair of them. */
static const double BETA[] = {0.3, 1, 2, 4, 7}, RESIDUAL[] = {0.35, 0.7, 1.4, 3, 6};
enum {
    BETAS = sizeof BETA / sizeof *BETA,
    RESIDUALS = sizeof RESIDUAL / sizeof *RESIDUAL,
    RUNS = BETAS * RESIDUALS
};
static const char OUTCOMES[] = "attention_training_runs.csv";

static training_run list_run(const figure_request *request, size_t i) {
    training_run run = {
        .settings =
            {.steps = 1000, .batch = 24, .rate = 1e-3, .mask = 0.2, .clip = 1.0, .seed = request->seed},
        .text = "genesis.txt"};
    (void)ireneo_transformer_preset("small", &run.network); /* a name that exists */
    run.network.beta = BETA[i / RESIDUALS];
    run.network.residual_attention = RESIDUAL[i % RESIDUALS];
    return run;
}

/* A line of the table, with what the theory says about the run: 1 - rho after the last layer, growth of gradients, and the
 * change by a step of Adam. */
static ireneo_error write_run(const training_run *run, FILE *stream) {
    const ireneo_transformer *t = &run->network;
    const ireneo_attention_train_settings *s = &run->settings;
    const training_outcome *r = &run->outcome;
    ireneo_attention_collapse_settings asked = {.rate = s->rate};
    ireneo_attention_assessment a;
    IRENEO_TRY(ireneo_attention_assess(t, &asked, &a));
    fprintf(stream, "%g,%g,%llu,%zu,%zu,%zu,%g,%zu,%zu,%g,", t->beta, t->residual_attention,
            (unsigned long long)s->seed, t->layers, t->width, t->heads, t->context, s->batch, s->steps,
            s->rate);
    fprintf(stream, "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.0f,%.0f,", r->unigram_entropy, r->final_loss,
            r->held_out_unigram, r->held_out_loss, r->rho_before, r->rho_after, r->entropy_before,
            r->entropy_after, r->diverged, r->seconds);
    fprintf(stream, "%g,%g,%g,%g,%d,%s,,%.4g,%.4g,%.4g,\n", t->residual_mlp, t->value_variance,
            t->mlp_in_variance, t->mlp_out_variance, t->causal, run->text, 1.0 - a.rho, a.growth, a.update);
    return IRENEO_OK;
}

static ireneo_error write_runs(const training_run *runs, FILE *stream) {
    fprintf(stream,
            "beta,residual,seed,layers,width,heads,context,batch,steps,rate,unigram_entropy,final_loss,"
            "held_out_unigram,held_out_loss,rho_before,rho_after,entropy_before,entropy_after,diverged,"
            "seconds,residual_mlp,value_variance,mlp_in_variance,mlp_out_variance,causal,text,"
            "held_out_bigram,distance,growth,update,half\n");
    for (size_t i = 0; i < RUNS; i++) IRENEO_TRY(write_run(&runs[i], stream));
    return IRENEO_OK;
}

static ireneo_error train_all(const figure_request *request) {
    training_run runs[RUNS];
    figure_csv csv;
    for (size_t i = 0; i < RUNS; i++) runs[i] = list_run(request, i);
    const ireneo_transformer *t = &runs[0].network;
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_training",
        "A mark is one training run (one draw): encoders of %zu layers of width %zu, T = %g, five query-key "
        "scales and five skips,\nthe text of %s at the rate %g; learned: 0.03 nats below what needs no look "
        "at other tokens;\nlines: theory, constants fitted on these runs and others",
        t->layers, t->width, t->context, runs[0].text, runs[0].settings.rate));
    IRENEO_TRY(ireneo_training_runs_make(request, "training (attention_training)", runs, RUNS));
    IRENEO_TRY(ireneo_csv_open(request, OUTCOMES, &csv));
    return ireneo_csv_close(&csv, write_runs(runs, csv.stream));
}

static ireneo_error make(const figure_request *request) {
    if (!request->quick) return train_all(request);
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_training",
        "A mark is one training run (one draw): 8 to 60 layers of width 64 and 128, T = 32, encoders and "
        "decoders, two texts,\nrates from 0.0001 to 0.004; learned: 0.03 nats below what needs no look at "
        "other tokens; lines: theory, constants fitted on 97 of the 130"));
    return ireneo_training_runs_copy(request, "attention-training.csv", OUTCOMES);
}

const figure figure_attention_training = {
    "attention_training",
    "what training runs learned, over learning rate and growth of gradients",
    make,
    {0, 0, false, 0, "attention_training", false}};
