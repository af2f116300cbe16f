"""BGZF, gzip in blocks (SAM specification, 4.1). Fields that are given are written in place of the true ones."""

import struct
import zlib

BGZF_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def deflated(data, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def bgzf_block(data, bsize=None, crc=None, size=None):
    packed = deflated(data)
    bsize = len(packed) + 25 if bsize is None else bsize
    crc = zlib.crc32(data) if crc is None else crc
    size = len(data) if size is None else size
    return (bytes.fromhex("1f8b08040000000000ff060042430200") + struct.pack("<H", bsize) + packed
            + struct.pack("<II", crc, size))


def bgzf(data, block=0xFF00, end=BGZF_END):
    blocks = [bgzf_block(data[i:i + block]) for i in range(0, len(data), block)]
    return b"".join(blocks) + end
