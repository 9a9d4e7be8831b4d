"""Files that people have, made with NumPy: every format gives NumPy's numbers to the bit, through the library and
through the program; damaged and hostile ones are refused in one sentence.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so IRENEO_PROGRAM=build/ireneo \\
python3 tests/python/formats.py"""

import ctypes
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings
import zipfile
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path

import numpy as np

import ireneo

LIB = ctypes.CDLL(ireneo.library_path)
LIB.ireneo_load_matrix.argtypes = [c_char_p, POINTER(POINTER(c_float)), POINTER(c_size_t), POINTER(c_size_t)]
LIB.ireneo_load_indices.argtypes = [c_char_p, POINTER(POINTER(c_int64)), POINTER(c_size_t)]
LIB.ireneo_last_error.restype = c_char_p
LIB.ireneo_free.argtypes = [c_void_p]
PROGRAM = os.environ["IRENEO_PROGRAM"]
WHOLE = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


class Notes(ctypes.Structure):
    _fields_ = [("dtype", c_int), ("rounded", c_size_t), ("largest_rounding", c_double),
                ("reserved", c_uint64 * 4)]


def load_matrix(path):
    """The library's float32 matrix, or its sentence as a ValueError."""
    values, rows, columns = POINTER(c_float)(), c_size_t(), c_size_t()
    code = LIB.ireneo_load_matrix(os.fsencode(path), byref(values), byref(rows), byref(columns))
    if code != 0:
        raise ValueError(LIB.ireneo_last_error().decode())
    result = np.ctypeslib.as_array(values, (rows.value, columns.value)).copy()
    LIB.ireneo_free(values)
    return result


def load_indices(path):
    values, count = POINTER(c_int64)(), c_size_t()
    if LIB.ireneo_load_indices(os.fsencode(path), byref(values), byref(count)) != 0:
        raise ValueError(LIB.ireneo_last_error().decode())
    result = np.ctypeslib.as_array(values, (count.value,)).copy()
    LIB.ireneo_free(values)
    return result


