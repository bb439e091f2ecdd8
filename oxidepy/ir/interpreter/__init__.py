"""The reference interpreter: the meaning of every operation, run over a block's threads at once with NumPy.

A value is an array over the threads of a block. Control flow is masks: a region runs for the threads of its mask and
gives the mask of those that reach its end. Regions are generators, so that an operation may wait; a mask and its generator are an activity.
"""

from oxidepy.ir.interpreter.launch import Panic, Program, run
from oxidepy.ir.interpreter.memory import Fault

__all__ = ["Fault", "Panic", "Program", "run"]
