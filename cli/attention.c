/* ireneo attention: the commands of the group. */
#include "attention.h"
#include "commands.h"
#include "group.h"

static const command *const ATTENTION_COMMANDS[] = {
    &command_attention_layer,        //
    &command_attention_propagate,    //
    &command_attention_trainability, //
    &command_attention_recommend,    //
    &command_attention_simulate,     //
    &command_attention_train,        //
    &command_attention_diagnose,     //
    NULL,
};

static int run(const command *self, int argc, char **argv) {
    set_config_reader(ireneo_transformer_read_config);
    set_conventions_table(&attention_conventions);
    return run_group(
        self,
        "Signal propagation in transformers with random weights: which query-key scale and which residual "
        "strength\n"
        "keep tokens distinct (no rank collapse) and attention spread out (no entropy collapse).",
        ATTENTION_COMMANDS, argc, argv);
}

const command command_attention = {
    "attention", "transformers at initialisation: scales that keep the signal alive", run, "COMMAND", ""};
