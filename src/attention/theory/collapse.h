/* The two lines of collapse. */
#ifndef IRENEO_ATTENTION_THEORY_COLLAPSE_H
#define IRENEO_ATTENTION_THEORY_COLLAPSE_H

#include "attention/theory/block.h"

/* Defaults filled in and checked; settings may be NULL. */
ireneo_error ireneo_collapse_limits(const ireneo_attention_collapse_settings *settings,
                                    ireneo_attention_collapse_settings *filled);

/* The beta at which the first block's entropy is entropy_limit log(keys), and beta_c of the limit. Infinite
 * when the input tokens are all alike. */
ireneo_error ireneo_beta_line(const ireneo_transformer *transformer, double entropy_limit, double *exact,
                              double *limit);

/* Judges with tables that are already there. */
ireneo_error ireneo_assess_block(const ireneo_block *block, const ireneo_transformer *transformer,
                                 const ireneo_attention_collapse_settings *limits,
                                 ireneo_attention_assessment *assessment);

#endif
