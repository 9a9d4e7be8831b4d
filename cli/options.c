/* The option parser: GNU style (--name value, --name=value, -o value), no abbreviations, every fault one
 * sentence. */
#include "options.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool json_given, silent;
static char last_sentence[8192]; /* two paths of the longest kind; of what is longer the beginning */
static struct {
    table_reader read;
    void *context;
} reader;

bool json_wanted(void) {
    return json_given;
}

int complain(const command *self, int exit_code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_sentence, sizeof last_sentence, format, arguments);
    va_end(arguments);
    ireneo_make_printable(last_sentence);
    if (!silent) fprintf(stderr, "ireneo %s: %s\n", self->name, last_sentence);
    return exit_code;
}

void keep_sentences(void) {
    silent = true;
}

const char *kept_sentence(void) {
    return last_sentence;
}

bool parse_real(const char *text, double *value) {
    char *end = NULL;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

const char *option_dashes(const option *o) {
    return o->name[1] == '\0' ? "-" : "--";
}

const option *option_named(const option *options, const char *name) {
    while (options->name != NULL && strcmp(options->name, name) != 0) options++;
    return options->name != NULL ? options : NULL;
}

bool given(const option *options, const char *name) {
    const option *o = option_named(options, name);
    assert(o != NULL);
    return o->given;
}

void set_table_reader(table_reader read, void *context) {
    reader.read = read;
    reader.context = context;
}

bool give_table(const command *self, const option *options) {
    if (reader.read != NULL) reader.read(reader.context, self, options);
    return reader.read != NULL;
}

static void print_help(const command *self, const option *options) {
    printf("usage: ireneo %s %s%s[options]\n\n%s\n\noptions:\n", self->name, self->usage,
           self->usage[0] != '\0' ? " " : "", self->summary);
    for (const option *o = options; o->name != NULL; o++) {
        char left[96];
        snprintf(left, sizeof left, "%s%s%s%s", option_dashes(o), o->name, o->kind == OPTION_FLAG ? "" : " ",
                 o->kind == OPTION_FLAG ? "" : o->argument);
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "--help", "this text");
    if (self->details != NULL && self->details[0] != '\0') printf("\n%s\n", self->details);
}

static bool is_choice(const char *words, const char *value) {
    size_t length = strlen(value);
    for (const char *w = words; w != NULL && *w != '\0';) {
        const char *bar = strchr(w, '|');
        size_t span = bar != NULL ? (size_t)(bar - w) : strlen(w);
        if (span == length && strncmp(w, value, span) == 0) return true;
        w = bar != NULL ? bar + 1 : NULL;
    }
    return false;
}

static int store_number(const command *self, const option *o, const char *text) {
    double number, lower = o->lower, upper = o->upper;
    bool whole = o->kind != OPTION_REAL;
    if (!parse_real(text, &number))
        return complain(self, EXIT_USAGE, "%s%s takes a number, not '%s'", option_dashes(o), o->name, text);
    if (whole && number != floor(number))
        return complain(self, EXIT_USAGE, "%s%s takes a whole number, not '%s'", option_dashes(o), o->name,
                        text);
    if (!(number >= lower && number <= upper)) {
        if (isinf(upper))
            return complain(self, EXIT_USAGE, "%s%s must be at least %g, not %s", option_dashes(o), o->name,
                            lower, text);
        return complain(self, EXIT_USAGE, "%s%s must lie between %g and %g, not %s", option_dashes(o),
                        o->name, lower, upper, text);
    }
    if (o->kind == OPTION_SIZE)
        *(size_t *)o->value = (size_t)number;
    else
        *(double *)o->value = number;
    return 0;
}

static int store_seed(const command *self, const option *o, const char *text) {
    char *end = NULL;
    errno = 0;
    unsigned long long seed = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || text[0] == '-')
        return complain(self, EXIT_USAGE, "%s%s takes a whole number from 0 to 2^64 - 1, not '%s'",
                        option_dashes(o), o->name, text);
    *(uint64_t *)o->value = (uint64_t)seed;
    return 0;
}

static int store_value(const command *self, option *o, const char *text) {
    o->given = true;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        if (strcmp(o->name, "json") == 0) json_given = true;
        return 0;
    case OPTION_SIZE:
    case OPTION_WHOLE:
    case OPTION_REAL:
        return store_number(self, o, text);
    case OPTION_SEED:
        return store_seed(self, o, text);
    case OPTION_TEXT:
        break;
    case OPTION_CHOICE:
        if (!is_choice(o->argument, text))
            return complain(self, EXIT_USAGE, "%s%s is one of %s, not '%s'", option_dashes(o), o->name,
                            o->argument, text);
        break;
    }
    *(const char **)o->value = text;
    return 0;
}

/* The option that a word such as "--dim" or "--dim=3" names; *attached is what follows '='. */
static option *find_option(option *options, const char *word, const char **attached) {
    const char *name = word + (word[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    *attached = equals != NULL ? equals + 1 : NULL;
    for (option *o = options; o->name != NULL; o++) {
        bool is_short = o->name[1] == '\0';
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0 && is_short == (word[1] != '-'))
            return o;
    }
    return NULL;
}

static bool looks_like_option(const char *word) {
    return word[0] == '-' && word[1] != '\0';
}

int parse_options(const command *self, int argc, char **argv, option *options, const char **positional,
                  size_t positional_least, size_t positional_most, size_t *positional_count) {
    size_t found = 0;
    bool only_positional = false;
    for (int i = 0; i < argc; i++) {
        if (!only_positional && strcmp(argv[i], "--") == 0) {
            only_positional = true;
            continue;
        }
        if (only_positional || !looks_like_option(argv[i])) {
            if (found == positional_most)
                return complain(self, EXIT_USAGE, "'%s' is one argument too many; see 'ireneo %s --help'",
                                argv[i], self->name);
            positional[found++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            if (!give_table(self, options)) print_help(self, options);
            return PARSE_FINISHED;
        }
        const char *value = NULL;
        option *o = find_option(options, argv[i], &value);
        if (o == NULL)
            return complain(self, EXIT_USAGE, "unknown option %s; see 'ireneo %s --help'", argv[i],
                            self->name);
        if (o->kind == OPTION_FLAG && value != NULL)
            return complain(self, EXIT_USAGE, "%s%s takes no value", option_dashes(o), o->name);
        if (o->kind != OPTION_FLAG && value == NULL) {
            if (i + 1 >= argc)
                return complain(self, EXIT_USAGE, "%s%s needs a value", option_dashes(o), o->name);
            value = argv[++i];
        }
        int outcome = store_value(self, o, value);
        if (outcome != 0) return outcome;
    }
    if (found < positional_least)
        return complain(self, EXIT_USAGE, "expects %s; see 'ireneo %s --help'", self->usage, self->name);
    if (positional_count != NULL) *positional_count = found;
    return 0;
}
