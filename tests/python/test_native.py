"""_native.py beside the C headers: sizes, offsets, constants, types."""
import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from multiway import _native as native
from multiway._across import Comm
from multiway._order import NUMBERS

ROOT = Path(__file__).parents[2]
HEADERS = [ROOT / "include/multiway.h", ROOT / "include/multiway_insight.h",
           ROOT / "mpi/multiway_across.h"]
STRUCTS = [*native.STRUCTS, Comm]
ENUMS = {f"MW_{name}": getattr(native, name) for name in
         "I8 U8 I16 U16 I32 U32 I64 U64 F32 F64 F16 BF16 BYTES SORT MERGE SPLIT SELECT "
         "CHECK ZEROS_EQUAL NANS_EQUAL NANS_LAST LEAST_LAST".split()}
ENUMS.update(native.STATUSES)
ENUMS.update({f"MW_ENGINE_{name.upper()}": number
              for name, number in native.ENGINES.items()})
ENUMS["MW_VERSION_MAJOR"], ENUMS["MW_VERSION_MINOR"] = native.VERSION
ENUMS["MW_TYPE_COUNT"] = len(set(NUMBERS.values()))  # each type is some dtype


def facts():
    """Every (C expression, value that Python assumes)."""
    yield from ENUMS.items()
    for struct in STRUCTS:
        name = struct.c_name
        yield f"sizeof({name})", ctypes.sizeof(struct)
        for field, _ in struct._fields_:
            member = getattr(struct, field)
            yield f"offsetof({name}, {field})", member.offset
            yield f"sizeof((({name} *)0)->{field})", member.size


def test_structs_and_constants_are_those_of_the_headers(tmp_path):
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        pytest.skip("no C compiler")
    expected = list(facts())
    lines = [f'printf("%lld\\n", (long long)({fact}));' for fact, _ in expected]
    (tmp_path / "facts.c").write_text(
        "#include <multiway_insight.h>\n#include <multiway_across.h>\n"
        "#include <stdio.h>\nint main(void) {\n"
        + "\n".join(lines) + "\nreturn 0; }\n")
    program = tmp_path / "facts"
    subprocess.run([compiler, *[f"-I{path.parent}" for path in HEADERS], "-o", program,
                    tmp_path / "facts.c"],
                   check=True)
    told = subprocess.run([program], check=True, capture_output=True, text=True)
    assert [(e, int(v)) for (e, _), v in zip(expected, told.stdout.split())] == expected


def test_no_field_is_missing():
    """A field that fits into padding would change no size: count them in the header."""
    text = "".join(path.read_text() for path in HEADERS)
    for struct in STRUCTS:
        body = text.split(f"typedef struct {struct.c_name} {{")[1].split("\n}")[0]
        body = re.sub(r"/\*.*?\*/|\([^()*][^()]*\)", "", body, flags=re.DOTALL)  # arguments
        assert body.count(";") + body.count(",") == len(struct._fields_), struct.c_name
