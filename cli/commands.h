/* The commands, one file each (cli/NAME.c), and the list of them (commands.c). */
#ifndef IRENEO_CLI_COMMANDS_H
#define IRENEO_CLI_COMMANDS_H

#include "options.h"

extern const command command_ask;
extern const command command_attention;
extern const command command_capacity;
extern const command command_store;
extern const command command_recall;
extern const command command_check;
extern const command command_verify;
extern const command command_sample;
extern const command command_pairs;
extern const command command_edit;
extern const command command_moments;
extern const command command_layer;
extern const command command_dense;
extern const command command_dense_basins;
extern const command command_dense_audit;
extern const command command_dense_recall;
extern const command command_dense_simulate;
extern const command command_dense_phases;
extern const command command_figure;
extern const command command_plan;
extern const command command_sweep;

/* All of them, in the order of --help; ends with NULL. */
extern const command *const all_commands[];

#endif
