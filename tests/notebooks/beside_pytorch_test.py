#!/usr/bin/env python3
"""notebooks/beside_pytorch.py without PyTorch and without a GPU: rows of the CPU are measured in rounds by a worker, a
row that refuses is left out, and what is joined is a record that `convlens paper` and the viewer would read.

    beside_pytorch_test.py CONVLENS FOLDER_OF_NOTEBOOKS
"""

import statistics
import sys
import types

sys.modules["torch"] = types.SimpleNamespace(float32=1, float16=2, bfloat16=3, channels_last=1, contiguous_format=2)
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


def main():
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
