/* The commands, one file each (cli/NAME.c). */
#ifndef IRENEO_CLI_COMMANDS_H
#define IRENEO_CLI_COMMANDS_H

#include "options.h"

extern const command command_attention;
extern const command command_capacity;
extern const command command_figure;

#endif
