#!/usr/bin/env python3
"""notebooks/beside_pytorch.py without PyTorch and without a GPU: rows of the CPU are measured in rounds by a worker, a
row that refuses is left out, and what is joined is a record that `convlens paper` and the viewer would read. Help is
shown and arguments are refused there too, and what is not is one line that says what is missing.

    beside_pytorch_test.py CONVLENS FOLDER_OF_NOTEBOOKS
"""

import os
import statistics
import subprocess
import sys
import tempfile
import types

sys.modules["torch"] = None  # as if it were not installed, wherever it is
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
import beside_pytorch  # noqa: E402


class Call:
    """PyTorch's, whose every sample takes a quarter of a millisecond."""

    def __init__(self):
        self.asked = 0

    def samples_ms(self, count):
        self.asked += 1
        return [0.25] * count


WITHOUT_TORCH = """
import runpy, sys
sys.modules["torch"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def call_without_torch(*words):
    """The program's exit code, and what it says on stdout and stderr."""
    script = os.path.join(sys.argv[2], "beside_pytorch.py")
    done = subprocess.run([sys.executable, "-B", "-c", WITHOUT_TORCH, script, *words], capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def check_command_line(convlens, folder):
    code, out, _ = call_without_torch("--help")
    assert code == 0 and "--rounds" in out, out
    output = os.path.join(folder, "records.jsonl")
    good = ["--convlens", convlens, "--suite", "cv", "-o", output, "--algorithm", "im2win.tc:paper"]
    for words, code, says in (
            (good[:-2], 2, "--algorithm"), ([*good, "--rounds", "0"], 2, "--rounds: 0, must be a whole number >= 1"),
            ([*good, "--repeats", "few"], 2, "--repeats: few, must be a whole number >= 1"),
            ([*good, "--dtype", "f64"], 2, "--dtype"), ([*good, "--layout", "CHWN"], 2, "--layout")):
        assert (refused := call_without_torch(*words))[:2] == (code, ""), refused
        assert says in refused[2].splitlines()[-1], refused
    for words, says in (([*good, "--algorithm", "im2win.tx"], "did you mean"),
                        ([*good, "--suite", "vc"], "suite: vc, must be one that"),
                        ([*good, "--convlens", folder + "/none"], "--convlens: " + folder + "/none, cannot be run"),
                        (good, "torch: not installed, must be there")):
        assert (refused := call_without_torch(*words))[:2] == (1, ""), refused
        assert says in refused[2] and len(refused[2].splitlines()) == 1, refused
    assert os.listdir(folder) == []


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_command_line(sys.argv[1], folder)
    beside_pytorch.refuse_misspelt(sys.argv[1], ["im2win.cpu", "im2win.tc:paper,zigzag=off", "direct.cpu:simd=off"])
    for run in ("im2win.cp", "im2win.tc:zigzac=off"):
        try:
            beside_pytorch.refuse_misspelt(sys.argv[1], ["im2win.cpu", run])
        except SystemExit as refusal:
            assert "did you mean" in str(refusal), refusal
        else:
            raise AssertionError(f"{run} is taken for a run")
    worker, call = beside_pytorch.Worker(sys.argv[1]), Call()
    arguments = types.SimpleNamespace(rounds=3, repeats=4, algorithm=["im2win.cpu", "im2win.tc", "direct.cpu:simd=off"])
    job = {"layer": "", "problem": "2x8x9x9 --filter 8x3x3", "dtype": "f32", "timed": "call", "l2": "warm", "seed": 1,
           "layout": {"x": "NHWC", "w": "OHWI", "y": "NHWC"}, "repeats": 4, "seconds": 0, "endless": False,
           "traced": False}
    records, samples = beside_pytorch.rounds_of(worker, call, job, arguments)
    assert call.asked == 3 and len(samples) == 12
    assert [record["run"] for record in records] == ["im2win.cpu", "direct.cpu:simd=off"]
    flops = 2 * 2 * 8 * 8 * 9 * 7 * 7
    for record in records:
        assert len(record["samples_ms"]) >= 12  # a worker may take more than it is asked for
        assert record["median_ms"] == statistics.median(record["samples_ms"])
        assert record["min_ms"] == min(record["samples_ms"])
        assert abs(record["tflops"] * record["median_ms"] * 1e9 / flops - 1) < 1e-9
    worker.process.stdin.close()
    assert worker.process.wait(60) == 0


if __name__ == "__main__":
    main()
