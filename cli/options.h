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
    OPTION_WHOLE, /* double: the same for numbers that may be larger than a size_t of a small machine */
    OPTION_REAL,  /* double in [lower, upper] */
    OPTION_SEED,  /* uint64_t */
    OPTION_TEXT,  /* const char * */
    OPTION_CHOICE /* const char *, one of the words in `argument`, split by | */
} option_kind;

typedef struct option {
    const char *name; /* without dashes; "o" and other single letters are short options; NULL ends a table */
    option_kind kind;
    void *value;          /* where the value goes; keeps its default when the option is not given */
    const char *argument; /* how the argument is called in --help; the words of a choice */
    const char *help;
    double lower, upper; /* for numbers */
    bool given;          /* set by the parser */
} option;

/* The rows of a table. A value that is not of the kind's type draws a warning. */
#define OPTION_ROW(k, type, n, v, a, h, low, high)                                                           \
    {                                                                                                        \
        .name = (n), .kind = (k), .value = (1 ? (v) : (type *)NULL), .argument = (a), .help = (h),           \
        .lower = (low), .upper = (high)                                                                      \
    }
#define FLAG(name_, value_, help_) OPTION_ROW(OPTION_FLAG, bool, name_, value_, NULL, help_, 0, 0)
#define TEXT(name_, value_, argument_, help_)                                                                \
    OPTION_ROW(OPTION_TEXT, const char *, name_, value_, argument_, help_, 0, 0)
#define CHOICE(name_, value_, words_, help_)                                                                 \
    OPTION_ROW(OPTION_CHOICE, const char *, name_, value_, words_, help_, 0, 0)
#define SEED(name_, value_, help_) OPTION_ROW(OPTION_SEED, uint64_t, name_, value_, "S", help_, 0, 0)
#define COUNT(name_, value_, argument_, help_, low_, high_)                                                  \
    OPTION_ROW(OPTION_SIZE, size_t, name_, value_, argument_, help_, low_, high_)
#define WHOLE(name_, value_, argument_, help_, low_, high_)                                                  \
    OPTION_ROW(OPTION_WHOLE, double, name_, value_, argument_, help_, low_, high_)
#define NUMBER(name_, value_, argument_, help_, low_, high_)                                                 \
    OPTION_ROW(OPTION_REAL, double, name_, value_, argument_, help_, low_, high_)
#define OPTIONS_END                                                                                          \
    { .name = NULL }

/* Rows of many commands. */
#define THREADS(value_) COUNT("threads", value_, "N", "threads (default: all cores)", 1, 4096)
#define JSON(value_)    FLAG("json", value_, "machine-readable report")

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
int parse_options(const command *self, int argc, char **argv, option *options, const char **positional,
                  size_t positional_least, size_t positional_most, size_t *positional_count);

/* Who is given the tables in the place of --help's reader (tables.h). A group of commands has no options of its own:
 * then they are NULL. False: there is nobody, print. */
typedef void (*table_reader)(void *context, const command *self, const option *options);
void set_table_reader(table_reader reader, void *context);
bool give_table(const command *self, const option *options);

/* "-" of a short option, "--" of a long one. */
const char *option_dashes(const option *o);

/* The option of this name, or NULL; and whether it was given, for a name that the table has. */
const option *option_named(const option *options, const char *name);
bool given(const option *options, const char *name);

/* Whether --json was given: then nothing but errors goes to stderr. */
bool json_wanted(void);

/* One sentence on stderr, "ireneo COMMAND: ..."; returns the code. */
int complain(const command *self, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* From here on this process prints no sentence: another speaks for it. The last one, printed or not, is kept; "" when
 * there was none. */
void keep_sentences(void);
const char *kept_sentence(void);

/* "1:3,7" style lists are parsed by the commands that take them; this reads one number and tells whether it
 * was all of the text. */
bool parse_real(const char *text, double *value);

#endif
