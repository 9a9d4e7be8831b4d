/* A figure is a function that writes CSV files and a gnuplot script (figures/NAME.gp) that draws them.
 *
 * The script finds its data in the working directory, and is run once per output format with the variables
 *     name    (the figure's name)
 *     format  ("svg", "png" or "pdf")
 *     file    (where the picture goes: standard output, behind which lies NAME.FORMAT as a whole)
 * after figures/style.gp has set the terminal, the output file, fonts and colours. */
#ifndef IRENEO_LAB_FIGURES_FIGURE_H
#define IRENEO_LAB_FIGURES_FIGURE_H

#include "base/text_stream.h"
#include "ireneo.h"

#include <stdbool.h>
#include <stdio.h>

enum { FIGURE_MOST_DIMS = 8, FIGURE_MOST_TRIALS = 1000 };

/* Sizes of the caller's own, in the place of a figure's; zero: the figure's. */
typedef struct figure_sizes {
    size_t dims[FIGURE_MOST_DIMS], dim_count;
    double load_from, load_to; /* of curves */
    size_t load_points;
    size_t trials; /* draws of a point */
} figure_sizes;

typedef struct figure_request {
    const char *directory;  /* where CSV and pictures go; exists */
    const char *database;   /* result store for figures that sweep; NULL: directory/results.db */
    const char *rows;       /* CSV file of trials that are known, which is renewed; NULL: none */
    const char *thresholds; /* CSV file of thresholds that a sweep found; NULL: none */
    bool quick;             /* smaller sizes, fewer repetitions */
    uint64_t seed;
    int threads;
    const ireneo_progress *progress;
    figure_sizes own;
} figure_request;

/* Which sizes of the caller's own a figure takes, and which rows; all zero: none. */
typedef struct figure_takes {
    size_t fewest_dims, most_dims;
    bool loads;
    size_t trials; /* at most */
    const char
        *rows; /* FOLDER/rows.csv holds its trials, which another figure may share; NULL: it has none */
    bool thresholds;
} figure_takes;

typedef struct figure {
    const char *name;    /* "law", "dense_phases": also the script's name */
    const char *summary; /* one line */
    ireneo_error (*make)(const figure_request *request);
    figure_takes takes;
} figure;

/* Every figure there is, in the order in which `ireneo figure all` makes them. */
extern const figure *const ireneo_figures[];
extern const size_t ireneo_figure_count;

/* The caller's i-th dimension and number of draws, or the figure's usual ones. */
size_t ireneo_figure_dim(const figure_request *request, size_t i, size_t quick, size_t full);
size_t ireneo_figure_draws(const figure_request *request, size_t quick, size_t full);

/* A CSV file of a figure, written atomically when closed: open, print lines to `stream`, close. */
typedef struct figure_csv {
    FILE *stream;
    ireneo_text text;
    char path[4096];
} figure_csv;

ireneo_error ireneo_csv_open(const figure_request *request, const char *file_name, figure_csv *csv);

/* `failed`: how the writing of the rows went. The file is only written when it went well, by rank 0; returns what went
 * wrong first, on all ranks. */
ireneo_error ireneo_csv_close(figure_csv *csv, ireneo_error failed);

/* Makes the data, all ranks together, and draws NAME.svg, NAME.png and NAME.pdf into the request's directory. Trials of the
 * request's rows are not run again, and all trials of its store are written back there, also when the work was stopped. */
ireneo_error ireneo_figure_make(const figure *chosen, const figure_request *request);

/* Draws the data in a directory by the script NAME.gp into one file, whose ending, .svg, .png or .pdf, says how. */
ireneo_error ireneo_figure_picture(const char *name, const char *directory, const char *path);

/* The format that a path asks for: "svg", "png" or "pdf"; NULL: none of them. */
const char *ireneo_picture_format(const char *path);

/* Draws data that are already in the directory. */
ireneo_error ireneo_figure_draw(const figure *chosen, const char *directory);

#endif
