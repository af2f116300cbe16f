"""For tests of files that a user may not read or write. They may run as root, who may do anything.

    with read_only(folder):
        run(…, preexec_fn=without_rights)
"""

import contextlib
import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_DROP = 24  # linux/prctl.h
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2  # linux/capability.h


def without_rights():
    """In the child, before the program starts: permissions then apply, even to root.

    The user stays the same, since another one may not reach the program: /root is closed.
    """
    if os.geteuid() != 0:
        return
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "a capability cannot be dropped")


@contextlib.contextmanager
def read_only(folder):
    """Nothing in the folder can be written meanwhile; unreadable files stay unreadable."""
    modes = {path: path.stat().st_mode for path in [folder, *folder.rglob("*")]}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
