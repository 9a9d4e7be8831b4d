#!/bin/sh
# What only hosts can do wrong to each other: outputs that one of them alone sees, files of one name that differ.
. "$(dirname "$0")/../support/two_hosts.sh"
run 0 sample --dim 20 --facts 60 --seed 1 -o some
run 0 sample --dim 20 --facts 60 --seed 2 -o others
mkdir local data
for name in one other; do on $name mount -t tmpfs -o size=4M tmpfs local; done
refuse_over 2 4 "local" store some/keys.npy some/values.npy -o local/m.safetensors
left=$(on one ls -A local; on other ls -A local)
[ -z "$left" ] || fault "left in a folder that was refused: $left"
on one mount --bind some data
on other mount --bind others data
refuse_over 2 3 "differ" store data/keys.npy data/values.npy -o m.safetensors
[ ! -e m.safetensors ] || fault "a memory of facts that differ was written"
rm -rf one.tmp other.tmp
finish "bad hosts: one sentence each"
