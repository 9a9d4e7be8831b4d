# shellcheck shell=sh
# Two hosts on one machine, on top of mpi.sh: network, name, shared memory and mounts of their own, and nothing between them
# but one wire (a veth pair) that counts its bytes. They see the same files, as hosts with a common file system do.
#
# A script begins with `. "$(dirname "$0")/../support/two_hosts.sh"`, which starts it again as root of a user namespace, or as
# what it is when that is root already, and ends it with 77 where neither is allowed. Hosts go when the script ends.
if [ -z "${TWO_HOSTS:-}" ]; then
    for way in "--user --map-root-user" ""; do
        # shellcheck disable=SC2086
        if unshare $way --net --mount --uts --ipc --fork ip link add one type veth peer name other 2>/dev/null; then
            # shellcheck disable=SC2086
            exec unshare $way --net --mount --uts --ipc --fork --kill-child env TWO_HOSTS=yes sh "$0" "$@"
        fi
    done
    echo "skipped: no namespaces with a network of their own here (unshare, ip)"
    exit 77
fi
ip link set lo up
export OMPI_MCA_plm=rsh
. "$(dirname "$0")/../support/mpi.sh"

wire=10.77.0
printf '127.0.0.1 localhost\n%s.1 one\n%s.2 other\n' $wire $wire >hosts
printf 'one slots=64\nother slots=64\n' >hostfile

# host NAME NUMBER: a sleeping process whose namespaces are the host.
host() {
    mkdir "$1.tmp"
    unshare --net --mount --uts --ipc sh -c '
        hostname "$1" && mount -t tmpfs -o size=64M tmpfs /dev/shm && mount --bind hosts /etc/hosts &&
            : >"$1.up" && exec sleep 86400' host "$1" &
    started
    echo "$child" >"$1.pid"
    until [ -e "$1.up" ]; do
        kill -0 "$child" 2>/dev/null || { echo "skipped: no host of its own can be made here"; exit 77; }
        sleep 0.02
    done
    ip link set "$1" netns "$child"
    on "$1" ip link set lo up
    on "$1" ip address add "$wire.$2/24" dev "$1"
    on "$1" ip link set "$1" up
}

# on HOST COMMAND...: runs it there, in this folder.
on() {
    name=$1
    shift
    nsenter --target "$(cat "$folder/$name.pid")" --net --mount --uts --ipc --wd="$folder" "$@"
}

# What mpirun calls in the place of ssh: AGENT HOST WORD..., to be read by a shell there.
cat >agent <<TEXT
#!/bin/sh
name=\$1
shift
exec nsenter --target "\$(cat "$folder/\$name.pid")" --net --mount --uts --ipc --wd="$folder" \\
    env OMPI_MCA_orte_tmpdir_base="$folder/\$name.tmp" sh -c "\$*"
TEXT
chmod +x agent

ip link add one type veth peer name other
host one 1
host other 2

# The program over RANKS ranks, every second one on the other host, by mpirun on host one; TCP is all that there is between
# them. `over` of mpi.sh uses it.
cat >between <<TEXT
#!/bin/sh
exec nsenter --target "\$(cat "$folder/one.pid")" --net --mount --uts --ipc --wd="$folder" \\
    env OMPI_MCA_orte_tmpdir_base="$folder/one.tmp" "$mpirun" --hostfile hostfile --map-by node --mca plm_rsh_agent "$folder/agent" \\
    --mca oob_tcp_if_include $wire.0/24 --mca btl_tcp_if_include $wire.0/24 --mca pml ob1 --mca btl tcp,self "\$@"
TEXT
chmod +x between
mpirun=$folder/between

# wire_bytes: what has gone over the wire so far, both ways.
wire_bytes() {
    on one ip -json -statistics link show dev one |
        "$python" -c 'import json, sys; s = json.load(sys.stdin)[0]["stats64"]; print(s["rx"]["bytes"] + s["tx"]["bytes"])'
}
