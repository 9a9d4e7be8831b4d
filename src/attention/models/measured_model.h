/* What a model on disk is: its architecture from a config.json, or from names and shapes alone. */
#ifndef IRENEO_ATTENTION_MODELS_MEASURED_MODEL_H
#define IRENEO_ATTENTION_MODELS_MEASURED_MODEL_H

#include "attention/models/layer_scales.h"

/* Opens the tensors at a path and finds out shapes; fills family, unknown_fields and note of the diagnosis. Close it in any
 * case. */
ireneo_error ireneo_measured_model_open(const char *path, const ireneo_attention_diagnose_settings *settings,
                                        ireneo_measured_model *model, ireneo_attention_diagnosis *diagnosis);
void ireneo_measured_model_close(ireneo_measured_model *model);

#endif
