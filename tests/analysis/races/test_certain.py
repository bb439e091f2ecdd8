"""Indices that are outside whatever the launch is."""

from __future__ import annotations

import pytest

from .proving import findings

CHECK = '%in = inbounds {0}, {1} : bool\ncheck "OX7001" %in, {0}, {1} [message = "index out of bounds of `s`"]'


def where(cond: str, body: str) -> str:
    return f"%p = {cond} : bool\nif %p {{\n{body}\nyield\n}} else {{\nyield\n}}"


OUTSIDE = {
    "some threads": CHECK.format("%t", "#128"),
    "one thread": "%i = mul %t, %t : i32\n" + CHECK.format("%i", "#65000"),
    "every thread": "%i = add %t, #512 : i32\n" + CHECK.format("%i", "#512"),
    "every thread under a condition of the launch": "%i = add %t, #512 : i32\n" + where("gt %n, #3", CHECK.format("%i", "#512")),
    "behind a condition on the thread": where("gt %t, #100", CHECK.format("%t", "#101").replace("101", "200")),
    "negative": "%i = sub #5, %t : i32\n" + CHECK.format("%i", "#256"),
}
FINE = {
    "inside": CHECK.format("%t", "#256"),
    "guarded": where("lt %t, #128", CHECK.format("%t", "#128")),
    "on some launches": where("gt %n, #3", CHECK.format("%t", "#128")),
    "a length of the launch": CHECK.format("%t", "%y.len"),
    "a loaded index": "%i = w[%t]\n" + CHECK.format("%i", "#128"),
    "only launches with an empty slice come here": "%i = sub %y.len, #1 : i32\n" + where("le %y.len, #0", CHECK.format("%i", "%y.len")),
    "nobody comes here": where("gt %t, #300", CHECK.format("%t", "#128")),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_outside(name: str) -> None:
    found = findings(OUTSIDE[name])
    assert [one.code for one in found] == ["OX5001"]
    assert found[0].message == "index is out of bounds of `s` for certain"


@pytest.mark.parametrize("name", FINE)
def test_not_for_certain(name: str) -> None:
    assert findings(FINE[name]) == []


def test_the_thread_is_named() -> None:
    (found,) = findings(OUTSIDE["some threads"])
    assert found.label == "thread 128 is outside on every launch: its index is 128, of 128"
