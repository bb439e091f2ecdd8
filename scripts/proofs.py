"""Check the two corpora of tests/proofs and print a table of what is proven, per family.

    python scripts/proofs.py                        (every family, in one process)
    python scripts/proofs.py scans fft --reasons    (some of them, with what the prover says of each kernel that it does not accept)
    python scripts/proofs.py --open tests/proofs/OPEN.md

Exit code 1 if a racy kernel is accepted, or if too few of the race-free ones are.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1] / "tests")  # not this folder: the package of the tests has the name of this file

from proofs import corpora  # noqa: E402
from proofs.corpora import Kernel, Verdict  # noqa: E402

SHARE = 0.95


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("families", nargs="*")
    options.add_argument("--seconds", type=float, default=1800, help="limit for all of it")
    options.add_argument("--kernel-seconds", type=float, default=corpora.KERNEL_SECONDS, help="limit of processor time for one kernel")
    options.add_argument("--reasons", action="store_true", help="say why free kernels are refused, and twins with another code")
    options.add_argument("--open", type=Path, help="write the kernels that are not proven to this file, in Markdown")
    given = options.parse_args()
    wanted = [(corpus, family) for family in given.families or corpora.families("free") for corpus in corpora.CORPORA]
    wanted = [(corpus, family) for corpus, family in wanted if family in corpora.families(corpus)]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["OXIDEPY_CACHE_DIR"] = cache  # cold: a proof from the cache costs nothing
        verdicts, whole = corpora.batch(wanted, given.seconds, given.kernel_seconds)
    known = {(one.corpus, one.family, one.name): one for pair in wanted for one in corpora.kernels(*pair)}
    table(verdicts)
    if given.reasons:
        for verdict in verdicts:
            if worth(verdict, known[verdict.corpus, verdict.family, verdict.name]):
                print(reason(verdict, known[verdict.corpus, verdict.family, verdict.name]))
    if given.open:
        given.open.write_text(report(verdicts, known), encoding="utf-8")
    if not whole:
        print(f"stopped before its end, after {len(verdicts)} of {len(known)} kernels")
    return 0 if whole and good(verdicts) else 1


NOTES = """\
Proven are race-free kernels that are accepted as they stand; refused twins are those of which the prover says that they race or
diverge, or that it does not know. The families `loaded_*`, whose write indices come out of memory, and `staked`, which need a condition
of the launch, are apart from the rest. A fault is a kernel for which the prover failed or took too long; staked are accepted ones that
rest on conditions which the host tests at the launch.""".splitlines()
HEAD = ("family", "proven", "refused twins", "faults", "staked", "ms", "slowest")


def rows(verdicts: list[Verdict]) -> list[tuple[str, ...]]:
    """What came of each family, and of all."""
    found: dict[str, list[Verdict]] = defaultdict(list)
    for one in verdicts:
        found[one.family].append(one)
        found["apart, in all" if corpora.apart(one.family) else "in all"].append(one)
    return [_row(name, found[name]) for name in sorted(found, key=lambda name: (name.endswith("in all"), name))]


def _row(family: str, some: list[Verdict]) -> tuple[str, ...]:
    free = [one for one in some if one.corpus == "free"]
    racy = [one for one in some if one.corpus == "racy"]
    proven, refused = sum(one.accepted for one in free), sum(bool(one.codes & corpora.RACES) for one in racy)
    faults, staked, times = (
        sum("fault" in one.codes for one in some),
        sum(bool(one.staked) for one in free),
        [one.milliseconds for one in some],
    )
    shares = f"{proven}/{len(free)}", f"{refused}/{len(racy)}"
    return family, *shares, str(faults), str(staked), f"{sum(times):.0f}", f"{max(times):.0f}"


def table(verdicts: list[Verdict]) -> None:
    for row in (HEAD, *rows(verdicts)):
        print(f"{row[0]:18} {row[1]:>9} {row[2]:>14} {row[3]:>7} {row[4]:>7} {row[5]:>8} {row[6]:>8}")


def good(verdicts: list[Verdict]) -> bool:
    """Whether no racy kernel was accepted, and enough of the others were."""
    accepted = [one for one in verdicts if one.corpus == "racy" and one.accepted]
    for one in accepted:
        print(f"ACCEPTED although racy: {one.family}.{one.name}" + (f", staking {'; '.join(one.staked)}" if one.staked else ""))
    counted = [one for one in verdicts if one.corpus == "free" and not corpora.apart(one.family)]
    return not accepted and sum(one.accepted for one in counted) >= SHARE * len(counted)


def worth(verdict: Verdict, kernel: Kernel) -> bool:
    """Whether there is something to say: a free kernel that is refused, a twin that is accepted or refused for another reason."""
    if kernel.expected is None:
        return not verdict.accepted
    return kernel.expected[0] not in verdict.codes


def reason(verdict: Verdict, kernel: Kernel) -> str:
    said = "; ".join(f"{code} at {', '.join(map(str, lines))}: {message}" for code, message, lines in verdict.findings) or "accepted"
    if verdict.staked:
        said += f", staking {' and '.join(f'`{one}`' for one in verdict.staked)}"
    expected = f" (expected {kernel.expected[0]} at {kernel.expected[1]})" if kernel.expected else ""
    return f"{verdict.corpus}/{verdict.family}.{verdict.name}{expected}, {verdict.milliseconds:.0f} ms: {said}"


def report(verdicts: list[Verdict], known: dict[tuple[str, str, str], Kernel]) -> str:
    parts = (
        ("Racy kernels that are accepted", [one for one in verdicts if one.corpus == "racy" and one.accepted]),
        ("Race-free kernels that are not proven", [one for one in verdicts if one.corpus == "free" and not one.accepted]),
        (
            "Race-free kernels that are proven under conditions which they do not state",
            [one for one in verdicts if one.corpus == "free" and one.accepted and one.staked],
        ),
        (
            "Twins that are refused with another code",
            [one for one in verdicts if one.corpus == "racy" and not one.accepted and worth(one, known[one.corpus, one.family, one.name])],
        ),
    )
    lines = ["# The proofs on the two corpora", "", "Written by `python scripts/proofs.py --open tests/proofs/OPEN.md`.", "", *NOTES, ""]
    lines += [f"| {' | '.join(row[:5])} |" for row in (HEAD, ("---",) * 5, *rows(verdicts))]
    for title, some in parts:
        lines += ["", f"## {title}: {len(some)}", ""]
        lines += [f"- {reason(one, known[one.corpus, one.family, one.name])}" for one in some]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
