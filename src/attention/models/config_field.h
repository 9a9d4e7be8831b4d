/* Fields of a config.json, by the several names that one thing has. */
#ifndef IRENEO_ATTENTION_MODELS_CONFIG_FIELD_H
#define IRENEO_ATTENTION_MODELS_CONFIG_FIELD_H

#include "base/json_read.h"

/* A file being read, for sentences: "PATH: ...". */
typedef struct ireneo_config_file {
    const char *path;
    const cJSON *json;
    const char *model_type;
} ireneo_config_file;

/* Names of one thing, separated by "|": "hidden_size|n_embd". null counts as not there. Two names with different values
 * are an error, and so is a value of another kind or size; *found says whether there was one. */
ireneo_error ireneo_config_whole(const ireneo_config_file *file, const char *names, size_t most,
                                 size_t *value, bool *found);
ireneo_error ireneo_config_real(const ireneo_config_file *file, const char *names, double least, double most,
                                double *value, bool *found);
ireneo_error ireneo_config_text(const ireneo_config_file *file, const char *names, const char **value);
ireneo_error ireneo_config_flag(const ireneo_config_file *file, const char *name, bool *value);

/* The same for what must be there. */
ireneo_error ireneo_config_needed(const ireneo_config_file *file, const char *names, size_t most,
                                  size_t *value);

/* Whether "a|b|c" has this name, which may be written "*ending". */
bool ireneo_config_listed(const char *names, const char *name);

#endif
