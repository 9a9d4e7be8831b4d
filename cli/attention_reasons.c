/* Where the law of gradients is not known, entropy collapse stands for it. */
#include "attention_reasons.h"

#include <math.h>

static void add(reasons *r, int fails, const char *word) {
    if (fails) r->words[r->count++] = word;
}

reasons reasons_of_cell(const ireneo_attention_trainability_cell *c) {
    reasons r = {0};
    add(&r, c->rank_collapse, "rank");
    add(&r, isnan(c->growth) && c->entropy_collapse, "entropy");
    add(&r, c->gradients_explode, "gradients");
    add(&r, c->rate_too_large, "rate");
    add(&r, c->rate_too_small, "slow");
    return r;
}

reasons reasons_of_assessment(const ireneo_attention_assessment *a) {
    return reasons_of_cell(&(ireneo_attention_trainability_cell){.rank_collapse = a->rank_collapse,
                                                                 .growth = a->growth,
                                                                 .entropy_collapse = a->entropy_collapse,
                                                                 .gradients_explode = a->gradients_explode,
                                                                 .rate_too_large = a->rate_too_large,
                                                                 .rate_too_small = a->rate_too_small});
}

void write_reasons(ireneo_json *json, const reasons *r) {
    ireneo_json_begin_array(json, "fails");
    for (size_t i = 0; i < r->count; i++) ireneo_json_text(json, NULL, r->words[i]);
    ireneo_json_end_array(json);
}
