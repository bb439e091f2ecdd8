"""What kernels told: records in memory that a device writes and the host reads, put in order and formatted here for every device.

The lines of a launch come block by block, thread by thread, each thread's in the order in which it wrote them.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oxidepy.compiler.messages import BLOCK_BITS, CAPACITY, DATA, HEAD, HEADER, LOST, THREAD_BITS, THREAD_SHIFT
from oxidepy.diagnostics import DevicePanic
from oxidepy.ir.types import SCALARS, Scalar

if TYPE_CHECKING:
    from oxidepy.ir.core import Message
    from oxidepy.runtime.driver import Driver
    from oxidepy.runtime.panics import Triple

WORD = 8
MOST_AHEAD = 64  # launches that may be under way where none has told anything
LEAST = 64  # words of records for which there is room in any case
_KERNEL_BITS = 20  # of a launch's number; the others count launches
_LOW = (1 << 32) - 1

_known: list[tuple[Message, ...]] = []  # what kernels say, by their number
_launches = itertools.count(1)


def register(messages: tuple[Message, ...]) -> int:
    """The number under which a loaded kernel's messages are looked up."""
    _known.append(messages)
    return len(_known) - 1


@dataclass
class _Record:
    launch: int
    block: int
    thread: int
    template: str
    parts: tuple[Any, ...]
    words: Sequence[int]

    @property
    def order(self) -> tuple[int, int, int]:
        return self.launch, self.block, self.thread

    @property
    def text(self) -> str:
        words = iter(self.words)
        return "".join(one if isinstance(one, str) else formatted(SCALARS[one[0]], next(words), one[1], one[2]) for one in self.parts)


class Messages:
    """The buffer of one stream. `host` is its address here, `device` the one for kernels."""

    def __init__(self, driver: Driver) -> None:
        from oxidepy.runtime.settled import print_buffer

        self.capacity = max(print_buffer() // WORD, LEAST)
        self.host, self.device, self._keep = driver.message_memory(WORD * (DATA + self.capacity))
        self._words: Any = (ctypes.c_uint64 * (DATA + self.capacity)).from_address(self.host)
        self._words[CAPACITY] = self.capacity
        self.lock = threading.RLock()  # held by a launch, and while the buffer is emptied
        self._kept: list[_Record] = []  # taken from the buffer before they were asked for
        self._lost = 0
        self._under_way = 0  # launches since the buffer was last looked at with all of them done
        self._ahead = 1  # that may be under way: one where launches do tell something, more and more where they do not

    @property
    def nbytes(self) -> int:
        return WORD * len(self._words)

    def launch(self, number: int) -> int:
        """The number of a launch of the kernel that was registered as `number`; it orders what is told."""
        self._under_way += 1
        return next(_launches) << _KERNEL_BITS | number

    @property
    def crowded(self) -> bool:
        """Whether the next launch had better wait for the ones before: what these tell may need all of the room."""
        return self._under_way >= self._ahead or bool(2 * self._words[HEAD] > self.capacity)

    def gather(self) -> None:
        """Empty the buffer, and keep what was in it. Only where no kernel that could write runs any more."""
        with self.lock:
            self._ahead = 1 if self._words[HEAD] else min(2 * self._ahead, MOST_AHEAD)
            self._under_way = 0
            if not self._words[HEAD]:
                return
            self._kept += self._records()
            self._lost += self._words[LOST]
            ctypes.memset(ctypes.addressof(self._words), 0, WORD * (DATA + min(self._words[HEAD], self.capacity)))
            self._words[CAPACITY] = self.capacity

    def flush(self) -> None:
        """Print what was told, on `sys.stdout`. Only where no kernel that could write runs any more."""
        with self.lock:
            self.gather()
            lines = sorted((one for one in self._kept if not one.template), key=lambda one: one.order)
            lost, self._kept, self._lost = self._lost, [], 0
        text = "".join(one.text for one in lines)
        if lost:
            text += f"oxidepy: {lost} printed line{'s' * (lost > 1)} lost: {WORD * self.capacity} bytes were full (OXIDEPY_PRINT_BUFFER)\n"
        if text:
            sys.stdout.write(text)

    def completed(self, panic: DevicePanic) -> DevicePanic:
        """The failure of an assertion with the values in its message; as it is where they found no room, or there are none."""
        diagnostic = panic.diagnostic
        place = pack(BLOCK_BITS, panic.block), pack(THREAD_BITS, panic.thread)
        found = [one for one in (*self._kept, *self._records()) if one.template == diagnostic.message and (one.block, one.thread) == place]
        if not found or not found[0].template:
            return panic
        last = max(found, key=lambda one: one.launch)
        return DevicePanic(replace(diagnostic, message=last.text), kernel=panic.kernel, block=panic.block, thread=panic.thread)

    def _records(self) -> Iterator[_Record]:
        words = self._words
        position, end = DATA, DATA + min(words[HEAD], self.capacity)
        while position + HEADER <= end:
            first, launch, block = (int(one) for one in words[position : position + HEADER])
            if not launch:
                return  # what did not fit any more
            template, parts = _known[launch & ((1 << _KERNEL_BITS) - 1)][first & _LOW]
            count = sum(not isinstance(one, str) for one in parts)
            start = position + HEADER
            position = start + count
            yield _Record(launch, block, first >> THREAD_SHIFT, template, parts, words[start:position])


def pack(bits: Sequence[int], place: Triple) -> int:
    """Coordinates in one word, as records hold them."""
    return place[0] | place[1] << bits[0] | place[2] << (bits[0] + bits[1])


# ---- numbers


def formatted(scalar: Scalar, word: int, spec: str | tuple[str, ...], conversion: str) -> str:
    """The text of a number, whose bits `word` holds, as Python formats one of its type."""
    value = _value(scalar, word)
    if isinstance(spec, tuple):
        return dict(zip(spec[::2], spec[1::2], strict=True)).get(str(value), str(value)) if conversion == "member" else spec[bool(value)]
    if scalar.is_float and scalar.bits < 64 and (conversion or _free(spec)):
        value = shortest(scalar, value)
    if spec[-1:] == "c" and not conversion and (not 0 <= value <= sys.maxunicode or 0xD800 <= value <= 0xDFFF):
        value = _NO_CHARACTER
    return format(str(value), spec) if conversion else format(value, spec)


_NO_CHARACTER = 0xFFFD  # is printed where a number is none of a character


def _value(scalar: Scalar, word: int) -> Any:
    if scalar.kind == "bool":
        return bool(word)
    word &= (1 << scalar.bits) - 1
    if scalar.is_int:
        return word - (1 << scalar.bits) if scalar.signed and word >> (scalar.bits - 1) else word
    if scalar.name == "bf16":
        return struct.unpack("<f", struct.pack("<I", word << 16))[0]
    integer, real = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}[scalar.bits]
    return struct.unpack(real, struct.pack(integer, word))[0]


