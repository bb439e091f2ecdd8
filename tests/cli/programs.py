"""Programs that the tests of the commands work on."""

from __future__ import annotations

HEAD = """from oxidepy import DisjointSlice, LaunchConfig, Slice, SliceMut, f32, i32, kernel, launch_contract, thread, unroll, unsafe
import oxidepy as ox

"""

GOOD = """
@kernel
def {name}(a: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + f32({number})

"""

UNKNOWN = """
@kernel
def unknown(a: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + nosuch

"""

UNGUARDED = """
@kernel
def unguarded(a: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    c[idx] = f32(1)

"""

WARNED = """
@kernel
def warned(c: DisjointSlice[f32], n: i32) -> None:
    idx = thread.index_1d()
    if idx in c:
        total = f32(0)
        for k in unroll(range(n)):
            total += f32(k)
        c[idx] = total

"""

GUARD = """
if __name__ == "__main__":
    {body}
"""

MAIN = """
def main() -> None:
    stream = ox.Context().default_stream()
    a = ox.DeviceBuffer.zeros(stream, 300, f32)
    c = ox.DeviceBuffer.zeros(stream, 300, f32)
    good.launch(stream, a, c)
    print("sum", c.to_host(stream).sum())

"""


def good(name: str = "good", number: int = 1) -> str:
    return GOOD.format(name=name, number=number)


def guard(body: str) -> str:
    return GUARD.format(body=body)
