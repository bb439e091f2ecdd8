"""Barriers in shared memory (mbarrier): 64 bits each, which count arrivals of threads and bytes of asynchronous copies, phase by phase.

A phase is over once nobody is pending and no bytes are outstanding; the next one begins at once, with as many pending as `init` said.
A token names the phase in which it was given, a parity the phases of that number modulo 2.
"""

from __future__ import annotations

from oxidepy.ir.intrinsics.row import Address, Argument, Form, Immediate, Intrinsic, Registers, instruction
from oxidepy.ir.types import Space

_FIRST, _TX = (80, (7, 0)), (90, (8, 0))  # architecture and PTX ISA of barriers that count threads, and of those that count bytes
_TOKEN = (Registers("token", "u64"),)
_DONE = (Registers("done", "bool"),)
WAITS = ("barrier.wait", "barrier.wait_parity")
TESTS = ("barrier.test_wait", "barrier.test_wait_parity", "barrier.try_wait", "barrier.try_wait_parity")


def at(name: str, space: Space) -> Address:
    """The place of one barrier."""
    return Address(name, (space,), "both", 8, 8, ("u64",))


def _row(
    name: str,
    text: str,
    gives: tuple[Registers, ...],
    doc: str,
    since: tuple[int, tuple[int, int]],
    *more: Argument,
    space: Space = "shared",
) -> Intrinsic:
    arguments = (at("bar", space), *more)
    return instruction(
        f"barrier.{name}",
        text,
        arguments,
        gives,
        doc=doc,
        arch=since[0],
        isa=since[1],
        effect="write",
        reference=f"mbarrier:{_function(name)}",
    )


def _function(name: str) -> str:
    return name.replace("try_", "test_")


def _test(kind: str, parity: bool, since: tuple[int, tuple[int, int]]) -> Intrinsic:
    name = f"{kind}_wait" + "_parity" * parity
    which = Registers("parity", "u32") if parity else Registers("token", "u64")
    ends = f"the phase of {'that number modulo 2' if parity else 'the token'} is over"
    may = ", after resting for a while where it is not" if kind == "try" else ""
    return _row(name, "", _DONE, f"Whether {ends}{may}.", since, which)  # see backend/nvptx_phases


def _wait(parity: bool) -> Intrinsic:
    which = Registers("parity", "u32") if parity else Registers("token", "u64")
    doc = (
        "Wait until the phase of that number modulo 2 is over, be it this one or the last: 0 for the first phase, 1 for the second, …"
        if parity
        else "Wait until the phase of the token is over; what was done before the arrivals, and bytes that were counted, are visible then."
    )
    return _row("wait" + "_parity" * parity, "", (), doc, (80, (8, 0)), which)  # a loop, see backend/nvptx_phases


def _arrivals() -> list[Intrinsic]:
    count = Registers("count", "u32")
    return [
        _row(
            "init",
            "mbarrier.init.shared.b64 [<bar>], <count>;",
            (),
            "Begin a barrier: `count` arrivals (1 to 1,048,575) end a phase. By one thread; others see it behind the next `block.sync()`.",
            _FIRST,
            count,
        ),
        _row(
            "inval",
            "mbarrier.inval.shared.b64 [<bar>];",
            (),
            "End a barrier, so that `init` may begin it anew. By one thread, when no other waits.",
            _FIRST,
        ),
        _row("arrive", "mbarrier.arrive.shared.b64 <token>, [<bar>];", _TOKEN, "One arrival; the token of the phase.", _FIRST),
        _row(
            "arrive_count",
            "mbarrier.arrive.shared.b64 <token>, [<bar>], <count>;",
            _TOKEN,
            "Several arrivals at once.",
            (90, (7, 8)),
            count,
        ),
        _row(
            "arrive_no_complete",
            "mbarrier.arrive.noComplete.shared.b64 <token>, [<bar>], <count>;",
            _TOKEN,
            "Arrivals that do not end the phase; gives its token.",
            _FIRST,
            count,
        ),
        _row(
            "arrive_drop",
            "mbarrier.arrive_drop.shared.b64 <token>, [<bar>];",
            _TOKEN,
            "One arrival, and one fewer in every later phase; the token of the phase.",
            _FIRST,
        ),
        _row(
            "arrive_drop_count",
            "mbarrier.arrive_drop.shared.b64 <token>, [<bar>], <count>;",
            _TOKEN,
            "Several arrivals at once, and as many fewer in every later phase.",
            (90, (7, 8)),
            count,
        ),
    ]


def _bytes() -> list[Intrinsic]:
    bytes_ = Registers("bytes", "u32")
    return [
        _row(
            "complete_tx",
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [<bar>], <bytes>;",
            (),
            "So many bytes have come, as an asynchronous copy says it.",
            _TX,
            bytes_,
        ),
        _row(
            "expect_tx",
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [<bar>], <bytes>;",
            (),
            "The phase does not end before so many more bytes were copied.",
            _TX,
            bytes_,
        ),
        _row(
            "arrive_expect_tx",
            "mbarrier.arrive.expect_tx.shared::cta.b64 <token>, [<bar>], <bytes>;",
            _TOKEN,
            "`expect_tx`, then one arrival.",
            _TX,
            bytes_,
        ),
    ]


