"""The reference interpreter: the meaning of every operation, run over a block's threads at once with NumPy.

A value is an array over the threads of a block. Control flow is masks: a region runs for the threads of its mask and
gives the mask of those that reach its end. Where threads may wait for each other, a mask with a place in the tree is an
activity: branches split it, joins bring it together, a scheduler runs the activities of a block, and of several blocks where
they wait for each other.
"""

from oxidepy.ir.interpreter.launch import Panic, Program, run
from oxidepy.ir.interpreter.mbarrier import Misuse
from oxidepy.ir.interpreter.memory import Fault
from oxidepy.ir.interpreter.scheduler import Deadlock, Waiters
from oxidepy.ir.interpreter.watch import Watcher

__all__ = ["Deadlock", "Fault", "Misuse", "Panic", "Program", "Waiters", "Watcher", "run"]
