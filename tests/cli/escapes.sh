#!/bin/sh
# What files say is shown without what a terminal would obey: labels, names of files and tensors, reasons of certificates.
. "$(dirname "$0")/../support/cli.sh"

"$python" - <<'END' || exit 4
import numpy as np
rows = np.eye(3, dtype="f4")
np.save("rows.npy", rows)
np.save("same.npy", rows[[0, 0, 2]])
open("labels.txt", "wb").write(b"red \x1b[31m\nc1 \xc2\x9b31m\nplain \xc3\xa9\n")
END

# plain WHAT: neither output nor sentence holds a control character.
plain() {
    "$python" -c '
import sys
text = open("out", "rb").read() + open("err", "rb").read()
sys.exit(any(ord(c) < 32 and c != "\n" or 126 < ord(c) < 160 for c in text.decode("utf-8")))' || fault "$1: $(od -c out err)"
}

run 0 store rows.npy rows.npy -o m.safetensors
run 0 recall m.safetensors rows.npy --values rows.npy --labels labels.txt --query-labels labels.txt
plain "recall"
grep -q 'red ?\[31m -> red' out || fault "recall: $(cat out)"
grep -q 'plain é' out || fault "recall changes what is UTF-8: $(cat out)"
run 0 recall m.safetensors rows.npy --values rows.npy --labels labels.txt --json
plain "recall --json"
run 0 dense recall rows.npy rows.npy --labels labels.txt
plain "dense recall"
run 4 check "$(printf 'no \033[31mfile.npy')" rows.npy rows.npy
plain "a file name"
run 4 check "$(printf 'm.safetensors:\033[31mW')" rows.npy rows.npy
plain "a tensor name"

run 1 store same.npy rows.npy -o n.safetensors --certificate c.safetensors
"$python" - <<'END' || exit 4
import json, struct
data = open("c.safetensors", "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
header["__metadata__"]["reason"] = "\x1b[31mred \u009b"
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open("c.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data[8 + length:])
END
"$ireneo" verify c.safetensors same.npy rows.npy >out 2>err
plain "a certificate's reason"
"$ireneo" verify c.safetensors same.npy rows.npy --json >out 2>err
plain "a certificate's reason in JSON"

finish "escapes: nothing a terminal would obey"
