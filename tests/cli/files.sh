#!/bin/sh
# Text files through the program: lists of facts as real CSV, labels, what is no file; memory that runs out. Every
# refusal is one sentence on stderr that names line and word.
. "$(dirname "$0")/../support/cli.sh"

"$python" - <<'END' || exit 4
import numpy as np
rng = np.random.default_rng(2)
rows = rng.normal(size=(8, 5)).astype("f4")
np.save("rows.npy", rows)
np.save("rows64.npy", rng.normal(size=(8, 5)))
names = ["france", "paris", "New York", "São Paulo", "a, b", 'quote"d', "w5", "w6"]
open("labels.txt", "w", encoding="utf-8").write("\n".join(names) + "\n")
open("mark.txt", "w", encoding="utf-8-sig").write("\n".join(names) + "\n")
open("latin.txt", "wb").write("\n".join(names).encode("latin1"))
open("same.txt", "w", encoding="utf-8").write("\n".join(["france", "paris"] * 4) + "\n")
END

# facts LIST ARGUMENTS...: what `pairs` made of PAIRS.csv is this list of key rows and value rows, "0:1 2:3".
facts() {
    wanted=$1
    shift
    rm -rf made
    timeout 20 "$ireneo" pairs rows.npy labels.txt pairs.csv -o made "$@" >said 2>err || fault "$*: exit $?: $(cat err)"
    [ ! -s err ] || fault "$*: words on stderr: $(cat err)"
    got=$("$python" - <<'END'
import numpy as np
rows, keys, targets = np.load("rows.npy"), np.load("made/keys.npy"), np.load("made/targets.npy")
names = open("labels.txt", encoding="utf-8").read().splitlines()
found = [int(np.flatnonzero((rows == key).all(axis=1))[0]) for key in keys]
assert open("made/keys.txt", encoding="utf-8").read().splitlines() == [names[row] for row in found]
print(*(f"{row}:{target}" for row, target in zip(found, targets)))
END
    )
    [ "$got" = "$wanted" ] || fault "pairs $*: '$got' instead of '$wanted' from: $(cat pairs.csv)"
}

# ---- lists of facts
printf 'france,paris\nNew York,S\303\243o Paulo\n' >pairs.csv
facts "0:1 2:3"
printf '\357\273\277france,paris\r\n\r\n New York , S\303\243o Paulo \r\n' >pairs.csv
facts "0:1 2:3"
printf '"a, b","quote""d"\n"france" , "paris"\n' >pairs.csv
facts "4:5 0:1"
printf 'a, b\tquote"d\nfrance\tparis' >pairs.csv
facts "4:5 0:1"
printf 'france;paris\n"New York";w5\n' >pairs.csv
facts "0:1 2:6"
printf 'key,value\nfrance,paris\n' >pairs.csv
facts "0:1" --header
printf 'id,country,"the, capital"\n1,france,paris\n2,w5,w6\n' >pairs.csv
facts "0:1 6:7" --columns 'country,"the, capital"'
facts "1:0 7:6" --columns 3,2 --header
printf 'w5,w6,1.0\n' >pairs.csv
facts "6:7" --columns 1,2

printf 'key,value\nfrance,paris\n' >pairs.csv
refuse 3 "pairs.csv: line 1: 'key' is not among the labels of labels.txt; if .* give --header" pairs rows.npy labels.txt pairs.csv -o no
printf 'france,paris\nw5,nowhere\n' >pairs.csv
refuse 3 "line 2: 'nowhere' is not among the labels of labels.txt$" pairs rows.npy labels.txt pairs.csv -o no
printf 'france,paris,1.0\n' >pairs.csv
refuse 3 "line 1 has 3 columns, the third is '1.0'; choose two with --columns" pairs rows.npy labels.txt pairs.csv -o no
refuse 3 "line 1, the heading, has no column 'town'" pairs rows.npy labels.txt pairs.csv -o no --columns france,town
refuse 3 "line 1, 'france', has 3 columns; --columns 1,9 needs 9" pairs rows.npy labels.txt pairs.csv -o no --columns 1,9
refuse 2 "two names or numbers" pairs rows.npy labels.txt pairs.csv -o no --columns 1
refuse 2 "counts from 1, not '0'" pairs rows.npy labels.txt pairs.csv -o no --columns 0,1
refuse 2 "counts from 1, not '1.5'" pairs rows.npy labels.txt pairs.csv -o no --columns 1,1.5
printf 'france\n' >pairs.csv
refuse 3 "line 1, 'france', has no comma" pairs rows.npy labels.txt pairs.csv -o no
printf 'w5,w6\nfrance,"paris\n' >pairs.csv
refuse 3 "line 2: a quoted field is not closed: \"paris" pairs rows.npy labels.txt pairs.csv -o no
printf 'france,"paris" x\n' >pairs.csv
refuse 3 "line 1: something follows the quoted field \"paris\"" pairs rows.npy labels.txt pairs.csv -o no
printf 'w5,w6\n\n"france","paris"\nfrance,w5\n' >pairs.csv
refuse 3 "line 4: the key 'france' comes twice" pairs rows.npy labels.txt pairs.csv -o no
printf 'france,paris\n' >pairs.csv
refuse 3 "line 1: 'france' is the label of rows 0 and [246] of same.txt" pairs rows.npy same.txt pairs.csv -o no
[ ! -e no ] || fault "a refused command made a folder"

