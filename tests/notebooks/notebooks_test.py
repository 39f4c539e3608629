"""Runs the code of every notebook as it stands, with Python's own library alone, and looks at what is kept in its file.

Usage: notebooks_test.py PROGRAM NOTEBOOKS. Exits with 77 where the program has no viewer to draw a notebook's pictures.
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

PROGRAM, NOTEBOOKS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
os.environ["CONVLENS"] = str(PROGRAM)
sys.dont_write_bytecode = True
sys.path.insert(0, str(NOTEBOOKS))
import convlens  # noqa: E402


def fails(call, line, exit):
    """Whether the call raises an Error with that beginning and exit code."""
    try:
        call()
    except convlens.Error as error:
        return str(error).startswith(line) and error.exit == exit
    return False


def test_states():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "s.json")
        convlens.run("view", "2x4x9x8 --filter 6x3x2", "--algorithm", "im2col.ref:batching=full", "--dtype", "f16", "--save", file)
        state = convlens.read_state(file)
        assert (state.layer, state.dtype, state.runs) == ("", "f16", ["im2col.ref:batching=full"]), state
        assert (state.problem["wf"], state.problem["stride_h"], state.layout["w"]) == (2, 1, "OIHW"), state
        assert convlens.explain(state, state.runs[0])["options"]["batching"] == "full"
        records = convlens.bench(state, "--repeats", 1, "--batch", 3)
        assert [(r["run"], r["problem"]["n"], r["dtype"]) for r in records] == [(state.runs[0], 3, "f16")], records
        file.write_text('{"convlens_state": 1, "seed": 5}')  # what is left out has its first value
        assert convlens.read_state(file).layer == "cv9" and convlens.read_state(file).fields["seed"] == 5
        file.write_text('{"convlens_state": 1, "dtype": "f23"}')
        assert fails(lambda: convlens.read_state(file), 'state: dtype: "f23", must be f32, f16, bf16 or f64', 2)
        assert fails(lambda: convlens.read_state("none.json"), "state: none.json, cannot be read", 2)


def check_kept(name, cells):
    """Every cell has been run, from the first to the last, and none has failed."""
    counts = [cell["execution_count"] for cell in cells]
    assert counts == list(range(1, len(cells) + 1)), f"{name}: its cells were run as {counts}"
    kinds = {output["output_type"] for cell in cells for output in cell["outputs"]}
    assert kinds <= {"stream", "execute_result", "display_data"}, f"{name}: has {kinds}"


def main():
    test_states()
    try:
        with tempfile.TemporaryDirectory() as folder:
            convlens.run("view", "--panel", "memory", "--screenshot", pathlib.Path(folder, "out.png"))
    except convlens.Error as error:
        if error.exit != 3:
            raise
        print("SKIP:", error)
        sys.exit(77)
    for path in sorted(NOTEBOOKS.glob("**/*.ipynb")):
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        check_kept(path.name, cells)
        names, out = {}, io.StringIO()
        with contextlib.redirect_stdout(out):
            for cell in cells:
                exec("".join(cell["source"]), names)
        kept = "".join("".join(output.get("text", "")) for cell in cells for output in cell["outputs"])
        assert out.getvalue().count("\n") == kept.count("\n"), f"{path.name}: prints\n{out.getvalue()}but keeps\n{kept}"


if __name__ == "__main__":
    main()
