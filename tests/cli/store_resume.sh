#!/bin/sh
# A store that a limit or Ctrl-C ends early leaves its state and the old memory; --resume goes on from there.
. "$(dirname "$0")/../support/cli.sh"
"$python" "$root/tests/support/arrays.py" || exit 4
run 0 store keys.npy values.npy -o before

# ---- a limit instead of an answer
run 0 sample --dim 120 --facts 1560 --seed 1 -o large
cp before limited.safetensors
run 1 store large/keys.npy large/values.npy --max-iterations 2 --threads 1 -o limited.safetensors --json
is status undecided
is memory_status partial
recalled=$(number recalled)
run 1 check limited.safetensors large/keys.npy large/values.npy --json
is recalled "$recalled"
[ -s limited.safetensors.state ] || fault "an undecided store left no state"
refuse 3 "other facts" store keys.npy values.npy --resume -o limited.safetensors
run 0 store large/keys.npy large/values.npy --resume -o limited.safetensors --json
is status stored
[ ! -e limited.safetensors.state ] || fault "the state outlives the finished store"


# ---- Ctrl-C: the state is saved, the old memory stays, --resume goes on and finishes
run 0 sample --dim 250 --facts 5640 --seed 1 -o long
cp before long.safetensors
store="store long/keys.npy long/values.npy -o long.safetensors --json"
# Hundredths of a second of work until it is pressed: at once, which is long before the end, and then further on.
for ticks in 0 10 20 30; do
    resume=
    [ -e long.safetensors.state ] && resume=--resume
    # shellcheck disable=SC2086
    interrupt "worked \$child $ticks" $store --threads 1 $resume
    if [ "$got" -eq 0 ] && [ "$ticks" -gt 0 ]; then break; fi
    [ "$got" -eq 130 ] || fault "Ctrl-C after $ticks ticks: exit $got: $(cat err)"
    is status interrupted
    [ -s long.safetensors.state ] || fault "Ctrl-C after $ticks ticks: no state"
    cmp -s long.safetensors before || fault "Ctrl-C after $ticks ticks: the old memory was touched"
done
if [ -e long.safetensors.state ]; then
    # shellcheck disable=SC2086
    run 0 $store --resume
    is status stored
fi
[ ! -e long.safetensors.state ] || fault "the state outlives the finished store"
run 0 check long.safetensors long/keys.npy long/values.npy --json
is recalled 5640

finish "resume: all as it should be"
