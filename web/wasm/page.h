/* What the page asks besides the program's own commands: curves for its pictures, many points in one call. Each is a
 * command like the program's, with the same options, and prints JSON. */
#ifndef IRENEO_WEB_PAGE_H
#define IRENEO_WEB_PAGE_H

#include "report.h"

extern const command command_curves_facts;
extern const command command_curves_candidates;
extern const command command_curves_phases;
extern const command command_curves_basins;
extern const command command_map_column;

/* One item of a report: an array of numbers, null where they are not finite. */
void write_numbers(ireneo_json *json, const char *key, const double *values, size_t count);

/* value i of count from lower to upper in equal steps, or in equal ratios. */
double stepped(double lower, double upper, size_t i, size_t count);
double scaled(double lower, double upper, size_t i, size_t count);

#endif
