#include "commands.h"
const command command_attention_train = {0};
