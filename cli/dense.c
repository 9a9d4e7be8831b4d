/* ireneo dense: the commands of the group. */
#include "commands.h"
#include "group.h"

static const command *const DENSE_COMMANDS[] = {
    &command_dense_phases,   //
    &command_dense_basins,   //
    &command_dense_recall,   //
    &command_dense_audit,    //
    &command_dense_simulate, //
    NULL,
};

static int run(const command *self, int argc, char **argv) {
    return run_group(self, "Dense associative memories: patterns recalled by softmax attention.",
                     DENSE_COMMANDS, argc, argv);
}

const command command_dense = {"dense", "dense memories: how many patterns, how far a query may be", run,
                               "COMMAND", ""};
