/* Figure "attention_training": the trainability diagram with training runs on it.
 *
 * The full figure trains a network at every point (half an hour on two cores); the quick one takes the
 * outcomes that are shipped in data/attention-training.csv, from the same settings. */
#include "base/error.h"
#include "base/file_view.h"
#include "base/ram.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "lab/figures/training_runs.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- the diagram ---- */

static ireneo_error write_lines(const figure_request *request) {
    enum { STEPS = 61, RESIDUALS = 2 };
    double betas[STEPS];
    int steps = request->quick ? 16 : STEPS;
    const double residuals[RESIDUALS] = {0.1, 10.0};
    for (int i = 0; i < steps; i++) betas[i] = 0.2 * pow(50.0, (double)i / (steps - 1));
    ireneo_transformer t = ireneo_training_network();
    ireneo_attention_trainability diagram;
    IRENEO_TRY(ireneo_attention_trainability_diagram(&t, betas, (size_t)steps, residuals, RESIDUALS, NULL,
                                                     &diagram));
    figure_csv csv;
    ireneo_error failed = ireneo_csv_open(request, "attention_training_lines.csv", &csv);
    if (failed == IRENEO_OK) {
        fprintf(csv.stream, "beta,rank_line,rank_line_limit,beta_line,beta_line_limit\n");
        for (int i = 0; i < steps; i++)
            fprintf(csv.stream, "%.6g,%.6g,%.6g,%.6g,%.6g\n", betas[i], diagram.rank_line[i],
                    diagram.rank_line_limit[i], diagram.beta_line, diagram.beta_line_limit);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    ireneo_attention_trainability_free(&diagram);
    return failed;
}

static const double GROWTH_LIMIT = 1000.0; /* of |dL/dx|^2 from the last layer to the first */

/* The residual strength at which gradients grow to the limit, from a guess; 0 when they never do. The
 * logarithm of the growth falls as one over the squared residual strength, nearly; iterating on that
 * converges in a few rounds. */
static ireneo_error growth_line(ireneo_transformer *t, double *gradient, double *residual) {
    for (int round = 0; round < 6; round++) {
        t->residual_attention = *residual;
        IRENEO_TRY(ireneo_attention_gradient_depth(t, gradient));
        double growth = log(gradient[0]);
        if (growth <= 0.0) break;
        double next = *residual * sqrt(growth / log(GROWTH_LIMIT));
        bool settled = fabs(next / *residual - 1.0) < 0.02;
        *residual = next;
        if (settled) return IRENEO_OK;
    }
    *residual = 0.0;
    return IRENEO_OK;
}

static ireneo_error write_growth(const figure_request *request) {
    ireneo_transformer t = ireneo_training_network();
    double *gradient = NULL;
    figure_csv csv;
    IRENEO_TRY(IRENEO_ALLOCATE(&gradient, t.layers + 1, "gradients"));
    ireneo_error failed = ireneo_csv_open(request, "attention_training_growth.csv", &csv);
    if (failed == IRENEO_OK) {
        int steps = request->quick ? 5 : 16;
        double residual = 1.5;
        fprintf(csv.stream, "beta,residual\n");
        for (int i = 0; i < steps && failed == IRENEO_OK; i++) {
            t.beta = 2.5 * pow(4.0, (double)i / (steps - 1));
            failed = growth_line(&t, gradient, &residual);
            if (residual > 0.0) fprintf(csv.stream, "%.6g,%.6g\n", t.beta, residual);
            if (residual == 0.0) residual = 1.5;
        }
        failed = ireneo_csv_close(&csv, failed);
    }
    free(gradient);
    return failed;
}

/* ---- the runs ---- */

static ireneo_error copy_runs(const figure_request *request) {
    char path[PATH_MAX + 64];
    ireneo_file_view view;
    figure_csv csv;
    IRENEO_TRY(ireneo_data_path("attention-training.csv", path, sizeof path));
    IRENEO_TRY(ireneo_file_view_open(path, &view));
    ireneo_error failed = ireneo_csv_open(request, "attention_training_runs.csv", &csv);
    if (failed == IRENEO_OK) {
        fwrite(view.bytes, 1, view.count, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    ireneo_file_view_close(&view);
    return failed;
}

static ireneo_error train_all(const figure_request *request, const char *text, FILE *stream) {
    ireneo_training_write_heading(stream);
    for (size_t i = 0; i < ireneo_training_point_count; i++) {
        ireneo_transformer t = ireneo_training_network();
        ireneo_attention_train_settings settings = ireneo_training_budget();
        ireneo_attention_train_report report;
        t.beta = ireneo_training_points[i].beta;
        t.residual_attention = ireneo_training_points[i].residual;
        settings.seed = request->seed;
        settings.threads = request->threads;
        settings.progress = request->progress;
        IRENEO_TRY(ireneo_attention_train_file(&t, text, &settings, &report));
        ireneo_training_write_run(stream, ireneo_training_points[i], request->seed, &report);
    }
    return IRENEO_OK;
}

static ireneo_error train_runs(const figure_request *request) {
    char text[PATH_MAX + 64];
    figure_csv csv;
    IRENEO_TRY(ireneo_data_path("genesis.txt", text, sizeof text));
    IRENEO_TRY(ireneo_csv_open(request, "attention_training_runs.csv", &csv));
    return ireneo_csv_close(&csv, train_all(request, text, csv.stream));
}

static ireneo_error make(const figure_request *request) {
    ireneo_transformer t = ireneo_training_network();
    ireneo_attention_train_settings s = ireneo_training_budget();
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_training",
        "%zu layers of width %zu, T = %g tokens, %zu steps on the book of Genesis; a circle is one "
        "training run (one draw),\nlearned: 0.1 nats below the entropy of single characters; lines: "
        "theory; dashed: gradients grow 1000-fold",
        t.layers, t.width, t.context, s.steps));
    IRENEO_TRY(write_lines(request));
    IRENEO_TRY(write_growth(request));
    return request->quick ? copy_runs(request) : train_runs(request);
}

const figure figure_attention_training = {
    "attention_training", "trainability diagram with the outcomes of training runs on it", make, {0}};
