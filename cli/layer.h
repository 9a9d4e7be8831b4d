/* What ireneo layer was asked and what it found, for the work (layer.c), its report (layer_report.c) and its picture. */
#ifndef IRENEO_CLI_LAYER_H
#define IRENEO_CLI_LAYER_H

#include "report.h"

typedef struct layer_request {
    const char *location, *unembed, *ordinary, *picture;
    double candidates, share;
    size_t threads;
    bool json;
} layer_request;

/* One matrix. */
typedef struct layer_found {
    char *name; /* of the tensor; the location of a matrix that was asked for by itself */
    const char *dtype;
    ireneo_layer_report report;
    double *singular, *spectrum; /* (min of the dimensions), (dim_in) or NULL */
} layer_found;

typedef struct layer_outcome {
    layer_found *layers;
    size_t count, others; /* matrices, and tensors that are none */
    bool model;           /* all matrices of a file */
    uint64_t rows;        /* of ordinary keys; 0: none */
} layer_outcome;

int report_layers(const command *self, const layer_request *q, const layer_outcome *o);

/* Draws the spectra into the file that was asked for. */
int draw_layers(const command *self, const layer_request *q, const layer_outcome *o);

#endif
