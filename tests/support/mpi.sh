# shellcheck shell=sh
# What the tests over MPI ranks share, on top of cli.sh; they begin with `. "$(dirname "$0")/../support/mpi.sh"`.
#
# $ireneo is the program with MPI; $plain is the one without, when there is one. Ranks are oversubscribed, yield while they
# wait, and leave what they keep in files below $folder.
. "$(dirname "$0")/../support/cli.sh"
plain=${PLAIN:-$ireneo}
mpirun=${MPIRUN:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid reading another process's memory, and say so
export OMPI_MCA_orte_tmpdir_base="$folder" OMPI_MCA_orte_base_help_aggregate=1
export HWLOC_HIDE_ERRORS=2 # a system without /sys tells so at every start
case "${OMPI_MCA_plm:-}" in '') export OMPI_MCA_plm=isolated ;; esac
[ "$sanitized" = no ] || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # MPI's own

if ! timeout 2 getent ahosts "$(uname -n)" >out; then # each rank asks for it when it starts, and waits for the name server
    echo "skipped: this machine does not know its own name, $(uname -n); a line in /etc/hosts tells it"
    exit 77
fi
if ! "$mpirun" -n 2 true >out 2>err; then
    echo "skipped: $mpirun cannot start two processes here: $(grep -m 1 '[a-z]' err)"
    exit 77
fi

# over RANKS CODE ARGUMENTS...: run over ranks: mpirun's exit code is that of the rank that failed. $threads each. What
# mpirun itself says about a rank that failed does not count.
threads=1
over() {
    ranks=$1 code=$2
    shift 2
    OMP_NUM_THREADS=$threads "$mpirun" -n "$ranks" "$ireneo" "$@" >out 2>err
    got=$?
    without_mpirun
    [ "$got" -eq "$code" ] || fault "$ranks ranks, $*: exit $got instead of $code: $(cat err out)"
    if [ "$got" -lt 2 ] && [ -s err ]; then fault "$ranks ranks, $*: words on stderr: $(cat err)"; fi
}

# without_mpirun: takes mpirun's own words from file err: boxes of dashes, lines that begin with its name or a host's, and what its
# libevent says now and then when a pipe to a rank that gave up is closed already ("[warn] Epoll MOD(1) on fd 26 failed").
without_mpirun() {
    sed -i -e '/^-\{20,\}$/,/^-\{20,\}$/d' -e '/^mpirun/d' -e '/^\[[^]]*:[0-9]*\]/d' -e '/^\[warn\] Epoll /d' -e '/^ *$/d' err
}

# refuse_over RANKS CODE PATTERN ARGUMENTS...: exit code, nothing on stdout, one sentence on stderr that fits the pattern.
refuse_over() {
    ranks=$1 code=$2 pattern=$3
    shift 3
    over "$ranks" "$code" "$@"
    one_sentence "$pattern" "$ranks ranks, $*"
}

# one_sentence PATTERN WHAT: files out and err hold one sentence of the program, and that is an error's.
one_sentence() {
    [ ! -s out ] || fault "$2: output in spite of the error: $(cat out)"
    [ "$(wc -l <err)" -eq 1 ] || fault "$2: not one sentence: $(cat err)"
    grep -q -- "$1" err || fault "$2: no '$1' in: $(cat err)"
    grep -q "^ireneo" err || fault "$2: the sentence does not say which program speaks: $(cat err)"
}

# same_tensors ONE OTHER: whether two memories hold the same bytes of the same tensors; what is noted beside them, such as
# seconds, may differ.
same_tensors() {
    "$python" - "$1" "$2" <<'TEXT'
import json, struct, sys

def parts(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return header, data[8 + length:]

sys.exit(parts(sys.argv[1]) != parts(sys.argv[2]))
TEXT
}
