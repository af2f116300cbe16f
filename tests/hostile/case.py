"""A hostile file, and how the program must react to it."""

from typing import Callable, Dict, NamedTuple, Optional, Tuple, Union

Data = Union[bytes, Callable[[], bytes]]


class Case(NamedTuple):
    """One file, or the files of a model, for one command of the program."""

    name: str
    command: str  # a row of COMMANDS in test_hostile.py
    files: Dict[str, Data]  # by path in the case's own folder; made when needed
    target: str = ""  # the path for the command; if empty, the first of `files`
    error: Optional[str] = None  # the error's name (src/base/error.cpp); None for success
    says: Tuple[str, ...] = ()  # parts of the message: tensor, opcode, line …
    record: Optional[int] = None  # of the input, as in failed_inputs.txt
    offset: Optional[int] = None
    letters: int = 0  # of the longest sequence, for which memory is allowed

    def given(self):
        return self.target or next(iter(self.files))


def repeated(part, times):
    """A large file that is made only when needed."""
    return lambda: part * times
