/* ireneo attention: finds the command and hands over. */
#include "attention.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

static const command *const COMMANDS[] = {
    &command_attention_layer,     &command_attention_propagate, &command_attention_trainability,
    &command_attention_recommend, &command_attention_simulate,  &command_attention_train,
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void print_overview(FILE *stream) {
    fprintf(stream,
            "usage: ireneo attention COMMAND ...\n\n"
            "Signal propagation in transformers with random weights: which query-key scale and which "
            "residual strength\n"
            "keep tokens distinct (no rank collapse) and attention spread out (no entropy collapse).\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-24s %s\n", COMMANDS[i]->name, COMMANDS[i]->summary);
    fprintf(stream, "\n'ireneo attention COMMAND --help' explains a command.\n");
}

static int run(const command *self, int argc, char **argv) {
    if (argc == 0) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_overview(stdout);
        return finish_output(self, EXIT_DONE);
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) /* the names begin with "attention " */
        if (strcmp(argv[0], COMMANDS[i]->name + strlen(self->name) + 1) == 0)
            return COMMANDS[i]->run(COMMANDS[i], argc - 1, argv + 1);
    return complain(self, EXIT_USAGE, "there is no command '%s'; 'ireneo attention --help' lists them",
                    argv[0]);
}

const command command_attention = {
    "attention", "transformers at initialisation: scales that keep the signal alive", run, "COMMAND", ""};
