"""Builds the benchmarks, runs each case in Hearth and in PyTorch by turns, and writes RESULTS.md.

    python3 benchmarks/run.py [--threads N] [--rounds N] [--seconds S] [--only PART] [--no-rival] [--output FILE]

Run it with a Python that has torch; README.md says how to get one. Needs nothing else outside the standard library.
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, "build", "release")
CASES = os.path.join(HERE, "cases.json")


def build():
    # A list of benchmarks is no reason to make the tests too; what a configured folder already builds stays as it is.
    new = [] if os.path.exists(os.path.join(BUILD, "CMakeCache.txt")) else ["-DHEARTH_TESTS=OFF", "-DHEARTH_EXAMPLES=OFF"]
    subprocess.run(["cmake", "--preset", "release", "-DHEARTH_BENCHMARKS=ON", *new], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "hearth_bench"], cwd=ROOT, check=True)


class Hearth:
    """Runs hearth_bench once per case and round, so that the rival's turn comes in between."""

    def __init__(self, options):
        self.command = [os.path.join(BUILD, "benchmarks", "hearth_bench"), f"--cases={CASES}", f"--threads={options.threads}",
                        f"--seconds={options.seconds}", "--benchmark_format=json"]
        self.context = {}

    def run(self, pattern):
        """{name: what Google Benchmark reports} of the benchmarks whose whole name fits."""
        done = subprocess.run([*self.command, f"--benchmark_filter=^{pattern}$"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"run.py: hearth_bench failed at {pattern}:\n{done.stderr}")
        report = json.loads(done.stdout)
        self.context = report["context"]
        return {entry["run_name"].removesuffix("/real_time").split("/min_time:")[0]: entry for entry in report["benchmarks"]}


class PyTorch:
    """rival_pytorch.py, one process for the whole run: it waits while it is not asked."""

    def __init__(self, options):
        # Hearth keeps freed memory for the next tensor. So that the rival does too, its allocator is told not to give memory back.
        environment = dict(os.environ, MALLOC_MMAP_MAX_="0", MALLOC_TRIM_THRESHOLD_=str(1 << 40))
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "rival_pytorch.py"), "--cases", CASES, "--threads", str(options.threads),
                                         "--seconds", str(options.seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        hello = self.answer()
        self.version = f"{hello['version']} ({hello['vectors']})"

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("run.py: the PyTorch side ended early; does this Python have torch? See benchmarks/README.md, or use --no-rival.")
        return json.loads(line)

    def run(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        answer = self.answer()
        time.sleep(0.02)  # its threads spin for a moment after their last work: not in Hearth's time
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def busy_processors(seconds=2):
    """How many processors others use just now."""
    def read():
        with open("/proc/stat") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        return sum(ticks), ticks[3] + ticks[4]
    total, idle = read()
    time.sleep(seconds)
    total, idle = (after - before for after, before in zip(read(), (total, idle)))
    return (1 - idle / total) * os.cpu_count()


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def memory():
    with open("/proc/meminfo") as file:
        return f"{int(file.readline().split()[1]) / 2**20:.0f} GiB"


class Row:
    """What the rounds found out about one case."""

    def __init__(self, question, case):
        self.question, self.name = question, case["name"]
        self.hearth, self.rival, self.bandwidths = [], [], []  # ns, ns, bytes per ns
        self.work, self.checks, self.threads = {}, {}, 0

    def add_hearth(self, entries):
        own = entries.pop(self.name)
        self.hearth.append(own["real_time"])
        self.work, self.threads, self.checks["hearth"] = own, int(own["used_threads"]), own["check"]
        self.bandwidths += [entry["bytes"] / entry["real_time"] for entry in entries.values()]

    def add_rival(self, answer):
        self.rival.append(answer["ns"])
        self.checks["pytorch"] = answer["check"]
        if answer["used_threads"] != self.threads:
            sys.exit(f"run.py: {self.name} ran on {self.threads} threads in Hearth and on {answer['used_threads']} in PyTorch")

    def verify(self):
        """Both sides must have computed the same thing, or their times mean nothing."""
        if not all(math.isclose(value, self.checks["hearth"], rel_tol=1e-3) for value in self.checks.values()):
            sys.exit(f"run.py: {self.name} computes different things: {self.checks}")

    def share(self, peaks):
        """The part of the nearest limit that the case reaches, and which limit that is."""
        limits = {}
        if self.work["flops"]:
            limits["FLOP peak"] = self.work["flops"] / max(peaks[self.threads])
        if self.bandwidths:
            limits["bandwidth"] = (self.work["read"] + self.work["written"]) / max(self.bandwidths)
        if not limits:
            return "-"
        name = max(limits, key=limits.get)
        return f"{100 * limits[name] / statistics.median(self.hearth):.0f} % of {name}"

    def ratio(self):
        return statistics.median(self.rival) / statistics.median(self.hearth) if self.rival else None


def spread(times):
    return (max(times) - min(times)) / statistics.median(times)


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 1000 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.3g} ns"


def measure(options):
    with open(CASES) as file:
        rows = [Row(question, case) for question, cases in json.load(file).items() for case in cases if options.only in case["name"]]
    if not rows:
        sys.exit(f"run.py: no case has \"{options.only}\" in its name")
    hearth, rival = Hearth(options), None if options.no_rival else PyTorch(options)
    peaks = {}
    begin = time.monotonic()
    for round_number in range(options.rounds):
        for entry_name, entry in hearth.run("limit/fma/.*").items():
            peaks.setdefault(int(entry_name.rsplit("/", 1)[1]), []).append(entry["flops"] / entry["real_time"])
        for number, row in enumerate(rows):
            print(f"\rround {round_number + 1} of {options.rounds}, case {number + 1} of {len(rows)}, {time.monotonic() - begin:.0f} s: {row.name:<32}", end="", flush=True)
            hearth_first = round_number % 2 == 0  # who goes first changes from round to round
            if rival and not hearth_first:
                row.add_rival(rival.run(row.name))
            row.add_hearth(hearth.run(re.escape(row.name) + "(/limit/[a-z_]+)?(/min_time:[0-9.]+)?(/real_time)?"))
            if rival and hearth_first:
                row.add_rival(rival.run(row.name))
    print()
    if rival:
        rival.close()
    for row in rows:
        row.verify()
    return rows, peaks, hearth.context, rival.version if rival else None


def report(options, rows, peaks, context, rival_version, busy):
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()
    lines = ["# Results", "", "Written by `benchmarks/run.py`; README.md says what the columns mean.", ""]
    if busy > 0.2:
        lines += [f"**Made on a busy machine**: before the run others used {busy:.1f} of {os.cpu_count()} processors. The numbers are noise to that degree.", ""]
    lines += [f"- date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
              f"- machine: {processor()}, {os.cpu_count()} processors, {memory()}, {platform.system()} {platform.release()}",
              f"- Hearth {context['hearth']}" + (f" ({commit})" if commit else "") + f", {context['compiler']}, {context['build']}, vectors of {context['vectors']}",
              f"- rival: {rival_version}" if rival_version else "- no rival in this run",
              f"- threads: {options.threads}, unless the case says otherwise; {options.rounds} rounds by turns, medians",
              "- FLOP peak (f32, measured): " + ", ".join(f"{max(seen):.0f} GFLOP/s on {threads} thread{'s' if threads > 1 else ''}" for threads, seen in sorted(peaks.items()))]
    sides = [("Hearth", [spread(row.hearth) for row in rows])] + ([("PyTorch", [spread(row.rival) for row in rows])] if rival_version else [])
    lines.append("- spread between rounds, (largest - smallest) / median, in the middle case: " + ", ".join(f"{name} {100 * statistics.median(s):.0f} %" for name, s in sides))
    ratios = [row.ratio() for row in rows if row.rival]
    if ratios:
        lines.append(f"- Hearth is the faster one in {sum(r > 1 for r in ratios)} of {len(ratios)} cases; geometric mean of the ratios {statistics.geometric_mean(ratios):.2f}")
    question = None
    for row in rows:
        if row.question != question:
            question = row.question
            lines += ["", f"## {question}", "", "| case | hearth | pytorch | ratio | share of limit |", "|---|---|---|---|---|"]
        rival = f"{duration(statistics.median(row.rival))} | {row.ratio():.2f}" if row.rival else "- | -"
        lines.append(f"| {row.name} | {duration(statistics.median(row.hearth))} | {rival} | {row.share(peaks)} |")
    with open(options.output, "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=0.2, help="how long each case runs at least, on each side and in each round")
    arguments.add_argument("--only", default="", help="only cases with this in their name")
    arguments.add_argument("--no-rival", action="store_true", help="without PyTorch")
    arguments.add_argument("--output", default=os.path.join(HERE, "RESULTS.md"))
    options = arguments.parse_args()
    build()
    busy = busy_processors()
    report(options, *measure(options), busy)


if __name__ == "__main__":
    main()
