/* attack_forgery [certificates] [seed]: forged certificates offered to ireneo_verify for facts that a known matrix
 * recalls. None may be accepted: exit 1 if one is. */
#include "forge.h"
#include "planted.h"

#include <stdio.h>
#include <stdlib.h>

enum { EACH = 480 }; /* certificates for one set of facts */

typedef struct score {
    size_t offered[FORGE_WAYS], accepted[FORGE_WAYS], sets, failed;
} score;

static void offer(score *s, const forge_material *material, uint64_t number, ireneo_generator *g) {
    static forgery lie;
    for (int k = 0; k < EACH; k++) {
        int way = k % FORGE_WAYS;
        ireneo_verify_report report = {0};
        forge(&lie, material, way, g);
        s->offered[way]++;
        if (ireneo_verify(&lie.certificate, material->facts, &(ireneo_verify_settings){.threads = 1},
                          &report) != IRENEO_OK) {
            s->failed++;
            continue;
        }
        if (!report.accepted) continue;
        if (s->accepted[way]++ < 3)
            printf("FALSE: facts %llu, way '%s', certificate %d: %s\n", (unsigned long long)number,
                   forge_names[way], k, report.sentence);
    }
}

static int print_score(const score *s) {
    size_t offered = 0, accepted = 0;
    for (int way = 0; way < FORGE_WAYS; way++) {
        printf("%-20s %9zu offered %9zu accepted\n", forge_names[way], s->offered[way], s->accepted[way]);
        offered += s->offered[way], accepted += s->accepted[way];
    }
    printf("%-20s %9zu offered %9zu accepted, for %zu sets of facts that can be stored; %zu calls failed\n",
           "all", offered, accepted, s->sets, s->failed);
    return accepted > 0 || s->failed > 0;
}

int main(int argc, char **argv) {
    size_t wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, done = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    score s = {0};
    for (uint64_t number = 0; done < wanted; number++) {
        kind_instance it;
        forge_material material;
        ireneo_generator g = {.seed = seed, .stream = ~number};
        if (!planted_make(&it, seed, number)) continue;
        forge_prepare(&material, &it, &g);
        offer(&s, &material, number, &g);
        forge_release(&material);
        s.sets++, done += EACH;
    }
    return print_score(&s);
}
