/* What every command does with results: JSON on stdout, errors as exit codes, progress on a terminal, Ctrl-C.
 */
#ifndef IRENEO_CLI_REPORT_H
#define IRENEO_CLI_REPORT_H

#include "base/json.h"
#include "ireneo.h"
#include "options.h"

/* Prints the finished JSON text and a newline, frees it, and gives the exit code (4 when stdout cannot be
 * written). */
int print_json(const command *self, ireneo_json *json, int exit_code);

/* Ends a command: makes sure that all of stdout was written. */
int finish_output(const command *self, int exit_code);

/* The library's last error as a sentence on stderr and the exit code that belongs to it. */
int report_error(const command *self, ireneo_error error);

/* The exit code that belongs to an error. */
int exit_code_of_error(ireneo_error error);

/* Text from a file, for people: without what a terminal would obey. */
void print_words(const char *text);

/* 1234567.8 as "1 234 568", for people; buffer holds 40 bytes. */
const char *grouped(double value, char *buffer);

/* A progress line on stderr when it is a terminal and the work takes more than two seconds. The callback
 * returns non-zero after Ctrl-C. `finish_progress` wipes the line. */
ireneo_progress *start_progress(void);
void finish_progress(void);

/* From here on Ctrl-C, SIGTERM and SIGHUP set a flag instead of ending the program; a second one ends it. Called when
 * the files are loaded: before that there is nothing to keep, and a signal ends the program at once. */
void catch_interrupts(void);

/* Over ranks: the file that is named on stderr as soon as a signal asks to stop. Launchers give ranks a second then, which may
 * not be enough for a report. */
void name_state(const char *path);
bool interrupted(void);

#endif
