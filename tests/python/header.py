"""The binding's declarations against the header, with a C compiler.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/header.py"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import ireneo
from ireneo import library, structures

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
HEADER = "\n".join(path.read_text() for path in sorted((INCLUDE / "ireneo").glob("*.h")))
DECLARATIONS = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)


class HeaderTest(unittest.TestCase):
    """The ctypes declarations against the header itself, with a C compiler."""

    @staticmethod
    def compile_and_run(text):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "layout.c"), Path(folder, "layout")
            source.write_text(text)
            compiler = os.environ.get("CC", "gcc").split()
            flags = ["-std=c17", "-I", str(INCLUDE)]
            subprocess.run([*compiler, *flags, str(source), "-o", str(program)], check=True)
            return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout

    def test_layouts(self):
        classes = structures.struct_classes()
        self.assertGreater(len(classes), 30)
        lines = ['#include "ireneo.h"', "#include <stdio.h>", "int main(void) {"]
        expected = []
        for name, item in sorted(classes.items()):
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {structures.ctypes.sizeof(item)}")
            for field in item._fields_:
                member = f"{name}.{field[0]}"
                lines.append(
                    f'printf("{member} %zu %zu\\n", offsetof({name}, {field[0]}), sizeof((({name} *)0)->{field[0]}));'
                )
                place = getattr(item, field[0])
                expected.append(f"{member} {place.offset} {place.size}")
        for name, value in structures.CONSTANTS.items():
            lines.append(f'printf("{name} %d\\n", (int){name});')
            expected.append(f"{name} {value}")
        lines.append("return 0; }")
        self.assertEqual(self.compile_and_run("\n".join(lines)).split("\n")[:-1], expected)

    def test_constants_are_complete(self):
        """Every enumerator of the headers is known to the binding."""
        found = set()
        for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", DECLARATIONS, re.S):
            found |= {part.split("=")[0].strip() for part in body.split(",") if part.strip()}
        self.assertGreater(len(found), 40)
        self.assertEqual(found, set(structures.CONSTANTS))

    def test_field_order_is_complete(self):
        """No field of a bound struct is missing, also where padding would hide it."""
        text = DECLARATIONS
        for name, item in structures.struct_classes().items():
            body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), text, re.S).group(1)
            found = []
            for statement in filter(None, (part.strip() for part in body.split(";"))):
                pointer = re.search(r"\(\*(\w+)\)\(", statement)
                names = [pointer.group(1)] if pointer else [
                    re.search(r"(\w+)\s*(\[\w+\])?\s*$", part).group(1) for part in statement.split(",")
                ]
                found += names
            self.assertEqual(found, [field[0] for field in item._fields_], name)

    @staticmethod
    def kind_in_header(text, enums):
        if "*" in text or re.search(r"ireneo_own_candidates|\[", text):
            return "pointer"
        word = [w for w in re.findall(r"\w+", text) if w != "const"][0]
        # size_t and uint64_t are one ctypes class on 64-bit machines
        return "int" if word in enums else {"size_t": "u64", "uint64_t": "u64"}.get(word, word)

    @staticmethod
    def kind_in_binding(item):
        ctypes = structures.ctypes
        simple = {None: "void", ctypes.c_int: "int", ctypes.c_double: "double", ctypes.c_float: "float"}
        if item in simple:
            return simple[item]
        if isinstance(item, type) and issubclass(item, ctypes.Structure):
            return item.__name__
        return "u64" if item in (ctypes.c_size_t, ctypes.c_uint64) else "pointer"

    def test_prototypes(self):
        text = DECLARATIONS
        declared = {
            m.group(2): (m.group(1), m.group(3))
            for m in re.finditer(r"IRENEO_API\s+([\w\s\*]+?)(ireneo_\w+)\(([^;]*)\);", text)
        }
        enums = re.findall(r"typedef enum (\w+)", text)
        for name, (result, arguments) in library.PROTOTYPES.items():
            self.assertIn(name, declared)
            c_result, c_arguments = declared[name]
            parts = [] if c_arguments.strip() == "void" else c_arguments.split(",")
            expected = [self.kind_in_header(part, enums) for part in [c_result, *parts]]
            self.assertEqual([self.kind_in_binding(item) for item in [result, *arguments]], expected, name)

    def test_contract_walks_all(self):
        """Every call that can fail is refused something in tests/base/contract.c, and every enum has its name."""
        contract = (ROOT / "tests" / "base" / "contract.c").read_text()
        calls = set(re.findall(r"IRENEO_API\s+ireneo_error\s+(ireneo_\w+)\(", DECLARATIONS))
        self.assertGreater(len(calls), 40)
        self.assertEqual({name for name in calls if f"REFUSED({name}(" not in contract}, set())
        for name in re.findall(r"typedef enum (\w+)", DECLARATIONS):
            self.assertIn(f"EXPECT_NAMES({name}_name, {name},", contract)

    def test_reserved_room(self):
        """Every struct that callers fill or read has room to grow, except those that stand in arrays."""
        settled = {
            "ireneo_progress", "ireneo_array", "ireneo_tensor", "ireneo_sample", "ireneo_store_phases",
            "ireneo_dense_draw", "ireneo_attention_estimate", "ireneo_attention_depth",
            "ireneo_attention_trainability_cell", "ireneo_block_deviations", "ireneo_attention_layer_scales",
        }
        for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", DECLARATIONS, re.S):
            self.assertEqual("uint64_t reserved[4];" in body, name not in settled, name)

    def test_versions_agree(self):
        version = re.search(r'IRENEO_VERSION "(.*)"', HEADER).group(1)
        project = re.search(r'^version = "(.*)"', (ROOT / "python" / "pyproject.toml").read_text(), re.M).group(1)
        self.assertEqual((version, project), (ireneo.__version__, ireneo.__version__))
        self.assertEqual(library.lib.ireneo_version().decode(), version)


if __name__ == "__main__":
    unittest.main()
