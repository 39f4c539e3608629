"""Traces against their schema, and against themselves.

usage: trace_schema_test.py SCHEMA FOLDER

Every *.trace under the FOLDER is read; there must be one. Each line must be strict JSON, fit the schema and be
consistent. Last, a trace is spoilt in one way after another, and each must be refused. Exit codes: 0 all well, 1 not,
77 no jsonschema here.
"""

import json
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "measure"))
from schema_test import change_of, faults, strict, validator_of  # noqa: E402: ends with 77 where there is no jsonschema


def inconsistencies(t):
    """What a trace says that other fields of it contradict."""
    blocks = math.prod(t["grid"])
    for field in ("sm", "begin_ns", "end_ns"):
        if len(t[field]) != blocks:
            yield f"{field} has {len(t[field])} blocks, must have the grid's {blocks}"
    if max(t["sm"], default=0) >= t["multiprocessors"]:
        yield f"sm has {max(t['sm'])}, must be below {t['multiprocessors']}"
    if any(end < begin for begin, end in zip(t["begin_ns"], t["end_ns"])):
        yield "a block ends before it begins"
    if min(t["begin_ns"], default=0) != 0:
        yield "no block begins at 0"


def spoilt(trace):
    """Pairs of a change in words and the line of the trace so changed."""
    changed = change_of(trace)
    yield "a field is missing", changed(lambda t: t.pop("kernel"))
    yield "a field is too many", changed(lambda t: t.update(colour="blue"))
    yield "another version", changed(lambda t: t.update(trace=2))
    yield "a layout is unknown", changed(lambda t: t["layout"].update(x="NWHC"))
    yield "a grid is flat", changed(lambda t: t.update(grid=t["grid"][:2]))
    yield "a grid is empty", changed(lambda t: t.update(grid=[0, 1, 1]))
    yield "a block is forgotten", changed(lambda t: t["sm"].pop())
    yield "a block is on no multiprocessor", changed(lambda t: t["sm"].__setitem__(0, t["multiprocessors"]))
    yield "a time is a fraction", changed(lambda t: t["end_ns"].__setitem__(0, 0.5))
    yield "a block ends before it begins", changed(lambda t: t["begin_ns"].__setitem__(0, t["end_ns"][0] + 1))
    yield "no block is the first", changed(lambda t: t.update(begin_ns=t["end_ns"]))
    yield "a key is given twice", json.dumps(trace)[:-1] + ', "dtype": "f32"}'


def main(schema_path, folder):
    validator = validator_of(schema_path)

    lines = []
    failed = 0
    for file in sorted(pathlib.Path(folder).rglob("*.trace")):
        of_file = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(of_file, 1):
            for fault in faults(validator, line, inconsistencies):
                print(f"{file}:{number}: {fault}")
                failed += 1
        print(f"{file}: {len(of_file)} traces read")
        lines += of_file
    if not lines:
        print(f"{folder}: holds no trace")
        return 1
    for change, line in spoilt(strict(lines[0])):
        if not faults(validator, line, inconsistencies):
            print(f"not refused: {change}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
