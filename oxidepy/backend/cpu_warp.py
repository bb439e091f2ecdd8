"""Warp operations on the CPU: a loop over the block's warps, in it loops over lanes, `%mask` says which lanes are under way.

Control flow that contains a warp operation is done for the warp: each branch with the lanes that take it, a loop until no lane is left.
Lanes that leave a scope wait in its own mask. `full`: all lanes of the warp are under way, and nothing asks for the mask.
"""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend import cpu_vectors
from oxidepy.backend.cpu_interior import in_two
from oxidepy.backend.cpu_levels import LevelEmitter
from oxidepy.backend.cpu_plan import Plan, Run, updates
from oxidepy.backend.cpu_uniform import BLOCK, LANE, WARP
from oxidepy.backend.llvm.debug import Metadata
from oxidepy.backend.llvm.emitter import Join, ModuleText, loop_back, loop_head
from oxidepy.backend.llvm.folds import FOLDS, fold
from oxidepy.ir.core import Block, Kernel, Op, Value
from oxidepy.ir.intrinsics import ROWS

_SOURCE = {"shuffle.xor": "xor", "shuffle.down": "add", "shuffle.up": "sub"}  # of the own place in the tile and the operand


class WarpEmitter(LevelEmitter):
    """Blocks with barriers, warps with exchanges."""

    def __init__(self, text: ModuleText, kernel: Kernel, metadata: Metadata, found: list[Op], plan: Plan) -> None:
        super().__init__(text, kernel, metadata, found, plan)
        self.full: bool = True
        self.in_warp = False
        self._taking = ""  # the lanes that take part in the present run
        self.base = "0"  # number of the warp's first thread
        self._first: tuple[str, str, str] = ("0", "0", "0")  # its coordinates, where those of the other lanes differ along x alone
        self._waiting: dict[str, str] = {}  # scopes inside of the loop over warps: mask of the lanes that have left
        self._passes: dict[Block, int] = {}  # what a region passes
        self.lanes = min(32, self.threads)
        self.waits[WARP] = {
            "if": self._lane_if,
            "for": self._lane_for,
            "while": self._lane_while,
            "scope": self._lane_scope,
            "intrinsic": self._exchange,
        }

    def threads_of_block(self) -> str:
        for name in ("mask", "gone", "bits"):
            self.object(name, "i32", 4)
        self.object("totals", "[32 x i32]", 128)
        return super().threads_of_block()

    # ---- loops over warps and lanes

    def run(self, run: Run) -> None:
        if self.mode == WARP:
            self._lane_run(run)
        elif run.warps is None:
            super().run(run)
        else:
            exits = bool(run.leaves) or run.checks
            self.in_versions(lambda: self._warps(run, exits), exits)

    def _warps(self, run: Run, exits: bool) -> None:
        count = -(-self.threads // 32)
        before, head, name = self.current, self.fresh("warp"), f"%{self.fresh('number')}"
        place = len(self.lines)
        if count > 1:
            self.do(f"br label %{head}")
            self.start(head)
            place = len(self.lines)
            self.lines.append("")
        self.base = self.ins(f"shl nuw nsw i32 {name}, 5") if count > 1 else "0"
        self._first_lane()
        self.mode, self.in_warp = WARP, True
        self.full = not self.partial and (count == 1 or self.threads % 32 == 0)
        self.do(f"store i32 {self.all_lanes()}, ptr %mask")
        if not self.full:
            self.do(f"store i32 {self._bits(self._there)}, ptr %mask")
        partial, first = self.partial, self.ins(self._LOAD)
        self.partial = False
        self.items(run.warps or [])
        self.partial, self.mode, self.in_warp = partial, BLOCK, False
        if exits:
            self._fold("%whole", "and", self.ins(f"icmp eq i32 {self.ins(self._LOAD)}, {first}"))
        if count > 1:
            end = self.fresh("endwarps")
            following = self.ins(f"add nuw nsw i32 {name}, 1")
            self.do(f"br i1 {self.ins(f'icmp ult i32 {following}, {count}')}, label %{head}, label %{end}")
            self.lines[place] = f"  {name} = phi i32 [ 0, %{before} ], [ {following}, %{self.current} ]"
            self.start(end)

    def all_lanes(self) -> str:
        return "-1" if self.lanes == 32 else str((1 << self.lanes) - 1)

    def _first_lane(self) -> None:
        x, y, _ = self.kernel.block
        if x % 32 == 0 and x < self.threads:
            row = self.ins(f"udiv i32 {self.base}, {x}")
            self._first = (self.ins(f"urem i32 {self.base}, {x}"), self.ins(f"urem i32 {row}, {y}"), self.ins(f"udiv i32 {row}, {y}"))

    def _there(self) -> str:
        """Whether the lane is a thread of the block that is under way."""
        if self.threads % 32 == 0 or self.threads < 32:
            return self._idle()
        exists = self.ins(f"icmp ult i32 {self.linear}, {self.threads}")
        if not (self.sites or self.left_early):
            return exists
        # the place of a lane that does not exist is that of another thread
        return self.ins(f"and i1 {exists}, {self._idle()}")

    def _idle(self) -> str:
        return self.ins(f"icmp eq i32 {self.ins(f'load i32, ptr {self.state_at_fresh()}, align 4')}, 0")

    def lanes_loop(self, body: Callable[[], None], checks: int = 0, vectors: int = 0) -> None:
        """All lanes, those too that do not exist or are not under way. `vectors`: how many lanes, where LLVM is to make vectors of them."""
        mode, self.mode = self.mode, LANE
        before, head = self.current, self.fresh("lane")
        name = f"%number.{head}"
        self.do(f"br label %{head}")
        self.start(head)
        place = len(self.lines)
        self.lines.append("")
        self.lane = name
        self.linear = self.ins(f"add nuw nsw i32 {self.base}, {name}") if self.base != "0" else name
        self._index = {}
        self._coordinates()
        body()
        end = self.fresh("endlanes")
        following = self.ins(f"add nuw nsw i32 {name}, 1")
        more = self.ins(f"icmp ult i32 {following}, {self.lanes}")
        self.do(f"br i1 {more}, label %{head}, label %{end}{self.loop_facts(checks, vectors)}")
        self.lines[place] = f"  {name} = phi i32 [ 0, %{before} ], [ {following}, %{self.current} ]"
        self.start(end)
        self.mode = mode

    def _coordinates(self) -> None:
        x, y, _ = self.kernel.block
        if x >= self.threads:
            found = (self.linear, "0", "0")
        elif x % 32 == 0:
            found = (self.ins(f"add nuw nsw i32 {self._first[0]}, {self.lane}"), *self._first[1:])
        else:
            own = self.hidden(self.linear, "i32")
            row = self.ins(f"udiv i32 {own}, {x}")
            found = (self.ins(f"urem i32 {own}, {x}"), self.ins(f"urem i32 {row}, {y}"), self.ins(f"udiv i32 {row}, {y}"))
        for letter, size, text in zip("xyz", self.kernel.block, found, strict=True):
            self.coordinates[f"tid.{letter}"] = text if size > 1 else "0"

    def position(self, name: str, type_: str) -> str:
        if self.in_warp and name in ("lane", "warp_id"):
            return self.lane if name == "lane" else self.ins(f"lshr i32 {self.base}, 5")
        return super().position(name, type_)

    # ---- lanes of a run

    def _lane_run(self, run: Run) -> None:
        checks = sum(one.name == "check" for op in run.ops for one in op.walk())
        exits = bool(run.leaves) or run.checks
        if self.full and not exits and cpu_vectors.run(self, run):
            return
        if exits:
            self.do("store i32 0, ptr %gone")
        self._taking = "" if self.full else self.ins("load i32, ptr %mask")
        held, guards = self.asked(run) if self.full and not exits else ("", frozenset[Op]())

        def lanes() -> None:
            self.lanes_loop(lambda: self.thread(run), checks, self.lanes if not exits and not any(updates(op) for op in run.ops) else 0)

        if guards:
            in_two(self, held, guards, lanes)
        else:
            lanes()
        if exits:
            self._drop(self.ins("load i32, ptr %gone"))

    def _drop(self, gone: str) -> None:
        stays = self.ins(f"xor i32 {gone}, -1")
        self.do(f"store i32 {self.ins(f'and i32 {self.ins(self._LOAD)}, {stays}')}, ptr %mask")
        self.full = False

    _LOAD = "load i32, ptr %mask"

    def masked(self) -> str | None:
        if not self.in_warp:
            return super().masked()
        return None if self.full else self._bit(self._taking)

    def _bit(self, mask: str) -> str:
        return self.ins(f"trunc i32 {self.ins(f'lshr i32 {mask}, {self.lane}')} to i1")

    def left(self, run: Run, stays: str) -> None:
        if not self.in_warp:
            super().left(run, stays)
            return
        # a lane that did not take part is not in the mask anyway
        self._set("%gone", self.ins(f"xor i1 {stays}, true"))

    def _set(self, name: str, condition: str) -> None:
        """Set the lane's bit in a mask where the condition holds."""
        bit = self.ins(f"shl i32 {self.ins(f'zext i1 {condition} to i32')}, {self.lane}")
        before = self.ins(f"load i32, ptr {name}")
        self.do(f"store i32 {self.ins(f'or i32 {before}, {bit}')}, ptr {name}")

    def leaving_state(self, label: str) -> str:
        return "0" if label in self._waiting else super().leaving_state(label)

    def leaving(self, label: str) -> None:
        if label in self._waiting:
            self._set(self._waiting[label], "true")

    # ---- control flow of a warp

    def region(self, block: Block) -> list[str] | None:
        found = super().region(block)
        if found is None and self.mode == WARP:
            return ["poison"] * self._passes[block]  # all lanes have left: the warp comes to the end without any
        return found

    def terminator(self, op: Op) -> list[str] | None:
        if self.mode == WARP and op.name == "leave":
            label = op.attrs["label"]
            mask = self.ins(self._LOAD)
            if label in self._waiting:
                before = self.ins(f"load i32, ptr {self._waiting[label]}")
                self.do(f"store i32 {self.ins(f'or i32 {before}, {mask}')}, ptr {self._waiting[label]}")
            else:
                self._leave_block(label, mask)
            self.do("store i32 0, ptr %mask")
            self.full = False
            return None
        if self.mode == WARP and op.name == "condition":
            return ["poison", *(self.scalar_text(one) for one in op.operands[1:])]
        return super().terminator(op)

    def _leave_block(self, label: str, mask: str) -> None:
        """All lanes under way leave for a scope around the loop over warps."""

        def leave() -> None:
            place = self.state_at_fresh()
            before = self.ins(f"load i32, ptr {place}, align 4")
            self.do(f"store i32 {self.ins(f'select i1 {self._bit(mask)}, i32 {self.numbers[label]}, i32 {before}')}, ptr {place}, align 4")

        self.lanes_loop(leave)

    def _bits(self, condition: Callable[[], str]) -> str:
        """The lanes for which a condition holds; also of lanes that are not under way, which says nothing."""
        self.do("store i32 0, ptr %bits")
        self.lanes_loop(lambda: self._set("%bits", condition()))
        return self.ins("load i32, ptr %bits")

    def bits_of(self, value: Value) -> str:
        """The lanes under way for which a truth value holds."""
        mask = self.ins(self._LOAD)
        if value in self.plan.uniform:
            return self.ins(f"select i1 {self.values[value]}, i32 {mask}, i32 0")
        found = cpu_vectors.bits(self, value) or self._bits(lambda: self.fetch(value))
        return self.ins(f"and i32 {found}, {mask}")

    def _lane_if(self, op: Op) -> bool:
        (condition,) = op.operands
        before = self.full
        for region in op.regions:
            self._passes[region] = len(op.results)
        if condition in self.plan.uniform:
            labels, end = [self.fresh("then"), self.fresh("else")], Join(self.fresh("endif"))
            self.do(f"br i1 {self.values[condition]}, label %{labels[0]}, label %{labels[1]}")
            for label, region in zip(labels, op.regions, strict=True):
                self.full = before
                self.start(label)
                self.enter(end, self.region(region))
            self.full = before and not self.plan.exits[op]
            return self.join(end, op.results)
        mask = self.ins(self._LOAD)
        yes = self.bits_of(condition)
        if before and self.threads % 32 == 0:
            whole, some, after = self.fresh("whole"), self.fresh("some"), self.fresh("endsome")
            self.do(f"br i1 {self.ins(f'icmp eq i32 {yes}, -1')}, label %{whole}, label %{some}")
            self.start(whole)
            self.region(op.regions[0])
            self.do(f"br label %{after}")
            self.start(some)
            self._branches(op, yes, mask)
            self.do(f"br label %{after}")
            self.start(after)
        else:
            self._branches(op, yes, mask)
        self.full = before and not self.plan.exits[op]
        return True

    def _branches(self, op: Op, yes: str, mask: str) -> None:
        """Each branch of an `if` with the lanes that take it."""
        ends: list[str] = []
        for lanes, region in zip((yes, self.ins(f"xor i32 {yes}, {mask}")), op.regions, strict=True):
            inside, end_label = self.fresh("lanes"), self.fresh("endlanes")
            self.do(f"store i32 {lanes}, ptr %mask")
            self.do(f"br i1 {self.ins(f'icmp ne i32 {lanes}, 0')}, label %{inside}, label %{end_label}")
            self.start(inside)
            self.full = False
            self.region(region)
            self.do(f"br label %{end_label}")
            self.start(end_label)
            ends.append(self.ins(self._LOAD))
        self.do(f"store i32 {self.ins(f'or i32 {ends[0]}, {ends[1]}')}, ptr %mask")

    def _lane_for(self, op: Op) -> bool:
        """The rounds are the same for all lanes."""
        self._passes[op.regions[0]] = len(op.results)
        for value in op.operands[3:]:
            self.values[value] = self.scalar_text(value)
        self.full = self.full and not self.plan.exits[op]
        return self.own_control(op)

    def _lane_while(self, op: Op) -> bool:
        test, body = op.regions
        self._passes[test], self._passes[body] = 1 + len(op.results), len(op.operands)
        full = self.full and not self.plan.exits[op]
        done = self.object(f"done.{self.fresh('lanes')}", "i32", 4)
        head, inside, end = self.fresh("while"), self.fresh("do"), self.fresh("endwhile")
        self.do(f"store i32 0, ptr {done}")
        self.full = False
        holes = loop_head(self, test.args, [self.scalar_text(one) for one in op.operands], head)
        self.region(test)
        mask = self.ins(self._LOAD)
        flag = test.terminator
        going = self.bits_of(flag.operands[0]) if flag.name == "condition" else "0"
        ended = self.ins(f"xor i32 {going}, {mask}")
        before = self.ins(f"load i32, ptr {done}")
        self.do(f"store i32 {self.ins(f'or i32 {before}, {ended}')}, ptr {done}")
        self.do(f"store i32 {going}, ptr %mask")
        self.do(f"br i1 {self.ins(f'icmp ne i32 {going}, 0')}, label %{inside}, label %{end}")
        self.start(inside)
        carried = self.region(body)
        assert carried is not None
        loop_back(self, holes, carried)
        self.do(f"br label %{head}")
        self.start(end)
        back = self.ins(f"load i32, ptr {done}")
        self.do(f"store i32 {back}, ptr %mask")
        self.full = full
        return True

    def _lane_scope(self, op: Op) -> bool:
        label, (body,) = op.attrs["label"], op.regions
        outer, full = self._waiting.get(label), self.full
        self._passes[body] = len(op.results)
        waiting = self._waiting[label] = self.object(f"left.{self.fresh('lanes')}", "i32", 4)
        self.do(f"store i32 0, ptr {waiting}")
        self.region(body)
        back, mask = self.ins(f"load i32, ptr {waiting}"), self.ins(self._LOAD)
        self.do(f"store i32 {self.ins(f'or i32 {back}, {mask}')}, ptr %mask")
        del self._waiting[label]
        if outer is not None:
            self._waiting[label] = outer
        self.full = full and not self.plan.exits[op]
        return True

    # ---- exchanges

    def _exchange(self, op: Op) -> bool:
        kind = ROWS[op.attrs["row"]].cpu
        if not op.results:
            return True
        width = int(op.attrs["width"])
        if kind.startswith("shuffle."):
            self._shuffle(op, kind, width)
        elif kind in ("match", "match.all"):
            self._match(op, width, kind == "match.all")
        elif kind.startswith("reduce."):
            self._reduce(op, kind, width)
        else:
            self._vote_of_tiles(op, kind, width)
        return True

    def _shuffle(self, op: Op, kind: str, width: int) -> None:
        value, by = op.operands
        if self.full and cpu_vectors.shuffle(self, op, kind, width):
            return
        mask = "" if self.full else self.ins(self._LOAD)

        def shuffle() -> None:
            own, operand = self.fetch(value), self.fetch(by)
            if mask:  # a lane that is not under way has none
                operand = self.ins(f"freeze i32 {operand}")
            found = own if value in self.plan.uniform else self._other(value, own, operand, kind, width, mask, op.attrs["mask"] == "active")
            self.store_slot(op.result, found)

        self.lanes_loop(shuffle)

    def _other(self, value: Value, own: str, operand: str, kind: str, width: int, mask: str, active: bool) -> str:
        """The value of another lane, the own one where there is no such; 0 of a lane that a check ended."""
        type_ = self.type(value.scalar)
        place = self.lane if width == 32 else self.ins(f"and i32 {self.lane}, {width - 1}")
        wanted = operand if kind == "shuffle.idx" else self.ins(f"{_SOURCE[kind]} i32 {place}, {operand}")
        there = self.ins(f"icmp ult i32 {wanted}, {width}")
        first = "0" if width == 32 else self.ins(f"and i32 {self.lane}, {-width}")
        source = wanted if width == 32 else self.ins(f"add i32 {first}, {wanted}")
        if self.threads % 32:
            number = self.ins(f"add i32 {self.base}, {source}")
            there = self.ins(f"and i1 {there}, {self.ins(f'icmp ult i32 {number}, {self.threads}')}")
        source = self.ins(f"select i1 {there}, i32 {source}, i32 {self.lane}")
        if mask and active:
            here = self.ins(f"trunc i32 {self.ins(f'lshr i32 {mask}, {source}')} to i1")
            source = self.ins(f"select i1 {here}, i32 {source}, i32 {self.lane}")
        number = source if self.plan.slots[self.plan.place(value)] else self.ins(f"add nuw nsw i32 {self.base}, {source}")
        found = self.load_slot(value, self.ins(f"zext nneg i32 {number} to i64"))
        if mask and not active:
            here = self.ins(f"trunc i32 {self.ins(f'lshr i32 {mask}, {source}')} to i1")
            zero = self.constant(value.scalar, 0)
            found = self.ins(f"select i1 {here}, {type_} {found}, {type_} {zero}")
        return found

    def _vote_of_tiles(self, op: Op, kind: str, width: int) -> None:
        (condition,) = op.operands
        yes = self.bits_of(condition)
        bits = yes if kind != "vote.all" else self.ins(f"xor i32 {yes}, {self.ins(self._LOAD)}")  # for `all`: those against
        tile = (1 << width) - 1

        def vote() -> None:
            own = bits
            if width < 32:
                first = self.ins(f"and i32 {self.lane}, {-width}")
                own = self.ins(f"and i32 {self.ins(f'lshr i32 {bits}, {first}')}, {tile}")
            if kind != "ballot":
                own = self.ins(f"icmp {'eq' if kind == 'vote.all' else 'ne'} i32 {own}, 0")
            self.store_slot(op.result, own)

        self.lanes_loop(vote)

    def _reduce(self, op: Op, kind: str, width: int) -> None:
        """All lanes into one place; of tiles, into a place for each."""
        (value,) = op.operands
        instruction, nothing = FOLDS[kind.removeprefix("reduce."), value.scalar.signed]
        if self.full and width == 32 and cpu_vectors.reduce(self, op, instruction):
            return
        mask = "" if self.full else self.ins(self._LOAD)
        places = 32 // width
        for tile in range(places):
            self.do(f"store i32 {nothing}, ptr {self._total(str(tile))}")

        def add() -> None:
            own = self.fetch(value)
            if mask:
                own = self.ins(f"select i1 {self._bit(mask)}, i32 {own}, i32 {nothing}")
            place = self._total(self._tile(width))
            before = self.ins(f"load i32, ptr {place}")
            self.do(f"store i32 {fold(self, instruction, before, own)}, ptr {place}")

        self.lanes_loop(add)
        if places == 1:
            total = self.ins(f"load i32, ptr {self._total('0')}")
            self.lanes_loop(lambda: self.store_slot(op.result, total))
        else:
            self.lanes_loop(lambda: self.store_slot(op.result, self.ins(f"load i32, ptr {self._total(self._tile(width))}")))

    def _tile(self, width: int) -> str:
        """The number of the lane's tile."""
        return "0" if width == 32 else self.ins(f"lshr i32 {self.lane}, {width.bit_length() - 1}")

    def _total(self, tile: str) -> str:
        return self.ins(f"getelementptr inbounds i32, ptr %totals, i32 {tile}")

    def _match(self, op: Op, width: int, all_of_them: bool) -> None:
        """Each lane against each other lane of its tile."""
        (value,) = op.operands
        mask = self.ins(self._LOAD)
        uniform = value in self.plan.uniform
        within = self.plan.slots.get(self.plan.place(value), False)

        def match() -> None:
            first = "0" if width == 32 else self.ins(f"and i32 {self.lane}, {-width}")
            own, found = self._comparable(value, self.fetch(value)), "0"
            for place in range(min(width, self.lanes)):
                other = str(place) if first == "0" else self.ins(f"or i32 {first}, {place}")
                there = self.ins(f"trunc i32 {self.ins(f'lshr i32 {mask}, {other}')} to i1")
                if not uniform:
                    source = self.ins(f"select i1 {there}, i32 {other}, i32 {self.lane}")
                    number = source if within else self.ins(f"add nuw nsw i32 {self.base}, {source}")
                    text = self._comparable(value, self.load_slot(value, self.ins(f"zext nneg i32 {number} to i64")))
                    bits = 8 if value.scalar.kind == "bool" else value.scalar.bits
                    same = self.ins(f"icmp eq i{bits} {own}, {text}")
                    there = self.ins(f"and i1 {there}, {same}")
                bit = self.ins(f"select i1 {there}, i32 {1 << place}, i32 0")
                found = self.ins(f"or i32 {found}, {bit}")
            if all_of_them:
                tile = mask if width == 32 else self.ins(f"and i32 {self.ins(f'lshr i32 {mask}, {first}')}, {(1 << width) - 1}")
                found = self.ins(f"icmp eq i32 {found}, {tile}")
            self.store_slot(op.result, found)

        self.lanes_loop(match)

    def _comparable(self, value: Value, text: str) -> str:
        scalar, type_ = value.scalar, self.type(value.scalar)
        if scalar.kind == "bool":
            return self.ins(f"zext i1 {text} to i8")
        return text if type_.startswith("i") else self.ins(f"bitcast {type_} {text} to i{scalar.bits}")
