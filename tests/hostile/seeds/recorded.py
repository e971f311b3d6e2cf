"""What a recorder leaves in a process, small: a header, one group of a table that has the block, a
segment with a stack of three frames. Seeds of fuzz_recorded.c, one a line."""
import struct
from typing import List

HEADER = 0x100000
HEADER_SIZE = 208
KEY_BITS, STACK_BITS, GROUP = 45, 27, 256
GROUP_AT = HEADER + 0x100  # in memory
SEGMENTS_AT = GROUP_AT + 8 * GROUP
NODES_AT = SEGMENTS_AT + 8


def hash_of(address: int) -> int:
    mask = (1 << KEY_BITS) - 1
    value = ((address >> 3) * 0x9e3779b97f4a7c15) & mask
    value ^= value >> 23
    return (value * 0xd6e8feb86659fd93) & mask


def memory(block: int, levels: List[int], stack: int, outermost: int) -> bytes:
    """Only the block's group of each table is there; all tables have the same one."""
    value = hash_of(block)
    tables = [0] * 15
    for level in levels:
        tables[level - 16] = GROUP_AT - (value >> (KEY_BITS + 8 - level)) * 8 * GROUP & (1 << 64) - 1
    header = struct.pack("<16sQ6I", b"loupe recorded\n", HEADER, 1, HEADER_SIZE, 0, levels[-1],
                         levels[0], 6)
    header += struct.pack("<Q15Q3Q", SEGMENTS_AT, *tables, 0, 0, 0)
    group = [0] * GROUP
    group[value % GROUP] = 1 << STACK_BITS
    group[(value + 1) % GROUP] = (value << STACK_BITS | stack) & (1 << 64) - 1
    nodes = [(0, 0), (0, 0), (0, 0), (0x401000, outermost), (0x402000, 3), (0x403000, 4)]
    return (header.ljust(0x100, b"\0") + struct.pack(f"<{GROUP}Q", *group) +
            struct.pack("<Q", NODES_AT) +
            b"".join(struct.pack("<QII", frame, caller, 0) for frame, caller in nodes))


def line(data: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in data)


for seed_block, seed_levels, seed_stack, seed_outermost in (
        (0x20010, [16], 5, 1), (0x20010, [16, 17], 5, 2), (0x7f0012345678, [20], 4, 1),
        (0x20010, [16], 5, 5)):
    print(line(struct.pack("<Q", seed_block) +
               memory(seed_block, seed_levels, seed_stack, seed_outermost)))