def safetensors(tensors, **extra):
    """Bytes of a file from {name: (type, shape, data)}."""
    header, data = dict(extra), b""
    for name, (kind, shape, content) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = np.random.default_rng(5)

    def path(self, name):
        return str(Path(self.folder.name, name))

    def write(self, name, content):
        Path(self.path(name)).write_bytes(content)
        return self.path(name)

    def through_program(self, location, rows):
        """Rows of a matrix as `ireneo pairs` copies them; its note on stderr."""
        Path(self.path("labels.list")).write_text("".join(f"w{k}\n" for k in range(rows)))
        Path(self.path("pairs.list")).write_text("".join(f"w{k},w{k}\n" for k in range(rows)))
        done = subprocess.run(
            [PROGRAM, "pairs", location, self.path("labels.list"), self.path("pairs.list"), "-o", self.path("out")],
            capture_output=True, text=True,
        )
        if done.returncode != 0:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.returncode, 4 if "cannot open" in done.stderr else 3, done.stderr)
            raise ValueError(done.stderr)
        return np.load(self.path("out/keys.npy")), done.stderr

    def expect(self, location, array, program=True):
        """All ways to read a location give these numbers, to the bit."""
        wanted = array.astype("f4")
        matrix = load_matrix(location)
        self.assertEqual(matrix.tobytes(), np.ascontiguousarray(wanted).tobytes(), location)
        self.assertEqual(matrix.shape, wanted.shape if wanted.ndim == 2 else (wanted.size, 1))
        loaded = ireneo.load_array(location)
        native = array.astype(array.dtype.newbyteorder("="))
        self.assertEqual((loaded.dtype, loaded.shape), (native.dtype, native.shape))
        self.assertEqual(loaded.tobytes(), np.ascontiguousarray(native).tobytes())
        if not program:
            return
        keys, note = self.through_program(location, len(matrix))
        self.assertEqual(keys.tobytes(), matrix.tobytes())
        rounded = bool(np.any(wanted.astype("f8") != native.astype("f8")))
        self.assertEqual(note, f"ireneo pairs: {location} holds float64; rounded to float32\n" if rounded else "")

    def refuse(self, location, *words):
        for read in (load_matrix, ireneo.load_array, lambda where: self.through_program(where, 3)):
            with self.assertRaises((ValueError, ireneo.IreneoError)) as caught:
                read(location)
            for word in words:
                self.assertIn(word, str(caught.exception))

    def arrays(self):
        """Matrices of every type and byte order, with the extremes that float32 holds."""
        for code in WHOLE:
            for order in "<>":
                kind = np.dtype(order + code)
                info = np.iinfo(kind)
                edges = [0, 1, info.min, info.max if kind.itemsize < 4 else 2 ** (8 * kind.itemsize - 2), 100, 127]
                yield np.array(edges, dtype=kind).reshape(3, 2)
        for code in ("f2", "f4", "f8"):
            for order in "<>":
                yield self.random.standard_normal((7, 5)).astype(order + code)
        yield np.array([[True, False], [False, True]])

    def test_npy_of_every_type_and_order(self):
        for number, array in enumerate(self.arrays()):
            for name, change in (("c", np.ascontiguousarray), ("f", np.asfortranarray)):
                path = self.path(f"{number}{name}.npy")
                np.save(path, change(array))
                self.expect(path, array)
                if array.dtype.kind in "iu":
                    np.save(path, np.ascontiguousarray(array)[:, 0])
                    self.assertEqual(load_indices(path).tolist(), array[:, 0].tolist())

    def test_npy_in_fortran_order_of_three_axes(self):
        array = np.asfortranarray(self.random.standard_normal((3, 4, 5)).astype(">f4"))
        np.save(self.path("a.npy"), array)
        self.assertTrue(np.array_equal(ireneo.load_array(self.path("a.npy")), array))

    def test_npz(self):
        arrays = dict(zip("abcdefghijklmnopqrstuvwxyzABC", self.arrays()))
        for save in (np.savez, np.savez_compressed):
            save(self.path("all.npz"), **arrays)
            for name, array in arrays.items():
                self.expect(self.path(f"all.npz:{name}"), array)
            self.expect(self.path("all.npz:a.npy"), arrays["a"])
            save(self.path("one.npz"), x=np.asfortranarray(arrays["u"]))
            self.expect(self.path("one.npz"), arrays["u"])
            os.replace(self.path("one.npz"), self.path("no-ending"))
            self.expect(self.path("no-ending"), arrays["u"])
        self.refuse(self.path("all.npz"), "choose one as", "a, b, c")
        self.refuse(self.path("all.npz:none"), "holds no array 'none'; it holds a, b, c")

    def test_npz_that_is_hostile(self):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (10**9, 10**3)})
        inner = io.BytesIO()
        np.save(inner, np.arange(6, dtype="f4").reshape(2, 3))
        whole = inner.getvalue()
        cases = {
            "bomb": ([("x.npy", header.getvalue())], zipfile.ZIP_DEFLATED, "truncated"),
            "cut": ([("x.npy", whole[:-1])], zipfile.ZIP_DEFLATED, "truncated"),
            "more": ([("x.npy", whole + b"1")], zipfile.ZIP_STORED, "something follows"),
            "twice": ([("x.npy", whole), ("x.npy", whole)], zipfile.ZIP_STORED, "2 arrays"),
            "folder": ([("x/", b"")], zipfile.ZIP_STORED, "without arrays"),
            "none": ([], zipfile.ZIP_STORED, "without arrays"),
            "torch": ([("archive/data.pkl", b"1")], zipfile.ZIP_STORED, "torch.load"),
            "text": ([("x.npy", b"hello")], zipfile.ZIP_STORED, "NUMPY"),
            "lzma": ([("x.npy", whole)], zipfile.ZIP_LZMA, "compression method 14"),
        }
        for name, (members, method, sentence) in cases.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with zipfile.ZipFile(self.path(name + ".npz"), "w", method) as archive:
                    for member, content in members:
                        archive.writestr(member, content)
            self.refuse(self.path(name + ".npz"), sentence)
        # A folder beside the array does not count.
        with zipfile.ZipFile(self.path("beside.npz"), "w") as archive:
            archive.writestr("x/", b"")
            archive.writestr("x/y.npy", whole)
        self.expect(self.path("beside.npz"), np.arange(6, dtype="f4").reshape(2, 3))
        self.expect(self.path("beside.npz:x/y"), np.arange(6, dtype="f4").reshape(2, 3))

    def test_npz_declared_sizes_and_checksums(self):
        np.savez_compressed(self.path("x.npz"), x=np.ones((100, 30), "f4"))
        content = bytearray(Path(self.path("x.npz")).read_bytes())
        central = content.rindex(b"PK\1\2")
        huge = content.copy()
        huge[central + 24 : central + 28] = struct.pack("<I", 0xFFFFFFF0)  # uncompressed size
        self.refuse(self.write("huge.npz", huge), "size that cannot be")
        encrypted = content.copy()
        encrypted[central + 8] |= 1
        encrypted[6] |= 1
        self.refuse(self.write("encrypted.npz", encrypted), "encrypted")
        damaged = content.copy()
        for place in (16, 14):  # the checksum in the directory and before the member
            damaged[(central if place == 16 else 0) + place] ^= 1
        self.refuse(self.write("damaged.npz", damaged), "CRC")

    def test_npz_cut_anywhere(self):
        for save in (np.savez, np.savez_compressed):
            save(self.path("x.npz"), x=self.random.standard_normal((8, 3)).astype("f4"))
            content = Path(self.path("x.npz")).read_bytes()
            for length in range(len(content)):
                path = self.write("cut.npz", content[:length])
                self.assertRaises(ValueError, load_matrix, path)
            self.assertEqual(load_matrix(self.write("cut.npz", content)).shape, (8, 3))

    def brains(self):
        """Every finite bfloat16 and what it means as float32."""
        bits = np.arange(65536, dtype="u4")
        bits = bits[(bits & 0x7F80) != 0x7F80]
        return bits.astype("<u2").tobytes(), (bits << 16).view("f4").reshape(-1, 2)

    def test_safetensors_of_every_type(self):
        raw, wanted = self.brains()
        path = self.write("b.safetensors", safetensors({"W": ("BF16", wanted.shape, raw)}))
        self.assertEqual(load_matrix(path).tobytes(), wanted.tobytes())
        self.assertEqual(ireneo.load_array(path).tobytes(), wanted.tobytes())
        small = wanted[:50]
        path = self.write("s.safetensors", safetensors({"W": ("BF16", small.shape, raw[:200])}))
        self.assertEqual(self.through_program(path, 50)[0].tobytes(), small.tobytes())
        names = {"i1": "I8", "u1": "U8", "i2": "I16", "u2": "U16", "i4": "I32", "u4": "U32", "i8": "I64", "u8": "U64",
                 "f2": "F16", "f4": "F32", "f8": "F64", "b1": "BOOL"}
        for number, array in enumerate(self.arrays()):
            little = array.astype(array.dtype.newbyteorder("<"))
            kind = names[little.dtype.str[1:]]
            content = safetensors({"x": ("F32", [1], b"1234"), "W": (kind, little.shape, little.tobytes())})
            self.expect(self.write(f"{number}.safetensors", content) + ":W", little)

    def test_safetensors_that_are_not_read(self):
        for kind in ("F8_E4M3", "F8_E5M2", "F4"):
            path = self.write("q.safetensors", safetensors({"W": (kind, [8], b"12345678")}))
            self.refuse(path, "tensor 'W' is quantised (" + kind + ")", "save it as bfloat16 or float32")
        path = self.write("c.safetensors", safetensors({"W": ("C64", [1], b"12345678")}))
        self.refuse(path, "type C64")
        path = self.write("two.safetensors", safetensors({"a": ("F32", [2, 1], b"12345678"), "b": ("U8", [0, 7], b"")}))
        self.refuse(path, "holds 2 tensors; choose one as", "a (2 x 1)", "b (0 x 7)")

    def test_sharded_models(self):
        a, b = (self.random.standard_normal((4, 3)).astype("f4") for _ in "ab")
        self.write("m-1.safetensors", safetensors({"layer.a": ("F32", a.shape, a.tobytes())}))
        self.write("m-2.safetensors", safetensors({"layer.b": ("F32", b.shape, b.tobytes()), "c": ("U8", [1], b"1")}))
        places = {"layer.a": "m-1.safetensors", "layer.b": "m-2.safetensors", "gone": "m-3.safetensors",
                  "up": "../m-1.safetensors", "root": "/etc/passwd", "dots": "..", "empty": "", "odd": 3,
                  "wrong": "m-1.safetensors"}
        index = self.write("m.safetensors.index.json", json.dumps({"metadata": {}, "weight_map": places}).encode())
        self.expect(index + ":layer.a", a)
        self.expect(index + ":layer.b", b)
        here = os.getcwd()
        os.chdir(self.folder.name)  # an index without a folder before it
        self.addCleanup(os.chdir, here)
        self.assertEqual(load_matrix("m.safetensors.index.json:layer.a").tobytes(), a.tobytes())
        os.chdir(here)
        self.refuse(index, "names 9 tensors; choose one as", "layer.a, layer.b")
        self.refuse(index + ":none", "names no tensor 'none'; it names layer.a, layer.b")
        self.refuse(index + ":wrong", "m-1.safetensors holds no tensor 'wrong'")
        for name in ("up", "root", "dots", "empty"):
            self.refuse(index + ":" + name, "leads to another folder")
        self.refuse(index + ":odd", "something else than file names")
        with self.assertRaises(ValueError) as caught:
            load_matrix(index + ":gone")
        self.assertIn("puts 'gone' into " + self.path("m-3.safetensors") + ", which is not there", str(caught.exception))
        for text, sentence in (
            ("{}", "no weight_map"), ("[]", "not a JSON object"), ('{"weight_map": {"a": "x"', "not closed"),
            ('{"weight_map": {"a": "x", "a": "y"}}', "occurs twice"), ('{"weight_map": []}', "no weight_map"),
            ('{"weight_map": ' + "[" * 100000 + "]" * 100000 + "}", "nested too deeply"),
            ('{"weight_map": {}}', "names no tensors"), ("", "not a JSON object"),
        ):
            self.refuse(self.write("bad.index.json", text.encode()) + ":a", "index of .safetensors files", sentence)

    def test_npy_that_is_refused(self):
        cases = {
            "complex": (np.ones((2, 2), "c8"), "complex"),
            "object": (np.array([[{}, 1]], dtype=object), "Python objects"),
            "structure": (np.zeros((2, 2), [("x", "f4")]), "structure"),
            "long": (np.ones((2, 2), np.longdouble), "long double"),
            "text": (np.array([["a"]]), "text"),
            "date": (np.array([["2020-01-01"]], "M8[D]"), "dates"),
        }
        for name, (array, word) in cases.items():
            np.save(self.path(name + ".npy"), array, allow_pickle=True)
            self.refuse(self.path(name + ".npy"), word, "float32")
        quadruple = self.write("q.npy", b"\x93NUMPY\1\0\x3b\0{'descr': '<f16', 'fortran_order': False, 'shape': (2, 1)}"
                               + b" " * 3 + bytes(32))
        self.refuse(quadruple, "long double")

    def test_cut_anywhere(self):
        """Every byte of the header and many places behind it."""
        array = np.asfortranarray(self.random.standard_normal((50, 40)).astype(">f8"))
        np.save(self.path("x.npy"), array)
        raw, wanted = self.brains()
        self.write("x.safetensors", safetensors({"W": ("BF16", wanted.shape, raw)}))
        for name in ("x.npy", "x.safetensors"):
            content = Path(self.path(name)).read_bytes()
            for length in [*range(200), *range(200, len(content), 997), len(content) - 1]:
                self.assertRaises(ValueError, load_matrix, self.write("cut" + name, content[:length]))
            load_matrix(self.write("cut" + name, content))

    def test_rounding(self):
        np.save(self.path("keys.npy"), np.array([[16777216, 1], [16777217, 1]]))
        for read in (load_matrix, lambda where: self.through_program(where, 2)):
            self.assertRaisesRegex(ValueError, "row 1, column 0 is 16777217, a whole number", read, self.path("keys.npy"))
        np.save(self.path("small.npy"), np.array([[1, 1e-50], [0, 1]]))
        self.assertRaisesRegex(ValueError, "row 0, column 1 is 1e-50, too small", load_matrix, self.path("small.npy"))
        near = self.random.standard_normal((20, 4))
        near[17] = near[3] * (1 + 1e-13)
        for change in (np.ascontiguousarray, np.asfortranarray):
            np.save(self.path("near.npy"), change(near))
            self.assertRaisesRegex(ValueError, "rows 3 and 17 differ in float64", load_matrix, self.path("near.npy"))

    def test_notes(self):
        array = self.random.standard_normal((30, 4))
        array[:, 0] = 0.5
        np.save(self.path("x.npy"), array)
        notes, values, rows, columns = Notes(), POINTER(c_float)(), c_size_t(), c_size_t()
        code = LIB.ireneo_load_matrix_noted(os.fsencode(self.path("x.npy")), byref(values), byref(rows), byref(columns),
                                            byref(notes))
        self.assertEqual(code, 0)
        LIB.ireneo_free(values)
        kept = array.astype("f4").astype("f8")
        self.assertEqual(notes.rounded, np.count_nonzero(kept != array))
        self.assertEqual(notes.largest_rounding, np.max(np.abs(kept - array) / np.abs(array)))

    def test_text(self):
        array = self.random.standard_normal((6, 3))
        for ending, separator in ((".csv", ","), (".tsv", "\t"), (".txt", " "), (".csv", ";"), (".csv", ", ")):
            for heading in ("", separator.join(["a", "b c", '"d"'] if separator.strip() else ["a", "b", "d"])):
                for end in ("\n", "\r\n"):
                    for mark in (b"", b"\xef\xbb\xbf"):
                        lines = [heading] if heading else []
                        lines += [separator.join(repr(float(x)) for x in row) for row in array]
                        path = self.write("x" + ending, mark + end.join([*lines, "", ""]).encode())
                        self.expect(path, array, program=bool(mark))
        np.savetxt(self.path("s.txt"), array, header="made by numpy.savetxt")
        self.expect(self.path("s.txt"), array)
        self.expect(self.write("i.csv", b"3,4\n-5,6"), np.array([[3, 4], [-5, 6]]))
        self.expect(self.write("v.csv", b"3\n4\n"), np.array([3, 4]))
        self.assertEqual(load_indices(self.write("v.csv", b"index\n3\n4\n9007199254740993\n")).tolist(),
                         [3, 4, 9007199254740993])

    def test_text_that_is_refused(self):
        for text, sentence in (
            ("1,2\n3\n", "line 2 has 1 numbers, the lines before it have 2"),
            ("1,2\n3,x\n", "line 2, column 2: 'x' is not a number"),
            ("1,2\n3,\n", "line 2, column 2 is empty"), ("1,,2\n", "line 1, column 2 is empty"),
            ("nan,1\n", "line 1, column 1: 'nan' is not a number"), ("NaN,inf\n", "line 1, column 1: 'NaN'"),
            ("1,2\n3,-inf\n", "line 2, column 2: '-inf' is not a number"),
            ("0x10,2\n", "'0x10' is not a number"), ("1,2\n1e999,1\n", "line 2, column 1: '1e999' is too large"),
            ("1,2\n1e-999,1\n", "is too small"), ("1;2,5\n", "'2,5' is not a number; write decimals with a point"),
            ("word,0.1\n", "line 1, column 1: 'word' is not a number; a heading has no numbers"),
            ("a,b\n", "holds no numbers"), ("", "holds no numbers"), ("\n\n", "holds no numbers"),
            ("1,2\n3,1-2\n", "'1-2' is not a number"), ("1,2\n\0,1\n", "is not a number"),
        ):
            self.refuse(self.write("bad.csv", text.encode()), sentence)
        self.assertRaisesRegex(ValueError, "without a name", load_matrix, self.write("a.csv", b"1,2\n") + ":x")

    def test_text_in_another_locale(self):
        """A decimal point is a point where the locale has a comma."""
        made = shutil.which("localedef") and subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_DE.UTF-8")], capture_output=True
        )
        surroundings = {**os.environ, "LOCPATH": self.folder.name}
        probe = [sys.executable, "-c", "import locale; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')"]
        if not made or subprocess.run(probe, env=surroundings, capture_output=True).returncode != 0:
            self.skipTest("no locale with a decimal comma can be made")
        script = (
            "import locale, sys; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8'); import ireneo\n"
            "print(locale.localeconv()['decimal_point'], ireneo.load_array(sys.argv[1]).tolist())\n"
        )
        done = subprocess.run([sys.executable, "-c", script, self.write("x.csv", b"1.5,2\n")], env=surroundings,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout, ", [[1.5, 2.0]]\n", done.stderr)

    def test_one_query(self):
        """A vector is one query, for both kinds of memory."""
        keys = self.random.standard_normal((5, 8)).astype("f4")
        np.save(self.path("k.npy"), keys)
        np.save(self.path("q.npy"), keys[2])
        memory = self.path("m.safetensors")
        subprocess.run([PROGRAM, "store", self.path("k.npy"), self.path("k.npy"), "--with-values", "-o", memory],
                       check=True, capture_output=True)
        done = subprocess.run([PROGRAM, "recall", memory, self.path("q.npy"), "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        done = subprocess.run([PROGRAM, "dense", "recall", self.path("k.npy"), self.path("q.npy"), "--normalise", "-o",
                               self.path("r.npy")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(np.load(self.path("r.npy")).shape, (1, 8))

    def test_writing(self):
        for array in self.arrays():
            native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
            ireneo.save_array(self.path("w.npy"), native)
            again = np.load(self.path("w.npy"))
            self.assertEqual((again.dtype, again.tobytes()), (native.dtype, native.tobytes()))
            ireneo.save_tensors(self.path("w.safetensors"), {"W": native})
            self.assertEqual(ireneo.load_array(self.path("w.safetensors")).tobytes(), native.tobytes())


if __name__ == "__main__":
    unittest.main()
