"""What compilation gives, under the name by which the driver and its callers know it; the backends make it, so it lives with them."""

from oxidepy.backend.artefact import AbiParam, Artefact, PanicSite

__all__ = ["AbiParam", "Artefact", "PanicSite"]
