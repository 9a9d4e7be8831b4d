/* ireneo --completion bash|zsh|fish: a script for the shell, made from the option tables of all commands. */
#ifndef IRENEO_CLI_COMPLETION_H
#define IRENEO_CLI_COMPLETION_H

#include "tables.h"

/* argv[0] is the word after --completion. Returns the exit code. */
int print_completion(int argc, char **argv);

void complete_in_bash(const command_table *tables);
void complete_in_zsh(const command_table *tables);
void complete_in_fish(const command_table *tables);

/* What may stand after an option that takes a value. */
typedef enum completion_kind {
    COMPLETE_NOTHING, /* numbers, and text that only the user knows */
    COMPLETE_WORDS,
    COMPLETE_FILES,
    COMPLETE_FOLDERS
} completion_kind;
completion_kind completion_of(const option *o);

/* The words of a choice, split by blanks in the place of bars. */
void print_choices(const char *words);

/* Text, with `stand_in` for every single quote and a backslash before every character of `special`. */
void print_escaped(const char *text, const char *stand_in, const char *special);

#endif
