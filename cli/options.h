/* Options of a command, declared as a table: parsing, ranges, error sentences and --help all come from it. */
#ifndef IRENEO_CLI_OPTIONS_H
#define IRENEO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { /* exit codes, the same for every command */
       EXIT_DONE = 0,
       EXIT_NO = 1,
       EXIT_USAGE = 2,
       EXIT_DATA = 3,
       EXIT_MACHINE = 4,
       EXIT_INTERRUPTED = 130
};

typedef enum option_kind {
    OPTION_FLAG,  /* bool: no argument */
    OPTION_SIZE,  /* size_t: whole number in [lower, upper]; 1e6 is fine */
    OPTION_REAL,  /* double in [lower, upper] */
    OPTION_SEED,  /* uint64_t */
    OPTION_TEXT,  /* const char * */
    OPTION_CHOICE /* const char *, one of the words in `argument`, split by | */
} option_kind;

typedef struct option {
    const char *name; /* without dashes; "o" and other single letters are short options */
    option_kind kind;
    void *value;          /* where the value goes; keeps its default when the option is not given */
    const char *argument; /* how the argument is called in --help; the words of a choice */
    const char *help;
    double lower, upper; /* for numbers; both zero: any (sizes: at least 1) */
    bool given;          /* set by the parser */
} option;

typedef struct command {
    const char *name;    /* "capacity", "dense phases" */
    const char *summary; /* one line for the list of commands */
    int (*run)(const struct command *self, int argc,
               char **argv); /* argv[0] is the first word after the name */
    const char *usage;       /* positional words, "KEYS VALUES" */
    const char *details;     /* text below the options in --help */
} command;

enum { PARSE_FINISHED = -1 }; /* --help was printed: the command ends with EXIT_DONE */

/* Fills the options and the positional arguments. Returns 0, PARSE_FINISHED, or an exit code after one
 * sentence on stderr. */
int parse_options(const command *self, int argc, char **argv, option *options, size_t count,
                  const char **positional, size_t positional_least, size_t positional_most,
                  size_t *positional_count);

/* One sentence on stderr, "ireneo COMMAND: ..."; returns the code. */
int complain(const command *self, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "1:3,7" style lists are parsed by the commands that take them; this reads one number and tells whether it
 * was all of the text. */
bool parse_real(const char *text, double *value);

#endif
