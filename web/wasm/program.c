/* The door of the page: runs one command, named by its words, as the shell would. What it prints goes to stdout and
 * stderr, which the page reads; the result is the exit code. */
#include "page.h"

#include "attention.h"
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED(name) __attribute__((export_name(name), used))

extern const command command_dense_phases, command_dense_basins;

static const command *const COMMANDS[] = {
    &command_capacity,            //
    &command_dense_phases,        //
    &command_dense_basins,        //
    &command_attention_propagate, //
    &command_attention_recommend, //
    &command_curves_facts,        //
    &command_curves_candidates,   //
    &command_curves_phases,       //
    &command_curves_basins,       //
    &command_map_column,          //
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS, MOST_WORDS = 128, MOST_BYTES = 16384 };

static char words[MOST_BYTES];

/* Where the page puts the name of a command and its words, each ended by a zero; and how many bytes there are. */
EXPORTED("page_words") char *page_words(void) {
    return words;
}

EXPORTED("page_room") int page_room(void) {
    return MOST_BYTES;
}

EXPORTED("page_run") int page_run(int count) {
    char *argv[MOST_WORDS];
    char *next = words;
    if (count < 1 || count > MOST_WORDS) return EXIT_USAGE;
    for (int i = 0; i < count; i++) {
        argv[i] = next;
        next += strlen(next) + 1;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[0], COMMANDS[i]->name) == 0)
            return COMMANDS[i]->run(COMMANDS[i], count - 1, argv + 1);
    return EXIT_USAGE;
}

void write_numbers(ireneo_json *json, const char *key, const double *values, size_t count) {
    ireneo_json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) ireneo_json_number(json, NULL, values[i]);
    ireneo_json_end_array(json);
}

double stepped(double lower, double upper, size_t i, size_t count) {
    return lower + (upper - lower) * (double)i / (double)(count - 1);
}

double scaled(double lower, double upper, size_t i, size_t count) {
    return lower * pow(upper / lower, (double)i / (double)(count - 1));
}
