/* The config.json of Hugging Face, read as the description of a transformer. */
#ifndef IRENEO_ATTENTION_MODELS_CONFIG_H
#define IRENEO_ATTENTION_MODELS_CONFIG_H

#include "base/error.h"

/* What ireneo_transformer_read_config does with the bytes (count) of a file. `path` is for sentences. */
ireneo_error ireneo_config_parse(const char *path, const unsigned char *bytes, size_t count,
                                 ireneo_transformer_config *config);

#endif
