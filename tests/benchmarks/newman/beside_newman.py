"""Twenty sales at once by Keybench's command line, beside one newman process a sale, in one run.

newman runs one collection at a time, so twenty sales at once are twenty processes. Run by hand, since it
needs Node.js::

    npm install newman
    .venv/bin/python tests/benchmarks/newman/beside_newman.py node_modules/.bin/newman

The gateway lets the sales end at random moments within ten seconds, the same for both. Prints a table: the
time from start to end, the processor time and the most memory of all processes together.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

HERE = Path(__file__).parent
GATEWAY = HERE.parent / "probes" / "quick_gateway.py"
SALES = 20
SLOWEST_S = "10"
SEED = "7"
KEY = "MadeUpForTheBenchmark0123456789a\n"
LOOK_S = 0.05


class Meter:
    """Adds up what processes and their children take while they run."""

    def __init__(self, processes: Sequence[subprocess.Popen[str]]) -> None:
        self._roots = [psutil.Process(one.pid) for one in processes]
        self._cpu_s: dict[int, float] = {}
        self.peak_mb = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Stop and return the processor time of all of them, in seconds."""
        self._over.set()
        self._thread.join()
        return sum(self._cpu_s.values())

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            memory = 0.0
            for root in self._roots:
                with suppress(psutil.Error):
                    for process in (root, *root.children(recursive=True)):
                        times = process.cpu_times()
                        self._cpu_s[process.pid] = times.user + times.system
                        memory += process.memory_info().rss / 2**20
            self.peak_mb = max(self.peak_mb, memory)


def measured(commands: Sequence[Sequence[str]], base_url: str, environment: dict[str, str]) -> str:
    """Run the commands at once to their ends and return the table's figures."""
    began = time.monotonic()
    processes = [
        subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
        for one in commands
    ]
    meter = Meter(processes)
    httpx.post(f"{base_url}/begin", trust_env=False)
    failed = [error for one in processes if (error := one.communicate()[1]) and one.returncode]
    took_s, cpu_s = time.monotonic() - began, meter.stop()
    if failed:
        sys.exit(failed[0])
    return f"{len(commands)} | {took_s:.1f} | {cpu_s:.2f} | {meter.peak_mb:.0f}"


def newman(program: str, base_url: str) -> list[list[str]]:
    """Return twenty commands, each a sale."""
    common = [program, "run", str(HERE / "sale.postman_collection.json"), "--delay-request", "1000"]
    return [
        [*common, "--env-var", f"base_url={base_url}", "--env-var", f"device=D-{number}"]
        for number in range(SALES)
    ]


def keybench(folder: Path, base_url: str, environment: dict[str, str]) -> list[list[str]]:
    """Return one command for twenty sales, with a test environment and a key made beforehand."""
    program = [sys.executable, "-m", "keybench", "--data-dir", str(folder)]
    add = ["environment", "add", "stub", "--kind", "test", "--base-url", base_url]
    subprocess.run([*program, *add], check=True, capture_output=True, env=environment)
    words = ["--name", "till", "--username", "admin", "--permission", "API", "--kind", "private"]
    keep = [*program, "key", "add", "--environment", "stub", *words]
    subprocess.run(keep, input=KEY, text=True, check=True, capture_output=True, env=environment)
    devices = folder / "devices.csv"
    devices.write_text("device,amount\n" + "".join(f"D-{n},10.00\n" for n in range(SALES)), "utf-8")
    order = ["--key", "till", "--devices", str(devices), "--at-once", str(SALES)]
    return [[*program, "sales", "--environment", "stub", *order]]


def main(program: str) -> None:
    """Measure both and print the table."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    print("| 20 sales | processes | s | CPU s | memory MB |\n|---|---|---|---|---|")
    for name in ("newman", "Keybench"):
        words = [sys.executable, str(GATEWAY), SLOWEST_S, SEED]
        with (
            tempfile.TemporaryDirectory() as place,
            subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as gateway,
        ):
            assert gateway.stdout
            base_url = f"http://127.0.0.1:{gateway.stdout.readline().strip()}"
            folder = Path(place) / "data"
            ours = name == "Keybench"
            commands = keybench(folder, base_url, environment) if ours else newman(program, base_url)
            print(f"| {name} | {measured(commands, base_url, environment)} |", flush=True)
            gateway.kill()
            if ours:  # or the keyring would keep the key
                remove = [*commands[0][:5], "environment", "remove", "stub"]
                subprocess.run(remove, check=True, capture_output=True, env=environment)


if __name__ == "__main__":
    main(sys.argv[1])
