"""Programs that stay loaded and take turns, so that a machine's disturbances affect both sides."""

import json
import subprocess
from typing import Dict, List, NamedTuple, Optional, Sequence


class Pass(NamedTuple):
    wall: float
    cpu: float
    work: int


class Side:
    """A program that answers as described in measure/bench/serve.hpp."""

    def __init__(self, command: Sequence[object], environment: Optional[Dict[str, str]] = None):
        self._process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, env=environment)
        ready = self._answer()
        self.settings = ready["ready"]
        self.seconds = ready.get("seconds")  # of loading

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def run(self) -> Pass:
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return Pass(**self._answer())

    def _answer(self) -> dict:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args} ended with {self._process.wait()}")
        return json.loads(line)


def alternate(sides: Sequence[Side], repeats: int) -> List[List[Pass]]:
    """The passes of each side, taken in turns. Each side warms up before it is ready."""
    passes: List[List[Pass]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, its in zip(sides, passes):
            its.append(side.run())
    return passes
