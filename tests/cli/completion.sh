#!/bin/sh
# Completion scripts, run in their shells: bash always, zsh and fish where there are any.
. "$(dirname "$0")/../support/cli.sh"
mkdir data empty
: >data/keys.npy
PATH=$(dirname "$ireneo"):$PATH
export PATH

refuse 2 "not for 'tcsh'" --completion tcsh
refuse 2 "expects bash|zsh|fish" --completion
refuse 2 "one argument too many" --completion bash zsh
for shell in bash zsh fish; do
    run 0 --completion "$shell"
    mv out "script.$shell"
    while read -r word; do
        grep -q -- "$word" "script.$shell" || fault "$shell: no '$word'"
    done <<'WORDS'
overload
hebbian-white
phases
trainability
WORDS
done

# ---- bash
# complete WORDS...: what bash offers for the last word, sorted, in one line. COMP_WORDS is what readline would make.
cat >offer <<'TEXT'
source ./script.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_ireneo 2>errors
[ ! -s errors ] || cat errors
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
TEXT
bash -n script.bash || fault "bash does not read the script"
if command -v shellcheck >/dev/null 2>&1; then
    shellcheck -s bash script.bash >said || fault "shellcheck: $(cat said)"
fi
bash -c 'source ./script.bash; complete -p ireneo' | grep -q -- '-F _ireneo ireneo' || fault "bash: nothing is registered"
offers() { # offers EXPECTED WORDS...
    expected=$1
    shift
    got=$(bash offer "$@")
    [ "$got" = "$expected " ] || fault "$*: offers '$got' instead of '$expected'"
}
offers "--overload" ireneo store --over
offers "capacity check" ireneo c
offers "dense" ireneo de
offers "phases" ireneo dense ph
offers "--lambda" ireneo dense phases --la
offers "trainability" ireneo attention traina
offers "--json" ireneo --version --j
offers "bash fish zsh" ireneo --completion ""
offers "delta hebbian hebbian-white least-squares project" ireneo store --solver ""
offers "hebbian hebbian-white" ireneo store --solver = heb
offers "delta hebbian hebbian-white least-squares project" ireneo store keys.npy --solver =
offers "linear_1" ireneo figure linear_1
offers "" ireneo store --rank ""
offers "" ireneo store "" # files are bash's own
offers "data" ireneo pairs -o da
offers "" ireneo memorise --any

# as the options of --help, for every command
"$ireneo" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
for group in dense attention; do
    sed -i "/^$group$/d" commands
    "$ireneo" "$group" --help | sed -n 's/^  \([a-z]* [a-z]*\)  .*/\1/p' >>commands
done
[ "$(wc -l <commands)" -gt 15 ] || fault "the commands could not be read"
while read -r command; do
    # shellcheck disable=SC2086
    "$ireneo" $command --help | sed -n 's/^  \(--*[a-z][a-z0-9-]*\).*/\1/p' | LC_ALL=C sort >in-help
    # shellcheck disable=SC2086
    bash offer ireneo $command - | tr ' ' '\n' | sed '/^$/d' | LC_ALL=C sort >offered
    diff in-help offered >difference || fault "$command: $(cat difference)"
done <commands

# ---- bash as people use it: at a prompt, with TAB
if has_terminals; then
    "$python" - <<'TEXT' >screen 2>&1 || fault "bash at a terminal: $(cat screen)"
import os, pty, select, sys, time
process, terminal = pty.fork()
if process == 0:
    os.environ.update(PS1="READY> ", TERM="dumb", INPUTRC="/dev/null", HISTFILE="/dev/null")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
seen = b""
def until(wanted):
    global seen
    end = time.monotonic() + 120
    while wanted not in seen:
        if time.monotonic() > end or not select.select([terminal], [], [], 120)[0]:
            sys.exit(f"waited for {wanted}, saw {seen}")
        seen += os.read(terminal, 4096)
    seen = seen[seen.index(wanted) + len(wanted):]
until(b"READY> ")
os.write(terminal, b"source ./script.bash; echo sour''ced\n")
until(b"sourced")
until(b"READY> ")
os.write(terminal, b"ireneo store --over\t")
until(b"ireneo store --overload ")
os.write(terminal, b"\x15ireneo store data/k\t")
until(b"data/keys.npy ")
os.write(terminal, b"\x15exit\n")
os.waitpid(process, 0)
TEXT
fi

# ---- zsh: the words that its completion system would offer
if command -v zsh >/dev/null 2>&1; then
    zsh -n script.zsh || fault "zsh does not read the script"
    cp script.zsh _ireneo
    if has_terminals; then
        "$python" - <<'TEXT' >screen 2>&1 || fault "zsh at a terminal: $(cat screen)"
import os, pty, select, sys, time
process, terminal = pty.fork()
if process == 0:
    os.environ.update(TERM="dumb", ZDOTDIR=os.getcwd(), HOME=os.getcwd())
    os.execvp("zsh", ["zsh", "-f", "-i"])
seen = b""
def until(wanted):
    global seen
    end = time.monotonic() + 120
    while wanted not in seen:
        if time.monotonic() > end or not select.select([terminal], [], [], 120)[0]:
            sys.exit(f"waited for {wanted}, saw {seen}")
        seen += os.read(terminal, 4096)
    seen = seen[seen.index(wanted) + len(wanted):]
os.write(terminal, b"PS1='READ''Y> '; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; echo load''ed\n")
until(b"loaded")
until(b"READY> ")
for typed, wanted in ((b"ireneo store --over\t", b"--overload"), (b"ireneo dense pha\t", b"phases"),
                      (b"ireneo dense phases --lam\t", b"--lambda"), (b"ireneo store --solver proj\t", b"project"),
                      (b"ireneo capa\t", b"city")):
    os.write(terminal, b"\x15" + typed)
    until(wanted)
os.write(terminal, b"\x15exit\n")
os.waitpid(process, 0)
TEXT
    fi
fi

# ---- fish answers without a terminal
if command -v fish >/dev/null 2>&1; then
    HOME=$folder/empty XDG_CONFIG_HOME=$folder/empty XDG_DATA_HOME=$folder/empty
    export HOME XDG_CONFIG_HOME XDG_DATA_HOME
    fish --no-execute script.fish || fault "fish does not read the script"
    swims() { # swims EXPECTED LINE
        got=$(fish --no-config -c "source script.fish; complete -C '$2'" | cut -f 1 | sort | tr '\n' ' ')
        [ "$got" = "$1 " ] || fault "fish: $2: offers '$got' instead of '$1'"
    }
    swims "--overload" "ireneo store --over"
    swims "phases" "ireneo dense ph"
    swims "--lambda" "ireneo dense phases --la"
    swims "capacity check" "ireneo c"
    swims "delta hebbian hebbian-white least-squares project" "ireneo store --solver "
    swims "bash fish zsh" "ireneo --completion "
    swims "linear_1" "ireneo figure linear_1"
fi
finish "completion: bash$(command -v zsh >/dev/null && echo ', zsh')$(command -v fish >/dev/null && echo ', fish')"
