"""One entry of the cache as bytes: a head, JSON metadata, the payload, and a digest over all of it.

    8 bytes   magic            4 bytes   length of the metadata      32 bytes  the key
    4 bytes   version          8 bytes   length of the payload       metadata, payload, 32 bytes SHA-256 of everything before

All numbers are little-endian. The key inside makes an entry that lies under another's name a bad one.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from dataclasses import dataclass
from typing import Any

MAGIC = b"OXIDEPY\0"
VERSION = 1
HEAD = struct.Struct("<8sIIQ32s")
DIGEST = hashlib.sha256().digest_size
KEY = re.compile(r"[0-9a-f]{64}")


class BadEntry(ValueError):
    """The bytes are no entry with that key; the text says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was kept: JSON-able metadata and raw bytes."""

    key: str
    meta: dict[str, Any]
    payload: bytes


def check_key(key: str) -> str:
    if not KEY.fullmatch(key):
        raise ValueError(f"a cache key is the 64 hexadecimal digits of a SHA-256, not {key!r}")
    return key


def pack(key: str, meta: dict[str, Any], payload: bytes) -> bytes:
    """The bytes of an entry. TypeError or ValueError if `meta` is no JSON."""
    described = json.dumps(meta, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    body = HEAD.pack(MAGIC, VERSION, len(described), len(payload), bytes.fromhex(key)) + described + payload
    return body + hashlib.sha256(body).digest()


def unpack(key: str, data: bytes) -> Entry:
    """The reverse of `pack`. BadEntry unless every byte is as it was written, under this key."""
    if len(data) < HEAD.size + DIGEST:
        raise BadEntry("it is too short")
    magic, version, described, kept, inside = HEAD.unpack_from(data)
    if magic != MAGIC:
        raise BadEntry("it does not begin as an entry does")
    if version != VERSION:
        raise BadEntry(f"it has format {version}, this oxidepy reads {VERSION}")
    if len(data) != HEAD.size + described + kept + DIGEST:
        raise BadEntry("its length is not the one that it states")
    if hashlib.sha256(memoryview(data)[:-DIGEST]).digest() != data[-DIGEST:]:
        raise BadEntry("its digest does not match")
    if inside != bytes.fromhex(key):
        raise BadEntry("it belongs to another key")
    start = HEAD.size + described
    return Entry(key, json.loads(data[HEAD.size : start]), data[start:-DIGEST])
