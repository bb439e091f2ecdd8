"""The content-addressed store of compiled kernels and proofs."""

from oxidepy.cache.default import default_cache
from oxidepy.cache.entry import Entry
from oxidepy.cache.store import Cache, Stats

__all__ = ["Cache", "Entry", "Stats", "default_cache"]
