# shellcheck shell=sh
# What the shell tests share; they begin with `. "$(dirname "$0")/../support/cli.sh"`.
#
# The script's first argument is the program: $ireneo, with its full path. $root is the source tree, $python an
# interpreter with NumPy. The script works in $folder, a temporary one that goes when it ends, and so does every process
# that it started with `&` and `started`. $sanitized is yes or no. $under is put before the arguments of run, expect and refuse.
set -u
ireneo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
under=
if grep -qa __asan_init "$ireneo"; then sanitized=yes; else sanitized=no; fi # built with sanitizers?
export IRENEO_FIGURES="$root/figures" IRENEO_DATA="$root/data" # wherever the program was built
folder=$(mktemp -d) || exit 4
children=
clean_up() {
    for child in $children; do kill -9 "$child" 2>/dev/null; done
    cd / && rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 4

faults=0
fault() {
    echo "FAULT: $*"
    faults=$((faults + 1))
}

# finish SENTENCE: the end of every script.
finish() {
    left=$(find . -name '*.tmp*' -o -name '.*' -type f | tr '\n' ' ')
    [ -z "$left" ] || fault "left behind: $left"
    [ "$faults" -eq 0 ] && echo "$*"
    exit "$((faults > 0))"
}

# run CODE ARGUMENTS...: the exit code; output stays in files out and err.
run() {
    code=$1
    shift
    # shellcheck disable=SC2086
    "$ireneo" $under "$@" >out 2>err
    got=$?
    [ "$got" -eq "$code" ] || fault "$under $*: exit $got instead of $code: $(cat err out)"
    if [ "$got" -lt 2 ] && [ -s err ]; then fault "$under $*: words on stderr: $(cat err)"; fi
}

# expect CODE PATTERN ARGUMENTS...: the exit code, and what stdout or stderr says.
expect() {
    code=$1 pattern=$2
    shift 2
    run "$code" "$@"
    cat out err | grep -q -- "$pattern" || fault "$under $*: no '$pattern' in: $(cat out err)"
}

# refuse CODE PATTERN ARGUMENTS...: exit code, nothing on stdout, one sentence on stderr that fits the pattern.
refuse() {
    code=$1 pattern=$2
    shift 2
    run "$code" "$@"
    [ "$sanitized" = no ] || sed -i '/WARNING: AddressSanitizer failed to allocate/d' err
    [ ! -s out ] || fault "$under $*: output in spite of the error: $(cat out)"
    [ "$(wc -l <err)" -eq 1 ] || fault "$under $*: not one sentence: $(cat err)"
    grep -q -- "$pattern" err || fault "$under $*: no '$pattern' in: $(cat err)"
    grep -q "^ireneo" err || fault "$under $*: the sentence does not say which program speaks: $(cat err)"
}

# report EXPRESSION: r is the JSON report in file out, its first line.
report() {
    "$python" -c "import json, math; r = json.loads(open('out').readline()); print($1)"
}

# number NAME: a number or word of the report.
number() {
    report "r['$1']"
}

is() {
    [ "$(number "$1")" = "$2" ] || fault "$1 is $(number "$1") instead of $2"
}

# near NAME VALUE TOLERANCE
near() {
    [ "$(report "r['$1'] is not None and abs(r['$1'] - $2) <= $3")" = True ] ||
        fault "$1 is $(number "$1") instead of $2 within $3"
}

# holds WHAT CONDITION: a condition in Python on the report r.
holds() {
    [ "$(report "bool($2)")" = True ] || fault "$1: not $2"
}

# ---- processes that are stopped in the middle. Machines are busy: wait for what must have happened, not for a time.

# started: the last process put into the background, as $child; it ends with the script at the latest.
started() {
    child=$!
    children="$children $child"
}

# listens PID: whether the program has set its handler of Ctrl-C; before that, the signal of a process in the background
# is lost. Before the program begins, the process is still this shell, which listens, too.
listens() {
    [ "/proc/$1/exe" -ef "$ireneo" ] || return 1
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    [ $((0x${caught:-0} & 2)) -ne 0 ]
}

# has_terminals: whether programs can be given a terminal here; a folder that is a system of its own may have none.
has_terminals() {
    "$python" -c 'import pty; pty.openpty()' 2>/dev/null
}

# worked PID TICKS: whether it has used so many hundredths of a second of the processors.
worked() {
    [ "$(cut -d' ' -f14,15 "/proc/$1/stat" 2>/dev/null | awk '{ print $1 + $2 }')" -ge "$2" ] 2>/dev/null
}

# rows TABLE STORE: how many rows it holds.
rows() {
    "$python" - "$@" <<'TEXT' 2>/dev/null || echo 0
import sqlite3, sys
store = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True, timeout=60)
print(store.execute(f"select count(*) from {sys.argv[1]}").fetchone()[0])
TEXT
}

# until_rows COUNT TABLE STORE PID: waits until the store holds so many rows, or the process has ended.
until_rows() {
    "$python" - "$@" <<'TEXT'
import sqlite3, sys, time
wanted, table, path, process = sys.argv[1:]
while "State:\tZ" not in open(f"/proc/{process}/status").read():
    try:
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)
        if store.execute(f"select count(*) from {table}").fetchone()[0] >= int(wanted):
            break
        store.close()
    except sqlite3.Error:  # not made yet
        pass
    time.sleep(0.002)
TEXT
}

# stop SIGNAL CONDITION ARGUMENTS...: runs the program until it listens and the condition, a shell command, holds, then
# sends the signal. The exit code is in $got, output in out and err. On a busy machine the program must wait for the script
# that watches it, and not the other way round: hence nice, and where the condition is about the program's own time it stands
# still while the script looks. (Not where it is about a store of results: it may stand still with a lock.)
stop() {
    signal=$1 condition=$2
    shift 2
    # shellcheck disable=SC2086
    nice -n 10 "$ireneo" $under "$@" >out 2>err &
    started
    case $condition in worked*) steps=yes ;; *) steps=no ;; esac
    [ $steps = no ] || kill -STOP "$child"
    until listens "$child" && eval "$condition"; do
        if [ ! -e "/proc/$child" ] || grep -q '^State:.*Z' "/proc/$child/status"; then break; fi # it has ended
        [ $steps = no ] || kill -CONT "$child"
        sleep 0.02
        [ $steps = no ] || kill -STOP "$child"
    done
    kill "-$signal" "$child" 2>/dev/null
    kill -CONT "$child" 2>/dev/null
    wait "$child"
    got=$?
}

# interrupt CONDITION ARGUMENTS...: the same with Ctrl-C.
interrupt() {
    stop INT "$@"
}

# hold STORE, then release: a lock on a store of results, as another program would keep it.
hold() {
    "$python" - "$1" <<'TEXT' &
import os, sqlite3, sys, time
store, parent = sqlite3.connect(sys.argv[1], isolation_level=None), os.getppid()
store.execute("BEGIN IMMEDIATE")
open("held", "w").close()
while not os.path.exists("let-go") and os.getppid() == parent:
    time.sleep(0.02)
store.execute("ROLLBACK")
TEXT
    started
    while [ ! -e held ]; do sleep 0.02; done
}
release() {
    : >let-go
    wait "$child"
    rm -f held let-go
}
