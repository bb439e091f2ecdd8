"""Look for kernels that the prover accepts and that race: random ones, their mutants, and mutants of the free corpus. Run by night.

    python scripts/soundness.py --kernels 20000 --mutants 2 --corpus 8 --jobs 16

Random kernels are run thread by thread, mutants of the corpus on the watched interpreter. The suite takes the first 500 of the same
kernels. Exit code 1 at a race in an accepted kernel.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1] / "tests")  # not this folder: the package of the tests has the name of another file

CHUNK = 50


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--kernels", type=int, default=20000)
    options.add_argument("--mutants", type=int, default=2, help="of one accepted random kernel")
    options.add_argument("--clusters", type=int, default=2000, help="random kernels of clusters")
    options.add_argument("--corpus", type=int, default=8, help="mutants of one kernel of the free corpus")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing new after that long")
    given = options.parse_args()
    from proofs import corpora

    end = time.monotonic() + given.seconds
    work = [("corpus", family, given.corpus, end) for family in corpora.families("free")] if given.corpus else []
    work += [("clusters", first, 0, end) for first in range(given.first, given.first + given.clusters, CHUNK)]
    work += [("random", first, given.mutants, end) for first in range(given.first, given.first + given.kernels, CHUNK)]
    total, wrong = Counter[str](), list[str]()
    with ProcessPoolExecutor(given.jobs) as pool:
        for tally, found in pool.map(_piece, work):
            total += tally
            wrong += found
            for one in found:
                print(one, "\n", flush=True)
    for name, count in sorted(total.items()):
        print(f"{name:32} {count}")
    print(f"{len(wrong)} accepted kernels race")
    return bool(wrong)


def _piece(work: tuple[str, int | str, int, float]) -> tuple[Counter[str], list[str]]:
    kind, which, mutants, end = work
    if time.monotonic() > end:
        return Counter({f"{kind}: left out for time": 1}), []
    if kind == "clusters":
        from analysis.races.clustered import search

        found, wrong = search(int(which), CHUNK)
        return Counter({f"random with clusters: {name}": count for name, count in found.items()}), wrong
    return _random(int(which), mutants) if kind == "random" else _corpus(str(which), mutants)


def _random(first: int, most: int) -> tuple[Counter[str], list[str]]:
    from analysis.races.mutants import mutants
    from analysis.races.random_kernels import Maker
    from analysis.races.soundness import caught, verdict

    tally, wrong = Counter[str](), list[str]()
    for seed in range(first, first + CHUNK):
        module, text = Maker(seed).module()
        found = verdict(module)
        tally[f"random: {found}"] += 1
        if found != "accepted":
            continue
        if (clash := caught(module, seed)) is not None:
            wrong.append(f"seed {seed}\n{text}\n{clash[1]}")
        for what, mutant in mutants(module, random.Random(seed), most):
            found = verdict(mutant)
            tally[f"mutants of random kernels: {found}"] += 1
            if found == "accepted" and (clash := caught(mutant, seed)) is not None:
                wrong.append(f"seed {seed}, {what}\n{text}\n{clash[1]}")
    return tally, wrong


def _corpus(family: str, most: int) -> tuple[Counter[str], list[str]]:
    from analysis.races.mutants import mutants, raced
    from analysis.races.soundness import LIMIT
    from analysis.races.test_mutants import modules

    from oxidepy.analysis import races

    tally, wrong = Counter[str](), list[str]()
    for name, module in modules(family, 1):
        rng = random.Random(name)
        if races.prove(module, limit=LIMIT).diagnostics:
            continue
        for what, mutant in mutants(module, rng, most):
            proof = races.prove(mutant, limit=LIMIT, trial=False)
            if proof.diagnostics:
                tally["mutants of the corpus: refused"] += 1
                continue
            mutant.kernel.requires = (*mutant.kernel.requires, *proof.staked)
            found, made = raced(mutant, rng, 6)
            tally["mutants of the corpus: accepted" + ("" if made else ", not run")] += 1
            wrong += [f"{family}.{name}, {what}\n{one.message}" for one in found]
    return tally, wrong


if __name__ == "__main__":
    sys.exit(main())
