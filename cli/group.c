/* Groups of commands. */
#include "group.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

static void print_overview(FILE *stream, const command *self, const char *about,
                           const command *const *commands) {
    int width = 0;
    for (const command *const *c = commands; *c != NULL; c++)
        if ((int)strlen((*c)->name) > width) width = (int)strlen((*c)->name);
    fprintf(stream, "usage: ireneo %s COMMAND ...\n\n%s\n\n", self->name, about);
    for (const command *const *c = commands; *c != NULL; c++)
        fprintf(stream, "  %-*s %s\n", width + 2, (*c)->name, (*c)->summary);
    fprintf(stream, "\n'ireneo %s COMMAND --help' explains a command.\n", self->name);
}

int run_group(const command *self, const char *about, const command *const *commands, int argc, char **argv) {
    if (argc == 0) {
        print_overview(stderr, self, about, commands);
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        if (!give_table(self, NULL))
            print_overview(stdout, self, about, commands);
        else
            for (const command *const *c = commands; *c != NULL; c++) (*c)->run(*c, argc, argv);
        return finish_output(self, EXIT_DONE);
    }
    for (const command *const *c = commands; *c != NULL; c++)
        if (strcmp(argv[0], (*c)->name + strlen(self->name) + 1) == 0)
            return (*c)->run(*c, argc - 1, argv + 1);
    return complain(self, EXIT_USAGE, "there is no command '%s'; 'ireneo %s --help' lists them", argv[0],
                    self->name);
}
