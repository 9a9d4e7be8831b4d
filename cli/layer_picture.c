/* The picture of ireneo layer: spectra as CSV in a folder of their own, which gnuplot draws (figures/layer.gp). */
#include "base/text_stream.h"
#include "lab/figures/figure.h"
#include "layer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block of lines a matrix. */
static void write_singular(const layer_outcome *o, FILE *stream) {
    fprintf(stream,
            "matrix,place,value\n# place: of min(dimensions); value: singular value over the largest.\n");
    for (size_t k = 0; k < o->count; k++) {
        const ireneo_layer_report *r = &o->layers[k].report;
        size_t count = r->dim_in < r->dim_out ? r->dim_in : r->dim_out;
        if (k > 0) fputs("\n\n", stream);
        for (size_t i = 0; i < count; i++)
            fprintf(stream, "%zu,%.6g,%.6g\n", k, ((double)i + 0.5) / (double)count,
                    r->largest > 0.0 ? o->layers[k].singular[i] / r->largest : 0.0);
    }
}

static void write_keys(const layer_outcome *o, FILE *stream) {
    const layer_found *found = &o->layers[0];
    double total = 0.0, held = 0.0;
    fprintf(stream,
            "directions,share\n# share of the square of ordinary keys that so many directions hold.\n");
    for (size_t k = 0; k < found->report.dim_in; k++) total += found->spectrum[k];
    for (size_t k = 0; k < found->report.dim_in; k++) {
        held += found->spectrum[k];
        fprintf(stream, "%zu,%.8g\n", k + 1, held / total);
    }
}

static ireneo_error write_data(const layer_outcome *o, const char *folder) {
    const figure_request request = {.directory = folder};
    figure_csv csv;
    ireneo_error failed = ireneo_csv_open(&request, "layer.csv", &csv);
    if (failed != IRENEO_OK) return failed;
    write_singular(o, csv.stream);
    failed = ireneo_csv_close(&csv, IRENEO_OK);
    if (failed != IRENEO_OK || o->rows == 0) return failed;
    failed = ireneo_csv_open(&request, "layer_keys.csv", &csv);
    if (failed != IRENEO_OK) return failed;
    write_keys(o, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

static void remove_folder(const char *folder) {
    static const char *const files[] = {"layer.csv", "layer_keys.csv"};
    char path[4200];
    for (size_t k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        unlink(path);
    }
    rmdir(folder);
}

int draw_layers(const command *self, const layer_request *q, const layer_outcome *o) {
    const char *place = getenv("TMPDIR");
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/ireneo-layer-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(folder) == NULL)
        return complain(self, EXIT_MACHINE, "cannot make a folder for the picture: %s", strerror(errno));
    ireneo_error failed = write_data(o, folder);
    if (failed == IRENEO_OK) failed = ireneo_figure_picture("layer", folder, q->picture);
    remove_folder(folder);
    return report_error(self, failed);
}
