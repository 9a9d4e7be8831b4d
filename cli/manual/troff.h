/* Plain text of the tables in the language of manual pages. */
#ifndef IRENEO_CLI_MANUAL_TROFF_H
#define IRENEO_CLI_MANUAL_TROFF_H

#include <stdio.h>

/* Text within a line: hyphens, quotes and backslashes stay what they are. */
void troff_words(FILE *page, const char *text);

/* A phrase of a table as a sentence of its own line: "rank (default: full)" as "Rank (default: full)." */
void troff_sentence(FILE *page, const char *phrase);

/* Lines as they are in --help; those that begin with blanks are examples, and keep their shape. */
void troff_lines(FILE *page, const char *text);

#endif
