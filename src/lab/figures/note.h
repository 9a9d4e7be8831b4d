/* The words that go with a picture wherever it goes: sizes, draws, and what its bars are.
 *
 * A figure leaves them in NAME_note.txt beside its data; figures/style.gp sets them under the picture, and an SVG carries them
 * in its <desc>, for those who hear a picture. */
#ifndef IRENEO_LAB_FIGURES_NOTE_H
#define IRENEO_LAB_FIGURES_NOTE_H

#include "lab/figures/figure.h"

/* Writes the note of a figure, one line or several; an empty one: the picture stands without words. */
ireneo_error ireneo_figure_note(const figure_request *request, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "20, 40, 80": the dimensions of a note. */
enum { DIMS_TEXT = 128 };
const char *ireneo_dims_text(const size_t *dims, size_t count, char text[DIMS_TEXT]);

/* Copies an SVG that gnuplot drew into stream, with `title` as its title and the figure's note, when the directory has one, as
 * its description. */
ireneo_error ireneo_svg_describe(FILE *drawn, const figure *chosen, const char *directory, FILE *stream);

#endif
