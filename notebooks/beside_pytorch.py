#!/usr/bin/env python3
"""PyTorch's convolution beside rows of convlens, each in a process of its own, under one protocol.

For every layer, in several rounds: samples of PyTorch, then at least as many of each run by one `convlens worker`, so
that a clock that moves moves for all, and nobody's samples lie together in time. A sample is what convlens's ruler takes
on a cold L2 (kernels/runtime/ruler.h): the cache overwritten, by Python several times (FLUSHES), an event, the call as a
CUDA graph, an event. PyTorch may choose its algorithm by trial (torch.backends.cudnn.benchmark); in NHWC it is given
channels_last tensors.

    python3 notebooks/beside_pytorch.py --convlens build/convlens --suite cv --batch 256 --dtype f16 --layout NHWC \\
        --rounds 4 --repeats 40 -o records.jsonl -- --algorithm implicit_gemm.tc --algorithm cudnn.best

The records are convlens's own, each of all rounds, and one of the run `pytorch.conv2d` a layer with the same
environment, problem and layout. They are written to OUTPUT.part, which takes OUTPUT's place at the end: a run that fails
loses neither what was recorded before nor the layers that it has measured.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import time

try:
    import torch
except ModuleNotFoundError as missing:  # arguments are parsed, and refused, without it
    if missing.name != "torch":
        raise  # one that is there, and lacks something itself
    torch = None

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}  # torch's names
FORMATS = {"NHWC": "channels_last", "NCHW": "contiguous_format"}
REST_S = 1e-3  # before each sample
SEED = 0  # of PyTorch's own random numbers, whatever layers came before
FLUSHES = 8  # of the cache: the GPU is then busy for the third of a millisecond that Python takes to queue a sample


class Call:
    """One layer in PyTorch, recorded as a CUDA graph. `problem` is that of a convlens record."""

    def __init__(self, problem, dtype, layout):
        self.problem = problem
        top, bottom, left, right = problem["pad"]
        if top != bottom or left != right:
            raise ValueError(f"pad: {problem['pad']}, PyTorch pads both sides of an axis alike")
        shape_x = (problem["n"], problem["ci"], problem["hi"], problem["wi"])
        shape_w = (problem["co"], problem["ci"] // problem["groups"], problem["hf"], problem["wf"])
        torch.manual_seed(SEED)
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
        return values.to(getattr(torch, DTYPES[dtype])).contiguous(memory_format=getattr(torch, FORMATS[layout]))

    def samples_ms(self, count):
        flush = torch.empty(torch.cuda.get_device_properties(0).L2_cache_size * 5 // 2, dtype=torch.uint8, device="cuda")
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        samples = []
        for _ in range(count):
            time.sleep(REST_S)
            for _ in range(FLUSHES):
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


class Worker:
    """`convlens worker`, which is asked for one measurement at a time (algorithms/worker/protocol.h)."""

    PROTOCOL = 2

    def __init__(self, convlens):
        self.process = subprocess.Popen([convlens, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.asked = 0
        hello = json.loads(self.process.stdout.readline() or "{}")
        if hello.get("protocol") != self.PROTOCOL:
            raise SystemExit(f"convlens worker: speaks protocol {hello.get('protocol')}, must be {self.PROTOCOL}")

    def record(self, job):
        """The record of a job, or None where the row refuses it, which is said on stderr."""
        self.asked += 1
        print(json.dumps({"is": "measure", "id": self.asked, **job}), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer["is"] == "not understood":
                raise SystemExit(f"convlens worker: {answer['why']}")
            if answer["is"] == "refused":
                print(f"{job['layer']}, {job['run']}: {answer['why']}", file=sys.stderr)
                return None
            if answer["is"] == "done":
                return answer["record"]
        raise SystemExit("convlens worker: has ended")


def joined(rounds):
    """One record of a run with the samples of all its rounds; rates follow their median."""
    samples = [ms for each in rounds for ms in each["samples_ms"]]
    last, median = rounds[-1], statistics.median(samples)
    rates = {name: last[name] and last[name] * last["median_ms"] / median
             for name in ("tflops", "tflops_executed", "floor_fraction")}
    note = f"in {len(rounds)} rounds, each after samples of PyTorch in a process of its own"
    return {**last, **rates, "samples_ms": samples, "median_ms": median, "min_ms": min(samples),
            "engine_notes": [*last["engine_notes"], note]}


def pytorch_record(like, call, samples, rounds):
    """PyTorch's record: the environment and the problem of `like`, and nothing that only convlens knows."""
    median = statistics.median(samples)
    tflops = call.flops() / median / 1e9
    sizes = call.bytes()
    version = torch.backends.cudnn.version()
    libraries = {"PyTorch": torch.__version__, "cuDNN": f"{version // 10000}.{version // 100 % 100}.{version % 100}"}
    return {**like, "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "libraries": libraries, "algorithm": "pytorch.conv2d", "run": "pytorch.conv2d", "options": {},
            "data": {"pattern": "uniform", "seed": SEED},
            "samples_ms": samples, "median_ms": median, "min_ms": min(samples),
            "tflops": tflops, "tflops_executed": None, "floor_fraction": None, "bytes": sizes, "workspace_bytes": 0,
            "peak_bytes": sum(sizes.values()), "registers": None, "shared_bytes": None, "spill_bytes": None,
            "error_over_bound": None,
            "engine_notes": [f"in its own process, in {rounds} rounds, each before samples of convlens's rows",
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
    """The layers of a suite as they are written out, "1x64x56x56 --filter 64x3x3", by name."""
    listed = subprocess.run([convlens, "list", "layers", "--json"], check=True, capture_output=True, text=True)
    layers = {layer["layer"]: layer["problem"] for layer in json.loads(listed.stdout) if layer["suite"] == suite}
    if not layers:
        raise SystemExit(f"suite: {suite}, must be one that `convlens list layers` names")
    return layers


def refuse_misspelt(convlens, runs):
    """Ends with the program's own sentence where there is no such run; one that only refuses a layer is none of these."""
    for run in runs:
        asked = subprocess.run([convlens, "explain", "1x16x8x8", "--filter", "16x3x3", "--algorithm", run],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if asked.returncode == 2:
            raise SystemExit(asked.stderr.strip())


def rounds_of(worker, call, job, arguments):
    """Every run's record, but for those that refuse the layer, and PyTorch's samples."""
    records, samples = {run: [] for run in arguments.algorithm}, []
    for _ in range(arguments.rounds):
        samples += call.samples_ms(arguments.repeats)
        for run in list(records):
            if (each := worker.record({**job, "run": run})) is not None:
                records[run].append(each)
            else:
                del records[run]
    return [joined(each) for each in records.values()], samples


def at_least_one(text):
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}, must be a whole number >= 1")
    return number


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--convlens", default="build/convlens", help="the program")
    parser.add_argument("--suite", default="cv")
    parser.add_argument("--batch", type=at_least_one, default=256)
    parser.add_argument("--dtype", choices=DTYPES, default="f16")
    parser.add_argument("--layout", choices=FORMATS, default="NHWC")
    parser.add_argument("--rounds", type=at_least_one, default=4)
    parser.add_argument("--repeats", type=at_least_one, default=40,
                        help="samples of PyTorch in a round, and at least as many of each run")
    parser.add_argument("-o", "--output", required=True, help="records as JSON Lines")
    parser.add_argument("--algorithm", action="append", required=True, metavar="RUN", help="a row, as im2win.tc:paper")
    return parser.parse_args([word for word in sys.argv[1:] if word != "--"])


def main():
    arguments = parsed_arguments()
    try:
        refuse_misspelt(arguments.convlens, arguments.algorithm)
        layers, layout = layers_of(arguments.convlens, arguments.suite), arguments.layout
    except OSError as wrong:
        raise SystemExit(f"--convlens: {arguments.convlens}, cannot be run: {wrong.strerror}") from None
    if torch is None:
        raise SystemExit("torch: not installed, must be there for PyTorch to be measured")
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    worker = Worker(arguments.convlens)
    part = arguments.output + ".part"
    with open(part, "w", encoding="utf-8") as output, torch.no_grad():
        for layer, text in layers.items():
            call = Call({**problem_of(text), "n": arguments.batch}, arguments.dtype, layout)
            job = {"layer": layer, "problem": f"{arguments.batch}x{text.split('x', 1)[1]}", "dtype": arguments.dtype,
                   "layout": {"x": layout, "w": "OHWI" if layout == "NHWC" else "OIHW", "y": layout}, "timed": "call",
                   "l2": "cold", "seed": 1, "repeats": arguments.repeats, "seconds": 0, "endless": False,
                   "traced": False}
            records, samples = rounds_of(worker, call, job, arguments)
            if not records:
                raise SystemExit(f"{layer}: every run refuses it, there is nothing to lay beside PyTorch")
            for each in [*records, pytorch_record(records[0], call, samples, arguments.rounds)]:
                output.write(json.dumps(each, separators=(",", ":")) + "\n")
            output.flush()  # a run that is cut keeps its whole layers
            del call
            torch.cuda.empty_cache()
    os.replace(part, arguments.output)


if __name__ == "__main__":
    main()
