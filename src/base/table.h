/* Small matrices as text: one row a line, numbers between commas, semicolons, tabs or blanks. */
#ifndef IRENEO_BASE_TABLE_H
#define IRENEO_BASE_TABLE_H

#include "base/source.h"

/* Reads text (length, and a NUL behind it). The separator is that of the first line: a tab, a semicolon, a
 * comma, or blanks, whichever comes first in this list. Empty lines and lines that begin with # are skipped, and so is
 * a first line without any number, a heading. Whole numbers become int64, all others float64. Release
 * *elements with free(). `path` is for sentences, which name line and column, counted from 1. */
ireneo_error ireneo_table_parse(const char *path, const char *text, size_t length, ireneo_layout *layout,
                                unsigned char **elements);

#endif
