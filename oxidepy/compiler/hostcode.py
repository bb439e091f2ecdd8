"""The analysis of host code, for those who know what the names of a program mean."""

from oxidepy.analysis.host import KernelShape as KernelShape
from oxidepy.analysis.host import Library as Library
from oxidepy.analysis.host import Param as Param
from oxidepy.analysis.host import analyse as analyse
