/* Where the files that come with Ireneo are: data, and the gnuplot scripts of figures. */
#ifndef IRENEO_LAB_FIGURES_DATA_FOLDER_H
#define IRENEO_LAB_FIGURES_DATA_FOLDER_H

#include "ireneo.h"

/* The path of a file of data/, in path (size): in the folder named by IRENEO_DATA, in the source tree above
 * the program, or installed. */
ireneo_error ireneo_data_path(const char *name, char *path, size_t size);

/* The same for figures/ and IRENEO_FIGURES. */
ireneo_error ireneo_figure_script_path(const char *name, char *path, size_t size);

#endif
