"""The cases in PyTorch. Reads names of cases, one a line, and answers each with a line of JSON: nanoseconds, threads and a check.

    python3 rival_pytorch.py [--cases cases.json] [--threads N] [--seconds S] < names

run.py calls it. A kind here computes what the kind of that name in the C++ files computes, from the same inputs, so the checks agree.
Where PyTorch can write into a given output it does; the AdamW steps are the fused ones.
"""
import argparse
import json
import math
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
import torch
import torch.nn as nn
import torch.nn.functional as F

KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def pattern(shape, seed):
    """The numbers of pattern_values in harness.cpp."""
    count = math.prod(shape)
    phase = torch.arange(seed, count + seed, dtype=torch.int64).mul_(37).remainder_(97)
    return phase.float().div_(97).sub_(0.25).reshape(shape)


def tracked(shape, seed):
    return pattern(shape, seed).requires_grad_()


# Each kind returns the function to time, and how many of the things that are counted one call does.


@kind
def add(case):
    x, y = pattern(case["shape"], 0), pattern(case["shape"], 1)
    out = torch.empty_like(x)
    return lambda: torch.add(x, y, out=out), 1


@kind
def chain(case):
    x, y = pattern(case["shape"], 0), pattern(case["shape"], 1)
    left, right = torch.empty_like(x), torch.empty_like(x)

    def run():
        torch.mul(x, y, out=left)
        left.add_(x).tanh_()
        torch.exp(y, out=right)
        return left.mul_(right)

    return run, 1


@kind
def sum_all(case):
    x = pattern(case["shape"], 0)
    out = torch.empty(())
    return lambda: torch.sum(x, (0, 1), out=out), 1


@kind
def sum_last(case):
    x = pattern(case["shape"], 0)
    out = torch.empty(case["shape"][0])
    return lambda: torch.sum(x, 1, out=out), 1


@kind
def softmax(case):
    x = pattern(case["shape"], 0)
    out = torch.empty_like(x)
    return lambda: torch.softmax(x, 1, out=out), 1


@kind
def layer_norm(case):
    row = case["shape"][1:]
    x, scale, bias = pattern(case["shape"], 0), pattern(row, 1), pattern(row, 2)
    return lambda: F.layer_norm(x, row, scale, bias), 1


@kind
def gemm(case):
    a, b = pattern(case["a"], 0), pattern(case["b"], 1)
    out = torch.empty(case["a"][0], case["b"][1])
    return lambda: torch.mm(a, b, out=out), 1


@kind
def conv(case):
    x, weight = pattern(case["input"], 0), pattern(case["weight"], 1)
    return lambda: F.conv2d(x, weight, None, case["stride"], case["padding"]), 1


@kind
def small_add(case):
    return add(case)


@kind
def small_add_recorded(case):
    x, y = tracked(case["shape"], 0), tracked(case["shape"], 1)

    def run():
        with torch.enable_grad():
            return x + y

    return run, 1


@kind
def nodes(case):
    x = tracked(case["shape"], 0)

    def run():
        with torch.enable_grad():
            y = x
            for _ in range(case["nodes"]):
                y = y + x
            return torch.autograd.grad(y.sum(), x)[0]

    return run, case["nodes"]


def start(parameter, fan_in, seed):
    with torch.no_grad():
        parameter.copy_((pattern(parameter.shape, seed) - 0.25) * (2 / math.sqrt(fan_in)))


def training(model, inputs, classes):
    seed = 0
    for layer in model:
        if isinstance(layer, (nn.Linear, nn.Conv2d)):
            fan_in = layer.weight[0].numel()
            start(layer.weight, fan_in, seed)
            start(layer.bias, fan_in, seed + 1)
            seed += 2
    labels = torch.arange(inputs.shape[0]) % classes
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step():
        with torch.enable_grad():
            optimizer.zero_grad()
            loss = F.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
        return loss

    step()
    step()  # the check is the third loss
    return step, 1


@kind
def train_mlp(case):
    widths = case["widths"]
    layers = []
    for i in range(len(widths) - 1):
        layers += ([nn.ReLU()] if i else []) + [nn.Linear(widths[i], widths[i + 1])]
    return training(nn.Sequential(*layers), pattern([case["batch"], widths[0]], 0), widths[-1])


@kind
def train_cnn(case):
    channels, height, width = case["image"]
    layers = []
    for out in case["channels"]:
        layers += [nn.Conv2d(channels, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]
        channels, height, width = out, height // 2, width // 2
    layers += [nn.Flatten(), nn.Linear(channels * height * width, case["classes"])]
    return training(nn.Sequential(*layers), pattern([case["batch"], *case["image"]], 0), case["classes"])


def check(case, result):
    """What the C++ program reports: a loss, or the mean of the squares."""
    result = result.detach().double()
    return float(result if case["kind"].startswith("train_") else (result * result).mean())


def seconds_per_call(run, seconds):
    """As Google Benchmark does it: more and more calls, until they take long enough."""
    calls = 1
    while True:
        begin = time.perf_counter()
        for _ in range(calls):
            run()
        took = time.perf_counter() - begin
        if took >= seconds:
            return took / calls
        guess = 1.4 * seconds / max(took, 1e-9)
        calls = math.ceil(calls * (min(10, max(guess, 1.1)) if took < 0.1 * seconds else max(guess, 1.1)))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cases", default=os.path.join(here, "cases.json"))
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    arguments.add_argument("--seconds", type=float, default=0.2)
    options = arguments.parse_args()
    with open(options.cases) as file:
        cases = {case["name"]: case for rows in json.load(file).values() for case in rows}
    print(json.dumps({"version": f"PyTorch {torch.__version__}", "vectors": torch.backends.cpu.get_cpu_capability()}), flush=True)
    for line in sys.stdin:
        case = cases[line.strip()]
        threads = case.get("threads", options.threads)
        torch.set_num_threads(threads)
        with torch.no_grad():
            run, count = KINDS[case["kind"]](case)
            value = check(case, run())
            time_taken = seconds_per_call(run, options.seconds) / count
        print(json.dumps({"name": case["name"], "ns": time_taken * 1e9, "used_threads": torch.get_num_threads(), "check": value}), flush=True)


if __name__ == "__main__":
    main()
