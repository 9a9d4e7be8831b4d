#!/bin/sh
# ireneo ask: words as arguments, from a pipe, and typed at the prompt; files that hold no names, or bad ones.
. "$(dirname "$0")/../support/cli.sh"
"$python" - <<'END' || exit 4
import numpy as np
draw = np.random.default_rng(5)
np.save("keys.npy", draw.standard_normal((6, 20)).astype(np.float32))
np.save("values.npy", draw.standard_normal((6, 20)).astype(np.float32))
open("keys.txt", "w").write("france\nfrankfurt\nnew york\nGhana\nsão tomé\n:odd\n")
open("values.txt", "w").write("paris\nmain\nhudson\naccra\nágua\nnothing\n")
open("short.txt", "w").write("paris\nmain\n")
open("control.txt", "w").write("france\nfrankfurt\nnew\x1b[31m\nGhana\nx\ny\n")
END
run 0 store keys.npy values.npy --key-labels keys.txt --value-labels values.txt -o memory.safetensors
run 0 store keys.npy values.npy --key-labels keys.txt --rank 15 -o factors.safetensors
run 0 store keys.npy values.npy --with-values -o plain.safetensors

# ---- words as arguments
expect 0 "^france -> paris ([0-9.]*), .*, .*, [a-zá]* ([-0-9.]*)$" ask memory.safetensors france
expect 0 "^new york -> hudson ([0-9.]*)$" ask memory.safetensors "new york" --top 1
expect 0 "^são tomé -> água" ask memory.safetensors "são tomé"
expect 0 "^:odd -> nothing" ask memory.safetensors :odd
expect 0 "^france -> 0 (" ask factors.safetensors france
run 0 ask memory.safetensors france Ghana --top 2
[ "$(cut -d' ' -f1-3 out | tr '\n' ',')" = "france -> paris,Ghana -> accra," ] || fault "two words: $(cat out)"
run 0 ask memory.safetensors Ghana --json
[ "$(report "(r['word'], r['known'], r['key'], len(r['answers']), r['answers'][0]['label'], r['answers'][0]['index'])")" = \
    "('Ghana', True, 3, 4, 'accra', 3)" ] || fault "JSON of an answer: $(cat out)"
"$ireneo" recall memory.safetensors keys.npy --pick 3 --json >recalled
"$python" -c "
import json
a, b = (json.load(open(f))['answers'][0] for f in ('out', 'recalled'))
assert a['index'] == b['index'] and a['score'] == b['score']" || fault "ask and recall differ"

# ---- unknown words, and what they may have meant
for wrong in frnace frence FRANCE rance francee; do
    expect 1 "^$wrong is unknown; near it: france" ask memory.safetensors $wrong
done
expect 1 "near it: france, frankfurt$" ask memory.safetensors fran
expect 1 "near it: Ghana$" ask memory.safetensors ghana
expect 1 "^xylophone is unknown$" ask memory.safetensors xylophone
run 1 ask memory.safetensors frnace --json
[ "$(report "(r['word'], r['known'], r['near'])")" = "('frnace', False, ['france'])" ] || fault "JSON: $(cat out)"
expect 1 "^france -> paris" ask memory.safetensors nobody france
expect 1 "not UTF-8" ask memory.safetensors "$(printf 'a\377')"

# ---- a pipe
printf 'france\n\n  new york \r\n:top 1\nGhana\n:top 0\n:nonsense\n:quit\nafter the end\n' | "$ireneo" ask memory.safetensors >out 2>err
[ $? -eq 0 ] || fault "a pipe of known words: $(cat err)"
cut -d' ' -f1-3 out >heads
printf 'france -> paris\nnew york ->\nGhana -> accra\n:top takes a\nthere is no\n' | cmp -s - heads || fault "a pipe: $(cat out)"
[ "$(sed -n 3p out | tr -cd ',')" = "" ] || fault ":top 1 gives several answers: $(cat out)"
printf 'frnace\nfrance' | "$ireneo" ask memory.safetensors >out 2>err
[ $? -eq 1 ] || fault "an unknown word of a pipe does not end with 1"
grep -q "^france -> paris" out || fault "a last line without its end is lost: $(cat out)"
"$ireneo" ask memory.safetensors </dev/null >out 2>err || fault "an empty pipe: $(cat err)"
[ ! -s out ] || fault "an empty pipe is answered: $(cat out)"

# ---- the prompt, on a terminal of its own
cat >prompt.py <<'END'
import os, pty, re, select, sys, termios, time
program, memory = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.execv(program, [program, "ask", memory])
seen = ""

def read():
    """What is on the screen by now, without the movements of the cursor; false at the end."""
    global seen
    if not select.select([terminal], [], [], 30)[0]:
        raise SystemExit(f"nothing comes any more after {seen!r}")
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        return False
    seen += piece.decode()
    return piece != b""

