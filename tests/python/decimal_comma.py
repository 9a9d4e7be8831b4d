"""Files written by a host program with a decimal comma: a program that calls setlocale gets the same memory and numbers.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/decimal_comma.py"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

CHILD = """
import ctypes, sys
import numpy as np
import ireneo
libc = ctypes.CDLL(None)
libc.setlocale.restype = ctypes.c_char_p
if sys.argv[2] and libc.setlocale(1, sys.argv[2].encode()) is None:
    sys.exit(77)
text = ctypes.create_string_buffer(32)
libc.snprintf(text, 32, b"%.1f", ctypes.c_double(1.5))
if sys.argv[2] and text.value != b"1,5":
    sys.exit(77)
rng = np.random.default_rng(1)
keys = rng.standard_normal((20, 8)).astype(np.float32)
memory, info = ireneo.store(keys, keys, threads=1)
memory.save(sys.argv[1])
"""


def metadata(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + length])["__metadata__"]


class DecimalCommaTest(unittest.TestCase):
    def test_metadata_keep_the_point(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"], capture_output=True)
            environment = dict(os.environ, LOCPATH=folder) if made.returncode in (0, 1) else dict(os.environ)
            found = {}
            for name in ("", "de_DE.UTF-8"):
                path = f"{folder}/memory{len(found)}.safetensors"
                done = subprocess.run([sys.executable, "-c", CHILD, path, name], env=environment)
                if done.returncode == 77:
                    self.skipTest("no locale with a decimal comma can be made here")
                self.assertEqual(done.returncode, 0)
                found[name] = metadata(path)
            self.assertFalse([v for k, v in found["de_DE.UTF-8"].items() if "," in v])
            self.assertEqual({k: v for k, v in found[""].items() if "second" not in k and "peak" not in k},
                             {k: v for k, v in found["de_DE.UTF-8"].items() if "second" not in k and "peak" not in k})
            self.assertTrue([v for v in found[""].values() if "." in v and v[0].isdigit()])


if __name__ == "__main__":
    unittest.main()
