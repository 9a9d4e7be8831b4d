/* Figures "attention_text" and "attention_decoder": how alike the tokens of real text become over depth, in the setting of Giorlandino
 * and Goldt's Figures 1 and 12. Stories are shorter than the 512 tokens for which the weights are scaled, as theirs were: the
 * recursion with the keys that are there follows the networks; that of an encoder, which their Figure 12 shows, misses a decoder. */
#include "base/error.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/depth_runs.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <limits.h>

static const double BETAS[] = {0.5, 3.0};
enum { BETA_COUNT = sizeof BETAS / sizeof *BETAS, LAST = 50 };

static depth_run networks(const figure_request *request, const ireneo_attention_tokens *tokens) {
    depth_run run = {.draws = request->quick ? 3 : 6, .tokens = tokens};
    ireneo_transformer_defaults(&run.transformer); /* 50 layers of width 720, weights for 512 tokens */
    if (request->quick) run.transformer.layers = 20;
    if (request->quick) run.transformer.width = run.transformer.mlp_width = 192;
    return run;
}

static ireneo_error open_stories(ireneo_attention_tokens *stories) {
    char path[PATH_MAX + 64];
    IRENEO_TRY(ireneo_data_path("stories.npy", path, sizeof path));
    return ireneo_attention_tokens_open(path, NULL, stories);
}

static ireneo_error write_networks(const figure_request *request, const char *file_name,
                                   const depth_run *run) {
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, file_name, &csv));
    return ireneo_csv_close(&csv, ireneo_depth_write(request, run, BETAS, BETA_COUNT, csv.stream));
}

static ireneo_error describe(const figure_request *request, const char *name, const depth_run *run,
                             const char *measured) {
    double keys = 0.0;
    IRENEO_TRY(ireneo_attention_tokens_keys(run->tokens, run->transformer.context, run->draws, &keys));
    return ireneo_figure_note(
        request, name,
        "Short stories of %.0f tokens on average; weights for T = %g, width %zu; %zu draws a\npoint: "
        "networks, embeddings and stories; "
        "%sthe theory begins at\nthe similarity that was measured; bars: standard error",
        keys, run->transformer.context, run->transformer.width, run->draws, measured);
}

static ireneo_error make_text(const figure_request *request) {
    ireneo_attention_tokens stories;
    IRENEO_TRY(open_stories(&stories));
    const depth_run run = networks(request, &stories);
    ireneo_error failed = describe(request, "attention_text", &run, "");
    if (failed == IRENEO_OK) failed = write_networks(request, "attention_text.csv", &run);
    ireneo_attention_tokens_close(&stories);
    return failed;
}

static ireneo_error make_decoder(const figure_request *request) {
    ireneo_attention_tokens stories;
    IRENEO_TRY(open_stories(&stories));
    depth_run run = networks(request, &stories);
    run.last = LAST;
    run.transformer.causal = 1;
    ireneo_error failed = describe(request, "attention_decoder", &run, "of the last 50 tokens; ");
    if (failed == IRENEO_OK) failed = write_networks(request, "attention_decoder.csv", &run);
    ireneo_attention_tokens_close(&stories);
    return failed;
}

const figure figure_attention_text = {
    "attention_text", "similarity of the tokens of real text over depth", make_text, {0}};
const figure figure_attention_decoder = {
    "attention_decoder", "similarity of the tokens of real text over depth in a decoder", make_decoder, {0}};
