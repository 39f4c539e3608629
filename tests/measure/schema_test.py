"""Result records against their schema, and against themselves.

usage: schema_test.py SCHEMA WRITTEN [FOLDER...]

WRITTEN is a file of records (JSON Lines) that must be there and hold some; every *.jsonl under the FOLDERs is read too.
Each record must be strict JSON, fit the schema, and be consistent: its medians, sums and TFLOPS are computed again.
Last, records are spoilt one by one, and each must be refused. Exit codes: 0 all well, 1 not, 77 no jsonschema here.
"""

import copy
import json
import math
import pathlib
import statistics
import sys

try:
    import jsonschema
except ImportError:
    print("SKIP: python3 has no jsonschema (Debian: package python3-jsonschema)")
    sys.exit(77)


def strict(text):
    """JSON as its standard has it: no NaN or Infinity, no key twice."""

    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError(f"a key is given twice among {keys}")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def flops(p):
    """2·N·C_o·H_o·W_o·C_i/groups·H_f·W_f, with the sizes of the problem alone."""

    def outputs(size, before, after, taps, dilation, stride):
        return (size + before + after - dilation * (taps - 1) - 1) // stride + 1

    rows = outputs(p["hi"], p["pad"][0], p["pad"][1], p["hf"], p["dilation"][0], p["stride"][0])
    columns = outputs(p["wi"], p["pad"][2], p["pad"][3], p["wf"], p["dilation"][1], p["stride"][1])
    return 2 * p["n"] * p["co"] * rows * columns * p["ci"] // p["groups"] * p["hf"] * p["wf"]


def inconsistencies(r):
    """What a record says that other fields of it contradict."""
    samples = r["samples_ms"]
    median = statistics.median(samples) if samples else None
    work = flops(r["problem"])
    expected = {
        "median_ms": median,
        "min_ms": min(samples) if samples else None,
        "tflops": work / median * 1e-9 if work and median else None,
    }
    if r["peak_source"] == "ledger":
        expected["peak_bytes"] = sum(r["bytes"].values())
        tensors = sum(r["bytes"].get(name, 0) for name in ("x", "w", "bias", "y"))
        expected["workspace_bytes"] = sum(r["bytes"].values()) - tensors
    for field, value in expected.items():
        if None in (value, r[field]):
            same = value is r[field]
        else:
            same = math.isclose(r[field], value, rel_tol=1e-12)
        if not same:
            yield f"{field} is {r[field]}, must be {value}"
    changed = r["run"].partition(":")[2]
    for option in filter(None, changed.split(",")):
        name, _, value = option.partition("=")
        if r["options"].get(name) != value:
            yield f"run has {option}, options has {name}={r['options'].get(name)}"
    if r["run"].partition(":")[0] != r["algorithm"]:
        yield f"run is {r['run']}, of another algorithm than {r['algorithm']}"


def validator_of(schema_path):
    """The schema in a file, which must be one itself."""
    schema = json.loads(pathlib.Path(schema_path).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def faults(validator, line, inconsistencies=inconsistencies):
    """Everything that is wrong with one line of a file: as JSON, by the schema, and then with itself."""
    try:
        record = strict(line)
    except ValueError as error:
        return [str(error)]
    wrong = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(record)]
    return wrong or list(inconsistencies(record))


def change_of(record):
    """A function that gives the line of the record after a change, and leaves the record as it is."""

    def changed(change):
        copied = copy.deepcopy(record)
        change(copied)
        return json.dumps(copied)

    return changed


def spoilt(record):
    """Pairs of a change in words and the line of the record so changed."""
    changed = change_of(record)
    yield "a field is missing", changed(lambda r: r.pop("tflops"))
    yield "a field is too many", changed(lambda r: r.update(gflops=1.0))
    yield "a size is a text", changed(lambda r: r["problem"].update(n="1"))
    yield "a stride is 0", changed(lambda r: r["problem"].update(stride=[0, 1]))
    yield "a type is unknown", changed(lambda r: r.update(dtype="f8"))
    yield "the time is local", changed(lambda r: r.update(time="2026-01-02T03:04:05+01:00"))
    yield "a run on the CPU has a GPU", changed(lambda r: r.update(gpu="a GPU"))
    yield "the median is another", changed(lambda r: r.update(median_ms=1e9))
    yield "bytes are forgotten", changed(lambda r: r["bytes"].update(forgotten=1))
    yield "the run is another row's", changed(lambda r: r.update(run="another.ref"))
    yield "a number is NaN", changed(lambda r: r.update(tflops=math.nan))
    yield "a number is infinite", changed(lambda r: r.update(tflops=math.inf))
    yield "a decimal comma", json.dumps(record).replace('"l2"', '"floor_fraction": 0,5, "l2"')
    yield "a key is given twice", json.dumps(record)[:-1] + ', "unit": "cpu"}'


def main(schema_path, written, *folders):
    validator = validator_of(schema_path)

    files = [pathlib.Path(written)]
    for folder in folders:
        files += sorted(pathlib.Path(folder).rglob("*.jsonl"))
    failed = 0
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        if not lines:
            print(f"{file}: holds no record")
            failed += 1
        for number, line in enumerate(lines, 1):
            for fault in faults(validator, line):
                print(f"{file}:{number}: {fault}")
                failed += 1
        print(f"{file}: {len(lines)} records read")

    example = strict(files[0].read_text(encoding="utf-8").splitlines()[0])
    for change, line in spoilt(example):
        if not faults(validator, line):
            print(f"not refused: {change}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
