/* From a list of names to a table of layers and roles. */
#include "attention/models/model_tensors.h"

#include "base/json_read.h"
#include "base/ram.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct sorting {
    ireneo_model_tensors *tensors;
    ireneo_tensor_place *places; /* (count) */
    size_t count;
} sorting;

static bool same_stack(const sorting *s, size_t a, size_t b) {
    return s->places[a].stack == s->places[b].stack &&
           strncmp(s->tensors->all[a], s->tensors->all[b], s->places[a].stack) == 0;
}

/* The stack of layers with most tensors, as one of its members; `count` when there is none. */
static size_t largest_stack(const sorting *s) {
    enum { MOST_STACKS = 32 }; /* more are not looked at */
    size_t members[MOST_STACKS], sizes[MOST_STACKS], stacks = 0, best = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t k = 0;
        if (s->places[i].stack == 0) continue;
        while (k < stacks && !same_stack(s, members[k], i)) k++;
        if (k == MOST_STACKS) continue;
        if (k == stacks) members[stacks] = i, sizes[stacks++] = 0;
        if (++sizes[k] > sizes[best]) best = k;
    }
    return stacks == 0 ? s->count : members[best];
}

/* Tensors of other stacks are none of this model's. */
static void keep_stack(const sorting *s, size_t member) {
    for (size_t i = 0; i < s->count; i++)
        if (s->places[i].stack != 0 && !same_stack(s, i, member)) s->places[i].role = IRENEO_ROLE_UNKNOWN;
}

static bool of_a_layer(const ireneo_tensor_place *place) {
    return place->stack != 0 && place->role != IRENEO_ROLE_UNKNOWN;
}

/* Layers are numbered from 0 on, without gaps. */
static ireneo_error count_layers(const sorting *s) {
    bool *there = NULL;
    size_t layers = 0;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&there, s->count + 1, "the layers of a model"));
    for (size_t i = 0; i < s->count; i++)
        if (of_a_layer(&s->places[i]) && s->places[i].layer < s->count) there[s->places[i].layer] = true;
    while (there[layers]) layers++;
    free(there);
    for (size_t i = 0; i < s->count; i++)
        if (of_a_layer(&s->places[i]) && s->places[i].layer >= layers)
            return ireneo_fail(
                IRENEO_ERROR_DATA,
                "%s has a layer %zu ('%.100s'), but no layer %zu: a shard or a part of a model?",
                s->tensors->path, s->places[i].layer, s->tensors->all[i], layers);
    s->tensors->layers = layers;
    return IRENEO_OK;
}

static ireneo_error put(const sorting *s, size_t i) {
    ireneo_model_tensors *t = s->tensors;
    const ireneo_tensor_place *place = &s->places[i];
    if (place->role == IRENEO_ROLE_LEFT_OUT) return IRENEO_OK;
    if (place->role == IRENEO_ROLE_UNKNOWN) {
        t->unknown[t->unknown_count++] = t->all[i];
        return IRENEO_OK;
    }
    const char **slot =
        place->stack == 0 ? &t->whole[place->role] : &t->names[place->layer * IRENEO_ROLES + place->role];
    if (*slot != NULL)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s holds '%.100s' and '%.100s', which are the same thing",
                           t->path, *slot, t->all[i]);
    *slot = t->all[i];
    if (place->family != IRENEO_FAMILY_NONE) t->family = place->family;
    return IRENEO_OK;
}

/* What Gemma and OLMo 2 call post_attention_layernorm is the norm of the branch that ends there; Llama calls so the norm
 * before the MLP, whose branch has no norm at its end. */
static void settle_norms(ireneo_model_tensors *t) {
    for (size_t l = 0; l < t->layers; l++) {
        const char **row = t->names + l * IRENEO_ROLES;
        if (row[IRENEO_ROLE_BRANCH_NORM_MLP] != NULL || row[IRENEO_ROLE_NORM_MLP] != NULL) continue;
        row[IRENEO_ROLE_NORM_MLP] = row[IRENEO_ROLE_BRANCH_NORM_ATTENTION];
        row[IRENEO_ROLE_BRANCH_NORM_ATTENTION] = NULL;
    }
}

/* "a, b, c, ..." */
static void list_names(char **names, size_t count, char *list, size_t capacity) {
    size_t end = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        bool fits = end + strlen(names[i]) + 8 <= capacity && ireneo_name_printable(names[i]);
        end +=
            (size_t)snprintf(list + end, capacity - end, "%s%s", i == 0 ? "" : ", ", fits ? names[i] : "...");
        if (!fits) return;
    }
}

static ireneo_error nothing_known(const sorting *s) {
    char list[300];
    list_names(s->tensors->all, s->count, list, sizeof list);
    return ireneo_fail(
        IRENEO_ERROR_DATA,
        "%s holds no layer with names of a known family (docs/attention-models.md); its tensors are %s",
        s->tensors->path, list);
}

static ireneo_error sort(sorting *s) {
    ireneo_model_tensors *t = s->tensors;
    for (size_t i = 0; i < s->count; i++) s->places[i] = ireneo_tensor_place_of(t->all[i]);
    size_t member = largest_stack(s);
    if (member == s->count) return nothing_known(s);
    keep_stack(s, member);
    IRENEO_TRY(count_layers(s));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&t->names, t->layers * IRENEO_ROLES, "the layers of a model"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->unknown, s->count, "the names of tensors"));
    for (size_t i = 0; i < s->count; i++) IRENEO_TRY(put(s, i));
    settle_norms(t);
    return IRENEO_OK;
}

ireneo_error ireneo_model_tensors_open(const char *path, ireneo_model_tensors *tensors) {
    *tensors = (ireneo_model_tensors){.path = path};
    sorting s = {.tensors = tensors};
    IRENEO_TRY(ireneo_tensor_names(path, &tensors->all, &s.count));
    IRENEO_TRY(IRENEO_ALLOCATE(&s.places, s.count, "the names of tensors"));
    ireneo_error failed = sort(&s);
    free(s.places);
    return failed;
}

void ireneo_model_tensors_close(ireneo_model_tensors *tensors) {
    free(tensors->names);
    free(tensors->unknown);
    ireneo_free(tensors->all);
    *tensors = (ireneo_model_tensors){0};
}

const char *ireneo_layer_tensor(const ireneo_model_tensors *tensors, size_t layer, ireneo_tensor_role role) {
    return tensors->names[layer * IRENEO_ROLES + role];
}
