"""What a hostile file is, and what the program must answer to it."""

from typing import Callable, Dict, NamedTuple, Optional, Tuple, Union

Data = Union[bytes, Callable[[], bytes]]


class Case(NamedTuple):
    """One file, or the few that make a model, given to one command of the program."""

    name: str
    command: str  # a row of COMMANDS in test_hostile.py
    files: Dict[str, Data]  # by their path in a folder of the case's own; made when they are needed
    target: str = ""  # the path that the command is given; the first of `files` where it is empty
    error: Optional[str] = None  # the error's name (src/base/error.cpp); None where all goes well
    says: Tuple[str, ...] = ()  # what the message must hold: tensor, opcode, line …
    record: Optional[int] = None  # of an input, as failed_inputs.txt has it
    offset: Optional[int] = None
    letters: int = 0  # of the longest sequence, for which memory is granted
    timeout: float = 20.0

    def given(self):
        return self.target or next(iter(self.files))


def repeated(part, times):
    """A large file that is made when it is needed."""
    return lambda: part * times
