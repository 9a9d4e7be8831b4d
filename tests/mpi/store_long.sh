#!/bin/sh
# store.sh with all numbers of ranks and threads.
. "$(dirname "$0")/store.sh"
