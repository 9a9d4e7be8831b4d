/* The program as one of several ranks (base/ranks.h): rank 0 speaks for all, and all end with the same exit code. Alone,
 * each of these functions does what one process needs. */
#ifndef IRENEO_CLI_JOB_H
#define IRENEO_CLI_JOB_H

#include "base/json.h"
#include "options.h"

/* Runs a command inside the job that mpirun or srun may have started. Commands that gain nothing from several ranks are
 * refused there. */
int run_in_job(const command *c, int argc, char **argv);

/* Before anything is printed: processes of a launcher other than the first print nothing. Tells whether this one does. */
bool begin_output(void);

/* Whether this process prints, shows progress and writes files: rank 0. */
bool speaks(void);

/* The end of a stage in which a rank may fail alone, such as loading its rows. When one did, all get its exit code, and
 * its sentence is told. */
int agree(const command *self, int outcome);

/* Begins a phase of the work, whose seconds are reported; the second adds one that was timed elsewhere. Names are
 * constants. */
void begin_phase(const char *name);
void add_phase(const char *name, double seconds);

/* Adds up what all ranks sent and how long they waited. All ranks call it, before the report. */
void end_phases(void);

/* ranks, nodes, bytes_sent and seconds_by_phase, in a report. */
void add_job(ireneo_json *json);

#endif
