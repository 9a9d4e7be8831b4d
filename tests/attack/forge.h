/* Certificates that prove nothing, made to look as if they did. */
#ifndef IRENEO_TESTS_ATTACK_FORGE_H
#define IRENEO_TESTS_ATTACK_FORGE_H

#include "kinds.h"

enum { FORGE_WAYS = 12, FORGE_MOST = 1024 };

extern const char *const forge_names[FORGE_WAYS];

typedef struct forgery {
    ireneo_certificate certificate;
    int64_t facts[FORGE_MOST], candidates[FORGE_MOST];
    double weights[FORGE_MOST];
} forgery;

/* What the strongest forgeries of one set of facts start from (pairs, sorted by fact). */
typedef struct forge_material {
    const ireneo_facts *facts;
    size_t pairs;
    int64_t fact[KIND_MOST * KIND_MOST], candidate[KIND_MOST * KIND_MOST];
    double nearest[KIND_MOST * KIND_MOST]; /* weights whose pairs, scaled to norm 1, nearly cancel */
    double norms[KIND_MOST * KIND_MOST];   /* of the pairs before scaling */
    ireneo_certificate *other;             /* a true certificate of other facts of this shape; may be NULL */
} forge_material;

void forge_prepare(forge_material *material, const kind_instance *instance, ireneo_generator *g);
void forge_release(forge_material *material);

/* Way number `way` to lie. Filled in place. */
void forge(forgery *out, const forge_material *material, int way, ireneo_generator *g);

#endif
