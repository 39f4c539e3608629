#!/usr/bin/env python3
"""Fits rows.model to measurements: e and s of each of its lines, by the formula of choose.h.

    t = max(F / (e·P), B / M) + T / (s·M)

Reads what `convlens choose --measure --json` wrote, in which each candidate has its measured time and the three times of
the model with the e and s of the present rows.model; times e and s they are F/P and T/M. Prints the lines anew, with the
e and s of a grid that have the least mean |log(model / measured)|, that mean, and how many measurements it is of. A line
without measurements is printed as it is.

    convlens choose --suite cv --suite mobilenetv2 --layout NCHW --layout NHWC --measure --json > measured.jsonl
    fit_rows_model.py rows.model measured.jsonl
"""

import json
import math
import sys

LEAST_MEASUREMENTS = 3
GRID = [round(10 ** (k / 40), 2 if k > -40 else 4) for k in range(-120, 45)]  # 6 % from value to value


def read_model(path):
    """The lines of rows.model as (run, layout, layers, e, s)."""
    rows = []
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        if words:
            rows.append((*words[:3], float(words[3]), float(words[4])))
    return rows


def line_of(rows, run, layout, depthwise):
    """The index of the first line that holds for a measurement, as the program takes it."""
    for k, (name, x, layers, _, _) in enumerate(rows):
        if name == run and x in ("any", layout) and layers in ("any", "depthwise" if depthwise else "dense"):
            return k
    return None


def read_measurements(rows, paths):
    """For each line the list of (F/P, B/M, T/M, measured), all in ms."""
    found = [[] for _ in rows]
    for path in paths:
        for text in open(path, encoding="utf-8"):
            ranking = json.loads(text)
            for candidate in ranking["candidates"]:
                model, measured = candidate["model"], candidate["measured_ms"]
                if model is None or measured is None:
                    continue
                k = line_of(rows, candidate["run"], ranking["layouts"].split(",")[0], ranking["depthwise"])
                _, _, _, e, s = rows[k]
                found[k].append((model["arithmetic_ms"] * e, model["memory_ms"], model["transform_ms"] * s, measured))
    return found


def error(measurements, e, s):
    """The mean |log(model / measured)|."""
    return sum(abs(math.log((max(f / e, b) + t / s) / ms)) for f, b, t, ms in measurements) / len(measurements)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rows = read_model(sys.argv[1])
    for row, measurements in zip(rows, read_measurements(rows, sys.argv[2:])):
        run, layout, layers, e, s = row
        note = "as it was"
        if len(measurements) >= LEAST_MEASUREMENTS:
            _, e, s = min((error(measurements, e, s), e, s) for e in GRID for s in GRID)
            note = f"{error(measurements, e, s):.2f} of {len(measurements)}"
        print(f"{run:<32}{layout:<6}{layers:<11}{e:<8g}{s:<6g}  # {note}")


if __name__ == "__main__":
    main()
