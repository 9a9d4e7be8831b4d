/* Proof of a recommendation by a run. */
#ifndef IRENEO_CLI_ATTENTION_TRY_H
#define IRENEO_CLI_ATTENTION_TRY_H

#include "ireneo.h"
#include "options.h"
#include "report.h"

/* Complains about a text that cannot be opened, before anything is printed. Returns 0 or an exit code. */
int check_text(const command *self, const char *text);

/* Trains the small version of an architecture on a text, with the scales and the rate that are recommended for
 * it: as deep as the original up to 60 layers, width 64, 32 tokens. Tells in words, or as "try" inside the
 * report when json is not NULL. Returns EXIT_DONE when it learned, EXIT_NO when not, or how it failed. */
int try_recommendation(const command *self, const char *text, const ireneo_transformer *architecture,
                       const ireneo_attention_recommend_settings *settings, size_t steps, ireneo_json *json);

#endif
