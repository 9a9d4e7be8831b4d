/* ireneo dense: finds the sub-command and hands over. */
#include "commands.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

static const command *const DENSE_COMMANDS[] = {
    &command_dense_phases, &command_dense_basins,   &command_dense_recall,
    &command_dense_audit,  &command_dense_simulate,
};
enum { DENSE_COMMAND_COUNT = sizeof DENSE_COMMANDS / sizeof DENSE_COMMANDS[0] };

static void print_overview(FILE *stream) {
    fprintf(stream, "usage: ireneo dense SUB-COMMAND ...\n\n"
                    "Dense associative memories: patterns recalled by softmax attention.\n\n");
    for (size_t i = 0; i < DENSE_COMMAND_COUNT; i++)
        fprintf(stream, "  %-16s %s\n", DENSE_COMMANDS[i]->name, DENSE_COMMANDS[i]->summary);
    fprintf(stream, "\n'ireneo dense SUB-COMMAND --help' explains one.\n");
}

static int run(const command *self, int argc, char **argv) {
    if (argc < 1) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_overview(stdout);
        return finish_output(self, EXIT_DONE);
    }
    for (size_t i = 0; i < DENSE_COMMAND_COUNT; i++)
        if (strcmp(argv[0], strchr(DENSE_COMMANDS[i]->name, ' ') + 1) == 0)
            return DENSE_COMMANDS[i]->run(DENSE_COMMANDS[i], argc - 1, argv + 1);
    return complain(self, EXIT_USAGE, "there is no sub-command '%s'; 'ireneo dense --help' lists them",
                    argv[0]);
}

const command command_dense = {"dense", "dense memories: how many patterns, how far a query may be", run,
                               "SUB-COMMAND", ""};
