"""The declarations of the package against the header."""

import ctypes
import re
import shutil
import subprocess
import sys

import pytest
import varve
from varve import _capture, _errors, _native, _trace

from conftest import ROOT

HEADER = "".join((ROOT / "include" / part).read_text() for part in re.findall(r"#include <(varve/\w+\.h)>", (ROOT / "include/varve/varve.h").read_text()))


def structs():
    return [value for value in vars(_native).values() if isinstance(value, type) and issubclass(value, ctypes.Structure) and value.__name__.startswith("Varve")]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs cc")
def test_structs_have_the_layout_of_the_header(tmp_path):
    lines = ["#include <varve/varve.h>"]
    for struct in structs():
        name = struct.__name__
        lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "{name}");')
        for field in struct._fields_:
            place = getattr(struct, field[0])
            lines.append(f'_Static_assert(offsetof({name}, {field[0]}) == {place.offset}, "{name}.{field[0]}");')
            lines.append(f'_Static_assert(sizeof((({name} *)0)->{field[0]}) == {place.size}, "size of {name}.{field[0]}");')
    source = tmp_path / "layout.c"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["cc", "-std=c11", "-fsyntax-only", f"-I{ROOT / 'include'}", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(structs()) == 37


def test_functions_have_as_many_parameters_as_in_the_header():
    for name, (_, arguments) in _native.FUNCTIONS.items():
        declared = re.search(rf"\bvarve_{name}\(([^)]*)\);", HEADER)
        assert declared is not None, name
        count = 0 if declared[1] == "void" else declared[1].count(",") + 1
        assert count == len(arguments), name


def values_of(enum):
    """The enumerators of an enum of the header, without comments."""
    body = re.sub(r"/\*.*?\*/", "", re.search(rf"typedef enum {enum} {{(.*?)}}", HEADER, re.DOTALL)[1], flags=re.DOTALL)
    return [part.strip() for part in body.split(",") if part.strip()]


def test_choices_have_the_order_of_the_header():
    assert [f"VARVE_ERROR_{code.name}" for code in _errors.ErrorCode] == values_of("VarveCode")[1:]
    assert [f"VARVE_{kind.upper()}" for kind in _trace.EVENT_KINDS] == values_of("VarveEventKind")
    assert [f"VARVE_{verdict.upper()}" for verdict in _trace.VERDICTS] == values_of("VarveVerdict")
    assert [f"VARVE_MEASURE_{measure.upper()}" for measure in _trace.MEASURES] == values_of("VarveMeasure")
    assert [f"VARVE_{kind.upper()}" for kind in _trace.TYPES] == values_of("VarveType")
    assert values_of("VarveGroup") == [f"VARVE_BY_{group.upper()}" for group in _trace.GROUPS]
    assert [f"VARVE_FLAME_{weight.upper()}" for weight in _trace.FLAME_WEIGHTS] == values_of("VarveFlameWeight")
    assert [f"VARVE_FLAME_{source.upper()}" for source in _trace.FLAME_SOURCES] == values_of("VarveFlameSource")
    assert values_of("VarveFlameKind")[:3] == ["VARVE_FLAME_SVG", "VARVE_FLAME_HTML", "VARVE_FLAME_PNG"]
    assert values_of("VarveHistogram") == ["VARVE_HISTOGRAM_NONE", "VARVE_HISTOGRAM_LOG", "VARVE_HISTOGRAM_LINEAR"]
    assert values_of("VarvePictureKind") == ["VARVE_PNG", "VARVE_SVG", "VARVE_PDF"]
    assert values_of("VarveOutputKind") == [f"VARVE_OF_{kind.upper()}" for kind in _trace.OUTPUT_KINDS]
    assert [_native.library.go_report_name(i).decode() for i in range(len(values_of("VarveGoReport")))] == list(_trace.GO_REPORTS)
    assert values_of("VarveGoRules") == ["VARVE_GO_RULES_EXACT", "VARVE_GO_RULES_OF_GO"]
    assert values_of("VarveGoProcessors") == ["VARVE_GO_PROCESSORS_MEAN", "VARVE_GO_PROCESSORS_WORST"]
    assert values_of("VarveGoForm")[_trace.GO_JSON] == "VARVE_GO_JSON" and values_of("VarveGoForm")[_trace.GO_PPROF] == "VARVE_GO_PPROF"
    assert len(values_of("VarveFamily")) == len(_capture.FAMILIES)
    assert values_of("VarveContainer") == [f"VARVE_CONTAINER_{name.upper()}" for name in _capture.CONTAINERS]
    assert [_native.library.container_name(i).decode() for i in range(len(_capture.CONTAINERS))] == list(_capture.CONTAINERS)
    assert values_of("VarveAxis") == ["VARVE_AXIS_EVENTS", "VARVE_AXIS_CALLS"]
    assert values_of("VarveAddressUse") == ["VARVE_ADDRESSES_COMPARED", "VARVE_ADDRESSES_EQUAL"]
    assert values_of("VarveCallChoice") == ["VARVE_CALLS_OF_INTEREST", "VARVE_CALLS_ALL"]
    assert values_of("VarveCellKind")[:5] == [f"VARVE_CELL_{kind}" for kind in ("NULL", "BOOL", "INTEGER", "UNSIGNED", "REAL")]


def test_the_wheel_has_every_file():
    listed = set(re.findall(r"'varve/([^']+)'", (ROOT / "python/meson.build").read_text()))
    assert listed == {path.name for path in (ROOT / "python/varve").iterdir() if path.is_file()}


def test_versions_agree():
    assert varve.__version__ == re.search(r'VARVE_VERSION "(.*)"', HEADER)[1]
    assert varve.__version__.startswith(_native.WHOLE_VERSION + ".")


def test_types_are_complete():
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir=/dev/null"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
