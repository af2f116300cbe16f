"""Checksums that the program writes, for tests that craft its files and messages."""

import ctypes
import ctypes.util


def crc32c(data):
    """CRC-32C (Castagnoli)."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3_128(data):
    """XXH3 of 128 bits in hexadecimal digits, by the library that the program is built with."""
    function = ctypes.CDLL(ctypes.util.find_library("xxhash")).XXH3_128bits
    function.argtypes, function.restype = [ctypes.c_char_p, ctypes.c_size_t], _Hash128
    found = function(data, len(data))
    return f"{found.high:016x}{found.low:016x}"
