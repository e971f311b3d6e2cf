"""Seeds of fuzz_native_file.c: heaps without damage, and with one number changed in each section."""

SECTIONS = 40


def escaped(data: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in data)


def change(place: int, how: int, value: int) -> bytes:
    return place.to_bytes(2, "little") + how.to_bytes(2, "little") + value.to_bytes(4, "little")


for seed in range(8):
    print(escaped(bytes([0, seed])))
for section in range(SECTIONS):
    for value in (1, 0xffffffff, 0x7fffffff):
        print(escaped(bytes([1]) + change(4 * section, section << 8 | 1, value) + bytes([section])))
