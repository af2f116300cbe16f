"""Checksums that the program writes, for tests that craft its files and messages."""


def crc32c(data):
    """CRC-32C (Castagnoli)."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff
