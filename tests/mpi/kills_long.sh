#!/bin/sh
# kill -9 of a random rank at 20 random moments of a store with d = 200.
KILLS=20 exec sh "$(dirname "$0")/kills.sh" "$1"
