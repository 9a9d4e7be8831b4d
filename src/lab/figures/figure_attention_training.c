/* Figure "attention_training": what was learned over the two things that stand in its way, the change of the
 * function by one step of Adam and the growth of gradients.
 *
 * The full figure trains the 25 networks of one seed (half an hour on two cores); the quick one takes all
 * outcomes that are shipped in data/attention-training.csv. */
#include "base/error.h"
#include "base/file_view.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "lab/figures/training_runs.h"

#include <limits.h>

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
        IRENEO_TRY(ireneo_training_write_run(stream, ireneo_training_points[i], request->seed, &report));
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
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_training",
        "A mark is one training run (one draw): 8 to 60 layers of width 64 and 128, T = 32, encoders and "
        "decoders, two texts,\nrates from 0.0001 to 0.004; learned: 0.03 nats below what needs no look at "
        "other tokens; lines: theory, constants fitted on 97 of the 130"));
    return request->quick ? copy_runs(request) : train_runs(request);
}

const figure figure_attention_training = {
    "attention_training",
    "what training runs learned, over learning rate and growth of gradients",
    make,
    {0}};
