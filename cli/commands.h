/* The commands, one file each (cli/NAME.c). */
#ifndef IRENEO_CLI_COMMANDS_H
#define IRENEO_CLI_COMMANDS_H

#include "options.h"

extern const command command_attention_simulate;
extern const command command_attention_train;
extern const command command_capacity;
extern const command command_figure;

#endif