def until(pattern):
    """Waits for the pattern and the prompt behind it: what is typed earlier is not edited."""
    global seen
    while not re.search(f"{pattern}.*ireneo> ", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x08", "", seen), re.S):
        if not read():
            raise SystemExit(f"no {pattern!r} in {seen!r}")
    while termios.tcgetattr(terminal)[3] & termios.ICANON:  # the editor takes the terminal after its prompt
        time.sleep(0.01)
    seen = ""

def keys(text):
    os.write(terminal, text.encode())

until("6 names")
keys("new\t\r")
until(r"new york -> hudson \(")
keys("fran\t")
until(r"france  frankfurt")
keys("k\t\r")
until(r"frankfurt -> main \(")
keys("words to be given up\x03")
until(r"\^C")
keys("Gh\t\r")
until(r"Ghana -> accra \(")
keys(":to\t1\r")
until("p 1")
keys("\x1b[A\x1b[A\r")
until(r"Ghana -> accra \([0-9.]*\)\r\n")
keys("frnace\r")
until("near it: france")
keys("sã\t\r")
until("são tomé -> água")
keys(":help\r")
until("TAB completes")
keys(":quit\r" if memory == "memory.safetensors" else "\x04")
while read():
    pass
status = os.waitpid(child, 0)[1]
if os.waitstatus_to_exitcode(status) != 0:
    raise SystemExit(f"ends with {status}")
END
cp memory.safetensors again.safetensors
echo leak:wcsdup >leaks # libedit never frees the names of its functions
export LSAN_OPTIONS="suppressions=$folder/leaks:print_suppressions=0"
export LC_ALL=C.UTF-8
for end in memory again; do # :quit, Ctrl-D
    has_terminals || break
    timeout -k 5 120 "$python" prompt.py "$ireneo" $end.safetensors >out 2>&1 || fault "the prompt: $(cat out)"
done

# ---- what is refused
refuse 2 "holds no names to ask for; store it with --key-labels" ask plain.safetensors france
refuse 2 "MEMORY" ask
refuse 2 "top" ask memory.safetensors france --top 0
refuse 4 "absent" ask absent.safetensors france
refuse 3 "2 labels for 6 values" store keys.npy values.npy --value-labels short.txt -o new.safetensors
refuse 3 "2 labels for 6 keys" store keys.npy values.npy --key-labels short.txt -o new.safetensors
refuse 3 "name of a key 2 .*control character" store keys.npy values.npy --key-labels control.txt -o new.safetensors
[ ! -e new.safetensors ] || fault "a refused store left its file"
cat >spoil.py <<'END'
"""memory.safetensors with one tensor changed: spoil.py OUT NAME EXPRESSION, where x is the old one."""
import json, struct, sys
import numpy as np
out, name, expression = sys.argv[1:]
types = {"F32": "<f4", "I64": "<i8", "U8": "u1", "I32": "<i4"}
raw = open("memory.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
header, data = json.loads(raw[8 : 8 + size]), raw[8 + size :]
header.pop("__metadata__")
tensors = {k: np.frombuffer(data[slice(*v["data_offsets"])], types[v["dtype"]]).reshape(v["shape"]) for k, v in header.items()}
new = eval(expression, {"x": tensors.get(name), "np": np})
tensors.pop(name)
if new is not None:
    tensors[name] = new
header, body = {}, b""
for key, value in tensors.items():
    kind = {v: k for k, v in types.items()}[{"uint8": "u1", "int64": "<i8", "int32": "<i4", "float32": "<f4"}[str(value.dtype)]]
    header[key] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [len(body), len(body) + value.nbytes]}
    body += value.tobytes()
text = json.dumps(header).encode()
open(out, "wb").write(struct.pack("<Q", len(text)) + text + body)
END
spoilt() { # PATTERN NAME EXPRESSION
    "$python" spoil.py spoilt.safetensors "$2" "$3" || fault "spoil.py $2"
    refuse 3 "$1" ask spoilt.safetensors france
}
"$python" spoil.py same.safetensors keys "x"
expect 0 "^france -> paris" ask same.safetensors france
spoilt "begin and end" key_label_offsets "x + 1"
spoilt "begin and end" key_label_offsets "np.append(x[:-1], 10 ** 15)"
spoilt "begin and end" key_label_offsets "np.append(x[:-1], -1)"
spoilt "do not ascend" key_label_offsets "np.concatenate([x[:1], [-8], x[2:]])"
spoilt "do not ascend" key_label_offsets "np.concatenate([x[:1], [2 ** 62], x[2:]])"
spoilt "do not ascend" value_label_offsets "np.concatenate([x[:1], x[2:3], x[1:2], x[3:]])"
spoilt "not one name of a key for each of 6 rows" key_label_offsets "x[1:]"
spoilt "not one name of a key for each of 6 rows" key_label_offsets None
spoilt "not one name of a value for each of 6 rows" value_labels None
spoilt "not one name of a key" keys None
spoilt "not a vector of int64" key_label_offsets "x.astype(np.int32)"
spoilt "not a vector of uint8" key_labels "x.reshape(1, -1)"
spoilt "control character" key_labels "np.where(np.arange(x.size) == 2, 27, x).astype(np.uint8)"
spoilt "zero byte" key_labels "np.where(np.arange(x.size) == 2, 0, x).astype(np.uint8)"
spoilt "not UTF-8" key_labels "np.where(np.arange(x.size) == 2, 255, x).astype(np.uint8)"
spoilt "keys have 19 dimensions" keys "np.ascontiguousarray(x[:, :19])"
spoilt "NaN" keys "np.where(np.arange(20) == 3, np.nan, x).astype(np.float32)"

# ---- the file is an ordinary one: other readers see the memory and its names
"$python" - <<'END' || fault "the names cannot be read from elsewhere"
import json, struct
raw = open("memory.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
header, data = json.loads(raw[8 : 8 + size]), raw[8 + size :]
at = {k: data[slice(*v["data_offsets"])] for k, v in header.items() if k != "__metadata__"}
ends = struct.unpack("<7q", at["key_label_offsets"])
names = [at["key_labels"][a:b].decode() for a, b in zip(ends, ends[1:])]
assert names == open("keys.txt").read().split("\n")[:-1] and header["W"]["shape"] == [20, 20], names
END
rm -f prompt.py spoil.py
finish "ask: answers, suggests, talks, refuses"
