/* Facts from files, as store, check and verify take them. */
#ifndef IRENEO_CLI_FACTS_FILES_H
#define IRENEO_CLI_FACTS_FILES_H

#include "base/holding.h"
#include "report.h"

typedef struct facts_files {
    ireneo_facts facts;
    ireneo_holding holding;      /* which of all facts are here, when ranks share them out */
    ireneo_shared shared_values; /* values once a node, then */
    float *keys, *values;
    int64_t *targets;
    float *residuals;
    float *all_keys; /* of all facts, on rank 0, once they were brought there */
    void *brought;   /* they, unless they were there */
} facts_files;

/* The files that hold them; targets and residual may be NULL. */
typedef struct facts_names {
    const char *keys, *values, *targets, *residual;
} facts_names;

/* The row of --residual, for every command that takes facts. */
#define RESIDUAL(value_)                                                                                     \
    TEXT("residual", value_, "FILE", "what is added to W x of each key: scores are y^T (W x + r)")

/* The same for one of several ranks: it reads its rows of KEYS, TARGETS, offsets and own candidates, and a part of VALUES
 * for its node. All ranks get the same exit code. With one rank it is load_facts. */
int load_facts_held(const command *self, const facts_names *names, facts_files *files);

/* How many facts there are on all ranks. */
size_t count_facts(const facts_files *files);

/* Brings the keys of all facts to rank 0, for a file that holds them. */
int bring_keys(const command *self, facts_files *files);

/* Loads KEYS, VALUES and, unless NULL, TARGETS and offsets, and checks that they belong together. VALUES of three axes
 * hold candidates of each key's own. The facts point into *files, which must stay where it is. Returns 0 or
 * an exit code. */
int load_facts(const command *self, const facts_names *names, facts_files *files);

/* Refuses facts that are too many for the machine's RAM, by the shapes that the files tell, before a second is spent on
 * loading them. */
int check_room(const command *self, const char *keys, const char *values, size_t threads);
void free_facts(facts_files *files);

#endif
