#!/bin/sh
# A store over two hosts that share no memory: the same bytes as alone, and over the wire what the cost model says.
. "$(dirname "$0")/../support/two_hosts.sh"
dim=200 facts=3708
run 0 sample --dim $dim --facts $facts --seed 1 -o facts
run 0 store facts/keys.npy facts/values.npy -o alone.safetensors

for ranks in 2 3 4; do
    over $ranks 0 store facts/keys.npy facts/values.npy -o "over$ranks.safetensors" --json
    is status stored
    is ranks $ranks
    is nodes 2
    cmp -s alone.safetensors "over$ranks.safetensors" || fault "$ranks ranks on two hosts store other bytes than one process"
done

# Bytes of an iteration: of two stores that differ in iterations alone, by the program's counter and by the wire's own.
# Between them is what TCP and MPI put around messages.
measure() { # measure RANKS ITERATIONS: counted, carried and scans
    before=$(wire_bytes)
    over "$1" 1 store facts/keys.npy facts/values.npy --max-iterations "$2" -o part.safetensors --json
    after=$(wire_bytes)
    rm -f part.safetensors*
    is iterations "$2"
    echo "$(number bytes_sent) $((after - before)) $(number scans)" >"run$2"
}
for ranks in 2 4; do
    run 0 plan --dim $dim --facts $facts --nodes 2 --ranks $((ranks / 2)) --json
    planned=$(report "r['table'][0]['bytes_sent_iteration']")
    measure $ranks 6
    measure $ranks 9
    "$python" - run6 run9 "$planned" $ranks <<'TEXT' || fault "$ranks ranks: bytes of an iteration are not those of the cost model"
import sys
(a, wire_a, scans_a), (b, wire_b, scans_b) = ([int(x) for x in open(p).read().split()] for p in sys.argv[1:3])
planned, ranks = float(sys.argv[3]), int(sys.argv[4])
counted, carried = (b - a) / 3, (wire_b - wire_a) / 3
leaving = planned * (ranks - ranks // 2) / (ranks - 1)  # to ranks of the other host
print(f"{ranks} ranks on 2 hosts, bytes an iteration: counted {counted:.0f}, planned {planned:.0f} ({counted / planned:.3f}); "
      f"over the wire {carried:.0f}, planned {leaving:.0f} ({carried / leaving:.3f})")
sys.exit(scans_a != scans_b or abs(counted / planned - 1) > 0.1 or abs(carried / leaving - 1) > 0.1)
TEXT
done
rm -rf one.tmp other.tmp
finish "two hosts: the same bytes, and as many on the wire as planned"