def _far() -> list[Intrinsic]:
    """Of a barrier in another block of the cluster: it gives no token, since nobody waits from afar."""
    count, bytes_ = Registers("count", "u32"), Registers("bytes", "u32")
    scope = "release.cluster.shared::cluster.b64"
    return [
        _row(
            "arrive_far",
            f"mbarrier.arrive.{scope} _, [<bar>], <count>;",
            (),
            "Arrivals at another block's barrier.",
            _TX,
            count,
            space="cluster",
        ),
        _row(
            "arrive_drop_far",
            f"mbarrier.arrive_drop.{scope} _, [<bar>], <count>;",
            (),
            "`arrive_drop` at another block's barrier.",
            _TX,
            count,
            space="cluster",
        ),
        _row(
            "complete_tx_far",
            "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [<bar>], <bytes>;",
            (),
            "`complete_tx` of another block's barrier.",
            _TX,
            bytes_,
            space="cluster",
        ),
        _row(
            "expect_tx_far",
            "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [<bar>], <bytes>;",
            (),
            "`expect_tx` of another block's barrier.",
            _TX,
            bytes_,
            space="cluster",
        ),
        _row(
            "arrive_expect_tx_far",
            f"mbarrier.arrive.expect_tx.{scope} _, [<bar>], <bytes>;",
            (),
            "`arrive_expect_tx` of another block's barrier.",
            _TX,
            bytes_,
            space="cluster",
        ),
    ]


def _fences() -> list[Intrinsic]:
    spaces = Immediate("space", ("", ".shared::cta", ".global", ".shared::cluster"), "")
    return [
        instruction(
            "barrier.fence_proxy_async",
            "fence.proxy.async<space>;",
            doc="What this thread wrote before is seen by the asynchronous copies that it begins behind this.",
            immediates=(spaces,),
            arch=90,
            isa=(8, 0),
            effect="write",
            reference="mbarrier:fence",
        ),
        instruction(
            "barrier.fence_init",
            "fence.mbarrier_init.release.cluster;",
            doc="The barriers that this thread has begun are seen by the other blocks behind the next `cluster.sync()`.",
            arch=90,
            isa=(8, 0),
            effect="write",
            reference="mbarrier:fence",
        ),
        instruction(
            "barrier.pending_count",
            "mbarrier.pending_count.b64 <count>, <token>;",
            (Registers("token", "u64"),),
            (Registers("count", "u32"),),
            doc="How many arrivals the phase lacked when `arrive_no_complete` gave the token, which may be of no other call.",
            unsafe=False,
            reference="mbarrier:pending_count",
        ),
        instruction(
            "barrier.nanosleep",
            "nanosleep.u32 <nanoseconds>;",
            (Registers("nanoseconds", "u32"),),
            doc="Rest for about so long, up to a millisecond, between two looks at memory.",
            arch=75,
            isa=(6, 3),
            effect="write",
            unsafe=False,
            reference="mbarrier:fence",
            cpu="nothing",
        ),
    ]


def rows() -> list[Intrinsic]:
    tests = [_test(kind, parity, since) for kind, since in (("test", (80, (8, 0))), ("try", (90, (8, 0)))) for parity in (False, True)]
    return [*_arrivals(), *_bytes(), *_far(), *tests, _wait(False), _wait(True), *_fences()]


_BAR = "bars: Barriers, index: int"
FORMS = (
    Form(
        "barrier.arrive",
        f"{_BAR}, count: u32 | int = 1, /",
        "u64",
        "`count` arrivals; gives the token of the phase, for `wait`. At another block's barrier (`cluster.map_shared`) there is no token.",
        ("barrier.arrive", "barrier.arrive_count", "barrier.arrive_far"),
    ),
    Form(
        "barrier.arrive_drop",
        f"{_BAR}, count: u32 | int = 1, /",
        "u64",
        "`arrive` for the last time: the phases behind this one lack `count` arrivals fewer. Some arrival stays.",
        ("barrier.arrive_drop", "barrier.arrive_drop_count", "barrier.arrive_drop_far"),
    ),
    Form(
        "barrier.complete_tx",
        f"{_BAR}, size: u32 | int, /",
        "None",
        "So many bytes have come, as an asynchronous copy says it: for data that threads bring themselves.",
        ("barrier.complete_tx", "barrier.complete_tx_far"),
    ),
    Form(
        "barrier.expect_tx",
        f"{_BAR}, size: u32 | int, /",
        "None",
        "The phase does not end before so many more bytes were copied.",
        ("barrier.expect_tx", "barrier.expect_tx_far"),
    ),
    Form(
        "barrier.arrive_expect_tx",
        f"{_BAR}, size: u32 | int, /",
        "u64",
        "`expect_tx`, then one arrival; gives the token. At another block's barrier there is no token.",
        ("barrier.arrive_expect_tx", "barrier.arrive_expect_tx_far"),
    ),
    Form(
        "barrier.fence_proxy_async",
        "space: Literal['all', 'shared', 'cluster', 'global'] = 'all'",
        "None",
        "What this thread wrote before is seen by the asynchronous copies that it begins behind this.",
        ("barrier.fence_proxy_async",),
    ),
)
