"""What zstd makes of bytes, by the C library: Python 3.11 has no module for it. None: it is not there."""
import ctypes
import ctypes.util
from typing import Callable, Optional


def _find() -> "Optional[Callable[[bytes], bytes]]":
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return None
    library.ZSTD_compress.restype = library.ZSTD_compressBound.restype = ctypes.c_size_t

    def compress(data: bytes) -> bytes:
        room = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
        packed = ctypes.create_string_buffer(room)
        size = library.ZSTD_compress(packed, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 3)
        return packed.raw[:size]
    return compress


compress = _find()