# ---- labels and lists that are no text files
mkfifo pipe
mkdir directory
for odd in pipe /dev/zero directory; do
    refuse 4 "cannot read $odd" pairs rows.npy "$odd" pairs.csv -o no
    refuse 4 "cannot read $odd" pairs rows.npy labels.txt "$odd" -o no
    refuse 4 "cannot read $odd" dense recall rows.npy rows.npy --labels "$odd"
done
facts "0:1"
"$ireneo" store rows.npy rows.npy --with-values -o m.safetensors >/dev/null 2>&1 || fault "a store failed"
for odd in pipe /dev/zero directory; do refuse 4 "cannot read $odd" recall m.safetensors rows.npy --labels "$odd"; done
refuse 3 "latin.txt: line 4 is not UTF-8 text; if it is Latin-1: iconv" pairs rows.npy latin.txt pairs.csv -o no
refuse 3 "latin.txt: line 4 is not UTF-8" recall m.safetensors rows.npy --labels latin.txt --json
refuse 3 "latin.txt: line 4 is not UTF-8" dense recall rows.npy rows.npy --labels latin.txt --json
"$ireneo" recall m.safetensors rows.npy --labels mark.txt --json >said || fault "labels with a byte order mark"
"$python" -c 'import json; assert json.loads(open("said").readline())["answers"][0]["label"] == "france"' ||
    fault "the first label behind a byte order mark: $(head -n 1 said)"

# ---- rounding is said once a file, and not with --json
"$ireneo" store rows64.npy rows64.npy -o m.safetensors >/dev/null 2>err || fault "float64 facts"
[ "$(cat err)" = "ireneo store: rows64.npy holds float64; rounded to float32" ] || fault "the note about rounding: $(cat err)"
"$ireneo" store rows64.npy rows64.npy -o m.safetensors --json >/dev/null 2>err || fault "float64 facts with --json"
[ ! -s err ] || fault "words on stderr with --json: $(cat err)"

# ---- memory that runs out is an error and leaves whole files or none
"$python" - <<'END' || exit 4
import numpy as np
n = 2000
np.save("many.npy", np.random.default_rng(3).normal(size=(n, 8)).astype("f4"))
open("many.txt", "w").write("".join(f"w{k}\n" for k in range(n)))
open("many.csv", "w").write("".join(f"w{k},w{k}\n" for k in range(n)))
END
shim=$(dirname "$ireneo")/tests/fault_shim.so
if [ -e "$shim" ] && [ "$sanitized" = no ]; then
    refusals=0
    for at in $(seq 1 50); do
        rm -rf made
        FAULT_CALL=allocate FAULT_AT=$at LD_PRELOAD=$shim "$ireneo" pairs many.npy many.txt many.csv -o made >said 2>err
        if [ $? -eq 0 ]; then
            [ "$(wc -l <made/keys.txt)" -eq 2000 ] || fault "allocation $at failed: keys.txt has $(wc -l <made/keys.txt) lines and exit 0"
        else
            refusals=$((refusals + 1))
        fi
    done
    [ "$refusals" -gt 10 ] || fault "only $refusals failing allocations were noticed"
fi

finish "files: all as it should be"
