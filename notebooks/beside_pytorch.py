#!/usr/bin/env python3
"""PyTorch's convolution beside `convlens bench`, each in a process of its own, under one protocol.

For every layer: half of PyTorch's samples, all of convlens's, the other half of PyTorch's, so that a clock that moves moves
for both. A sample is what convlens's ruler takes on a cold L2 (kernels/runtime/ruler.h): the cache overwritten, an event,
the call as a CUDA graph, an event. PyTorch may choose its algorithm by trial (torch.backends.cudnn.benchmark); in NHWC it
is given channels_last tensors.

    python3 notebooks/beside_pytorch.py --convlens build/convlens --suite cv --batch 256 --dtype f16 --layout NHWC \\
        --repeats 11 -o records.jsonl -- --algorithm implicit_gemm.tc --algorithm cudnn.best

Words after `--` go to `convlens bench` as they are. The records are convlens's own, and one of the run `pytorch.conv2d`
a layer with the same environment, problem and layout.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
FORMATS = {"NHWC": torch.channels_last, "NCHW": torch.contiguous_format}
REST_S = 1e-3  # before each sample


class Call:
    """One layer in PyTorch, recorded as a CUDA graph. `problem` is that of a convlens record."""

    def __init__(self, problem, dtype, layout):
        self.problem = problem
        top, bottom, left, right = problem["pad"]
        if top != bottom or left != right:
            raise ValueError(f"pad: {problem['pad']}, PyTorch pads both sides of an axis alike")
        shape_x = (problem["n"], problem["ci"], problem["hi"], problem["wi"])
        shape_w = (problem["co"], problem["ci"] // problem["groups"], problem["hf"], problem["wf"])
        self.x = self._tensor(shape_x, dtype, layout)
        self.w = self._tensor(shape_w, dtype, layout)
        keywords = dict(stride=problem["stride"], padding=(top, left), dilation=problem["dilation"], groups=problem["groups"])
        for _ in range(3):  # the first chooses the algorithm
            self.y = torch.nn.functional.conv2d(self.x, self.w, **keywords)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = torch.nn.functional.conv2d(self.x, self.w, **keywords)

    @staticmethod
    def _tensor(shape, dtype, layout):
        values = torch.rand(shape, device="cuda") * 2 - 1
        return values.to(DTYPES[dtype]).contiguous(memory_format=FORMATS[layout])

    def samples_ms(self, count):
        flush = torch.empty(torch.cuda.get_device_properties(0).L2_cache_size * 5 // 2, dtype=torch.uint8, device="cuda")
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        samples = []
        for _ in range(count):
            time.sleep(REST_S)
            flush.fill_(1)
            start.record()
            self.graph.replay()
            stop.record()
            torch.cuda.synchronize()
            samples.append(start.elapsed_time(stop))
        return samples

    def flops(self):
        p = self.problem
        ho, wo = self.y.shape[2:]
        return 2 * p["n"] * p["co"] * ho * wo * (p["ci"] // p["groups"]) * p["hf"] * p["wf"]

    def bytes(self):
        return {name: t.numel() * t.element_size() for name, t in (("x", self.x), ("w", self.w), ("y", self.y))}


def bench(convlens, words):
    """The records of `convlens bench` with these words."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "records.jsonl")
        subprocess.run([convlens, "bench", *words, "-o", str(path)], check=True, stdout=sys.stderr)
        return [json.loads(line) for line in path.read_text().splitlines()]


def record(like, call, samples):
    """PyTorch's record: the environment and the problem of `like`, and nothing that only convlens knows."""
    median = statistics.median(samples)
    tflops = call.flops() / median / 1e9
    sizes = call.bytes()
    version = torch.backends.cudnn.version()
    libraries = {"PyTorch": torch.__version__, "cuDNN": f"{version // 10000}.{version // 100 % 100}.{version % 100}"}
    return {**like, "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "libraries": libraries, "algorithm": "pytorch.conv2d", "run": "pytorch.conv2d", "options": {},
            "data": {"pattern": "uniform", "seed": 0}, "samples_ms": samples, "median_ms": median, "min_ms": min(samples),
            "tflops": tflops, "tflops_executed": None, "floor_fraction": None, "bytes": sizes, "workspace_bytes": 0,
            "peak_bytes": sum(sizes.values()), "registers": None, "shared_bytes": None, "spill_bytes": None,
            "error_over_bound": None,
            "engine_notes": ["in its own process, half of the samples before convlens's and half after",
                             "workspace unknown", "algorithm chosen by trial"]}


def problem_of(text):
    """The problem that a layer's line of `convlens list layers` writes out, with the names of a record."""
    def sizes(count):
        def parse(word):
            numbers = [int(number) for number in word.split("x")]
            return numbers * count if len(numbers) == 1 else numbers
        return parse

    grammar = argparse.ArgumentParser()
    grammar.add_argument("x", type=sizes(4))
    grammar.add_argument("--filter", type=sizes(3))
    grammar.add_argument("--stride", type=sizes(2), default=[1, 1])
    grammar.add_argument("--dilation", type=sizes(2), default=[1, 1])
    grammar.add_argument("--pad", type=sizes(4), default=[0] * 4)
    grammar.add_argument("--groups", type=int, default=1)
    words = grammar.parse_args(text.split())
    pad = words.pad if len(words.pad) == 4 else [words.pad[0]] * 2 + [words.pad[1]] * 2
    return dict(zip(("n", "ci", "hi", "wi", "co", "hf", "wf"), words.x + words.filter), stride=words.stride, pad=pad,
                dilation=words.dilation, groups=words.groups)


def layers_of(convlens, suite):
    listed = subprocess.run([convlens, "list", "layers", "--json"], check=True, capture_output=True, text=True)
    layers = {layer["layer"]: problem_of(layer["problem"]) for layer in json.loads(listed.stdout)
              if layer["suite"] == suite}
    if not layers:
        raise SystemExit(f"suite: {suite}, must be one that `convlens list layers` names")
    return layers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--convlens", default="build/convlens", help="the program")
    parser.add_argument("--suite", default="cv")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--dtype", choices=DTYPES, default="f16")
    parser.add_argument("--layout", choices=FORMATS, default="NHWC")
    parser.add_argument("--repeats", type=int, default=11, help="samples of convlens, and of each half of PyTorch")
    parser.add_argument("-o", "--output", required=True, help="records as JSON Lines")
    parser.add_argument("words", nargs="*", help="more words for `convlens bench`, after --")
    arguments = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    common = ["--batch", str(arguments.batch), "--dtype", arguments.dtype, "--layout", arguments.layout]
    with open(arguments.output, "w", encoding="utf-8") as output, torch.no_grad():
        for layer, problem in layers_of(arguments.convlens, arguments.suite).items():
            call = Call({**problem, "n": arguments.batch}, arguments.dtype, arguments.layout)
            before = call.samples_ms(arguments.repeats)
            records = bench(arguments.convlens, [layer, *common, "--cold", "--repeats", str(arguments.repeats),
                                                 *arguments.words])
            after = call.samples_ms(arguments.repeats)
            for each in [*records, record(records[0], call, before + after)]:
                output.write(json.dumps(each, separators=(",", ":")) + "\n")
            output.flush()  # a run that is cut keeps its whole layers
            del call
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