def _free(spec: str) -> bool:
    """Whether a format leaves the digits of a float to Python: neither precision nor a letter."""
    return "." not in spec and (not spec or not (spec[-1].isalpha() or spec[-1] == "%"))


_DIGITS = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149)}  # bits of the fraction, exponent of the least number


def shortest(scalar: Scalar, value: float) -> float:
    """The float whose shortest decimal is that of `value` among the numbers of `scalar`."""
    if value == 0 or not math.isfinite(value):
        return value
    bits, least = _DIGITS[scalar.name]
    fraction, exponent = math.frexp(value)
    unit = math.ldexp(1.0, max(exponent - bits, least))
    if abs(fraction) == 0.5:
        return _exactly(value, bits, least)  # the next number below is nearer than the one above
    for digits in range(1, 10):
        near = float(f"{value:.{digits - 1}e}")
        distance = abs(near - value) - unit / 2
        if abs(distance) <= unit / 65536:
            return _exactly(value, bits, least)  # the decimal is half-way between two numbers, or nearly
        if distance < 0:
            return near
    return value


def _exactly(value: float, bits: int, least: int) -> float:
    """The same by fractions: the decimal with the fewest digits that is rounded to `value`."""
    exact = Fraction(abs(value))
    exponent = max(math.frexp(value)[1] - bits, least)
    unit = Fraction(2) ** exponent
    number = int(exact / unit)
    below = unit / 4 if number == 1 << (bits - 1) and exponent > least else unit / 2
    low, high, even = exact - below, exact + unit / 2, number % 2 == 0
    for digits in range(1, 18):
        power = Fraction(10) ** (math.floor(math.log10(abs(value))) + 1 - digits)
        floor = math.floor(exact / power)
        near = [one for one in range(floor - 1, floor + 3) if (low <= one * power <= high if even else low < one * power < high)]
        if near:
            nearest = min(near, key=lambda one: (abs(one * power - exact), one % 2))  # of two as near, the even one
            return math.copysign(float(nearest * power), value)
    return value
