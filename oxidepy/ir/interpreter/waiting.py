"""Control flow in which threads may wait for others."""

from __future__ import annotations

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.activity import Activity, BlockRun, Join, Split
from oxidepy.ir.interpreter.control import For, If, Region, Scope, While
from oxidepy.ir.interpreter.values import Array, Mask


class SplitIf(Split):
    def __init__(self, plain: If) -> None:
        self.plain, self.results = plain, plain.results

    def enter(self, run: BlockRun, activity: Activity) -> bool:
        condition = activity.frame.slots[self.plain.condition]
        chosen, others = activity.mask & condition, activity.mask & ~condition
        activity.join = Join(self, activity)
        if not chosen.any():
            return activity.into(self.plain.otherwise)
        if others.any():
            other = activity.part(others)
            other.into(self.plain.otherwise)
            run.ready.append(other)
        return activity.into(self.plain.then)

    def ended(self, run: BlockRun, activity: Activity, region: Region) -> bool:
        return _ends(run, activity, activity.mask, region.ends(activity.frame))


class SplitScope(Split):
    def __init__(self, plain: Scope) -> None:
        self.plain, self.results = plain, plain.results

    def enter(self, run: BlockRun, activity: Activity) -> bool:
        activity.join = Join(self, activity, self.plain.label)
        return activity.into(self.plain.body)

    def ended(self, run: BlockRun, activity: Activity, region: Region) -> bool:
        return _ends(run, activity, activity.mask, region.ends(activity.frame))


class SplitFor(Split):
    """`left` and `variable` are slots that hold what the loop remembers between its rounds."""

    def __init__(self, plain: For, left: int, variable: int) -> None:
        self.plain, self.results, self.left, self.variable = plain, plain.results, left, variable

    def enter(self, run: BlockRun, activity: Activity) -> bool:
        slots = activity.frame.slots
        variable, stop, step, *carried = (slots[slot] for slot in self.plain.operands)
        activity.join = Join(self, activity)
        return self._round(run, activity, self.plain.rounds(variable, stop, step), variable, carried)

    def ended(self, run: BlockRun, activity: Activity, region: Region) -> bool:
        slots = activity.frame.slots
        left, variable = slots[self.left], slots[self.variable] + slots[self.plain.operands[2]]
        return self._round(run, activity, left - left.dtype.type(1), variable, region.ends(activity.frame))

    def _round(self, run: BlockRun, activity: Activity, left: Array, variable: Array, carried: list[Array]) -> bool:
        more = left != 0
        if not _ends(run, activity, activity.mask & ~more, carried):
            return False
        activity.frame.write((self.left, self.variable), (left, variable))
        return activity.into(self.plain.body, [variable, *carried])


class SplitWhile(Split):
    """`polls`: the operation for which a round may have to wait for what another thread writes, so others run in between."""

    def __init__(self, plain: While, polls: Op | None) -> None:
        self.plain, self.results, self.polls = plain, plain.results, polls

    def enter(self, run: BlockRun, activity: Activity) -> bool:
        carried = [activity.frame.slots[slot] for slot in self.plain.operands]
        activity.join = Join(self, activity)
        return activity.into(self.plain.test, carried)

    def ended(self, run: BlockRun, activity: Activity, region: Region) -> bool:
        if region is self.plain.test:
            flag, *passed = region.ends(activity.frame)
            return _ends(run, activity, activity.mask & ~flag, passed) and activity.into(self.plain.body, passed)
        carried = region.ends(activity.frame)
        if self.polls is not None:
            activity.poll(self.polls, [one[activity.mask].tobytes() for one in carried])
        return activity.into(self.plain.test, carried)


def _ends(run: BlockRun, activity: Activity, mask: Mask, values: list[Array]) -> bool:
    """The threads of the mask are through with the split that the activity is in; whether others are left."""
    join = activity.join
    assert join is not None
    rest = activity.mask & ~mask
    if mask.any():
        run.arrive(join, mask, values)
    activity.mask = rest
    return bool(rest.any())
