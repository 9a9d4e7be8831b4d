/* The commands of the program. */
#include "commands.h"

const command *const all_commands[] = {
    &command_capacity,  //
    &command_store,     //
    &command_recall,    //
    &command_ask,       //
    &command_check,     //
    &command_verify,    //
    &command_sample,    //
    &command_pairs,     //
    &command_edit,      //
    &command_moments,   //
    &command_layer,     //
    &command_dense,     //
    &command_attention, //
    &command_sweep,     //
    &command_plan,      //
    &command_figure,    //
    NULL,
};
