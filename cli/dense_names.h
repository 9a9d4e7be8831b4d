/* What the dense sub-commands share: names of ensembles and numbers too large to write out. */
#ifndef IRENEO_CLI_DENSE_NAMES_H
#define IRENEO_CLI_DENSE_NAMES_H

#include "base/json.h"
#include "ireneo.h"

#define ENSEMBLES "spherical|gaussian|binary"

/* The ensemble that one of the words of ENSEMBLES names. */
ireneo_dense_ensemble ensemble_called(const char *name);

/* e^log_count for people: "1 234", "10^345.6", "-" when unknown; buffer holds 40 bytes. */
const char *written_count(double log_count, char *buffer);

/* A row of a table: name, number ("none" when infinite, "-" when unknown) and what it means. */
void print_quantity(const char *name, double value, const char *meaning);

/* Two items, "log_NAME" and "log10_NAME"; NAME has at most 40 letters. */
void write_log_count(ireneo_json *json, const char *name, double log_count);

#endif
