/* The commands under `ireneo attention`, one file each, and the options that describe a transformer. */
#ifndef IRENEO_CLI_ATTENTION_H
#define IRENEO_CLI_ATTENTION_H

#include "ireneo.h"
#include "options.h"
#include "report.h"

#include <stdio.h>

extern const command command_attention_layer;
extern const command command_attention_propagate;
extern const command command_attention_trainability;
extern const command command_attention_recommend;
extern const command command_attention_simulate;
extern const command command_attention_train;
extern const command command_attention_diagnose;

/* Reads the file of --config. The page in the browser has no files: there it stays NULL, and the option does not exist. */
typedef ireneo_error (*config_reader)(const char *path, ireneo_transformer_config *config);
void set_config_reader(config_reader reader);

/* The table of what others do behind a recommendation, for people and for programs; the page does without. */
typedef struct conventions_table {
    void (*print)(const ireneo_attention_recommendation *r,
                  const ireneo_attention_recommend_settings *settings);
    void (*write)(ireneo_json *json, const ireneo_attention_recommendation *r,
                  const ireneo_attention_recommend_settings *settings);
} conventions_table;
extern const conventions_table attention_conventions;
void set_conventions_table(const conventions_table *table);

/* Options that several of the commands share. Fill `options` from a table, parse, then finish. */
typedef struct transformer_options {
    ireneo_transformer transformer;
    const char *preset, *config, *norm, *activation;
    const char *model; /* the preset, or the model_type of the config; NULL: none */
    bool gain_control, causal, rms_norm, parallel, output_projection;
    bool no_projection; /* attention has no W_O; matters to --std */
    double weight_variance, bias_variance, std;
    option list[64]; /* ends as every table of options does */
} transformer_options;

/* Declares the options of a transformer; the command may add a table of its own behind them. */
void declare_transformer(transformer_options *t);
void declare_options(transformer_options *t, const option *own);
void drop_option(transformer_options *t, const char *name);

/* Parses and puts preset, options and abbreviations together. Returns as parse_options. */
int parse_transformer(const command *self, int argc, char **argv, transformer_options *t);

/* The same for a command that takes exactly one word besides its options. */
int parse_transformer_and_word(const command *self, int argc, char **argv, transformer_options *t,
                               const char **word);

/* The same for one that may be left out; *word keeps its value then. */
int parse_transformer_and_optional_word(const command *self, int argc, char **argv, transformer_options *t,
                                        const char **word);

/* Whether an option was given on the command line; one that was dropped was not. */
bool was_given(const transformer_options *t, const char *name);

/* "12 post-LN layers, width 768, 12 heads, ..." on one line; with a second one about the weights. */
void print_shape(const ireneo_transformer *t);
void print_transformer(const ireneo_transformer *t);

/* How far gradients of this kind of block may grow unless an option says so. */
double usual_growth_limit(const ireneo_transformer *t);

/* The options that describe this transformer to other commands, on one line. */
void print_options(FILE *out, const ireneo_transformer *t);

void write_transformer(ireneo_json *json, const char *key, const ireneo_transformer *t);
void write_assessment(ireneo_json *json, const char *key, const ireneo_attention_assessment *a);

#endif
