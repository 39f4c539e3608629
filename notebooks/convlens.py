"""What the command `convlens` knows, for Python: the command is run, and what it writes is read.

    import convlens
    state = convlens.read_state("cv9.json")     # of the viewer: File > Save state, or `convlens view ... --save cv9.json`
    state.layer, state.problem["ci"], state.dtype, state.layout["x"], state.runs
    convlens.explain(state, "im2win.ref")["options"]
    convlens.bench(state, "--repeats", "5")     # records, as algorithms/measure/record.schema.json has them
    convlens.picture(state, "--panel", "memory")

What is wrong is the command's own line, as `convlens.Error`. Needs nothing but Python's own library. The program is the
one that CONVLENS names, or `convlens` of the PATH, or the build beside this folder.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile


class Error(Exception):
    """One line that says what is wrong; `exit` is the command's exit code (README.md)."""

    def __init__(self, line, exit):
        super().__init__(line)
        self.exit = exit


def program():
    """The path of the command. Raises Error where there is none."""
    beside = pathlib.Path(__file__).resolve().parent.parent / "build" / "convlens"
    found = os.environ.get("CONVLENS") or shutil.which("convlens") or shutil.which(str(beside))
    if not found:
        raise Error(f"convlens: not on the PATH, and not at {beside}; CONVLENS may name it", 2)
    return found


def run(*words):
    """What `convlens WORDS` prints. Raises Error with the last line that it says, unless it exits with 0."""
    done = subprocess.run([program(), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Error(lines[-1].removeprefix("convlens: ") if lines else f"ended with {done.returncode}", done.returncode)
    return done.stdout


@dataclasses.dataclass(frozen=True)
class State:
    """A state of the viewer. Commands that are given it read its file again."""

    file: str
    layer: str  # its name, or "" where the sizes are one's own
    problem: dict  # n, ci, hi, wi, co, hf, wf, stride_h, stride_w, pad_top, ..., groups, bias
    dtype: str  # f32, f16, bf16, f64
    layout: dict  # x, w, y
    runs: list  # rows with their options: "im2col.ref:batching=full"
    fields: dict  # all that the file has, the fields of the panels included


def read_state(file):
    """The state in `file`, read by the program, so that fields left out are there, with their first values."""
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder, "state.json")
        run("view", "--state", file, "--save", whole)
        fields = json.loads(whole.read_text(encoding="utf-8"))
    return State(str(file), fields["layer"], fields["problem"], fields["dtype"], fields["layout"], fields["runs"], fields)


def explain(state, name):
    """What the run of this name does to the state's layer: its options with their values, stages, bytes, FLOPs."""
    return json.loads(run("explain", "--state", state.file, "--algorithm", name, "--json"))


def bench(state, *words):
    """The records of the state's runs on its layer; `words` are more of `convlens bench`."""
    return [json.loads(line) for line in run("bench", "--state", state.file, *words, "--json").splitlines()]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A PNG, which a notebook shows."""

    png: bytes = dataclasses.field(repr=False)

    def _repr_png_(self):
        return self.png


def picture(state, *words):
    """What the viewer shows of the state, drawn without a display; `words` are more of `convlens view`."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "picture.png")
        run("view", "--state", state.file, *words, "--screenshot", file)
        return Picture(file.read_bytes())
