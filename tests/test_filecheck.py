"""The text checker itself: each directive holds and fails."""

from __future__ import annotations

import pytest
from filecheck import check

TEXT = """\
define f(i32 %a)
  %1 = add i32 %a, 1
  %2 = mul  i32 %1, %1
  ret i32 %2
"""


@pytest.mark.parametrize(
    "directives",
    [
        "CHECK: define\nCHECK-NEXT: add\nCHECK: ret",
        "; CHECK: [[X:%\\d+]] = add\n; CHECK: mul i32 [[X]], [[X]]",
        "CHECK: add\nCHECK-SAME: , 1\nCHECK-NOT: add",
        "CHECK-COUNT-3: %1",
        "CHECK-NOT: sub\nCHECK: {{ret i(32|64)}}",
        "CHECK: [[X:%\\d]], [[X]]",
    ],
)
def test_holds(directives: str) -> None:
    check(TEXT, directives)


@pytest.mark.parametrize(
    "directives",
    [
        "CHECK: sub",
        "CHECK: ret\nCHECK: add",
        "CHECK: define\nCHECK-NEXT: mul",
        "CHECK: add\nCHECK-SAME: mul",
        "CHECK: define\nCHECK-NOT: add\nCHECK: ret",
        "CHECK: add\nCHECK-NOT: mul",
        "CHECK-COUNT-4: %1",
        "CHECK: [[X:%\\d+]] = mul\nCHECK: add [[X]]",
        "CHECK: [[Y]]",
        "CHEK: add",
        "",
    ],
)
def test_fails(directives: str) -> None:
    with pytest.raises(AssertionError):
        check(TEXT, directives)


def test_names_are_given_back() -> None:
    assert check(TEXT, "CHECK: ret i32 [[R:%\\d]]") == {"R": "%2"}
