/* ireneo --version: what this program is, what it was built with and what it computes with. */
#ifndef IRENEO_CLI_VERSION_H
#define IRENEO_CLI_VERSION_H

/* argv[0] is the word after --version: --json, or none. Returns the exit code. */
int print_version(int argc, char **argv);

#endif
