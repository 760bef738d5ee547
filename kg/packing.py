"""How a file of a copy is stored: compressed with zstandard and, where recipients are set, encrypted with age.

Streams, so that memory stays flat. It must never be handed a live database file: opening and closing one drops the locks
that SQLite holds on it. Nothing here is a secret but an identity file, whose text is read and never kept or printed.
"""

import hashlib
import os
import shutil
from typing import Any, BinaryIO

from bellek.schemas.errors import Refused, StoreDamaged, StoreFault, UsageFault

LEVEL = 6  # of zstandard: near gzip's speed and well under its size on our tables
CHUNK = 1 << 20
IDENTITY_CAP = 100_000  # letters of an identity file that are looked at


class Digest:
    """Counts and hashes what passes through to a file."""

    __slots__ = ("_to", "hash", "size")

    def __init__(self, to: BinaryIO | None = None) -> None:
        self._to = to
        self.size = 0
        self.hash = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Take a piece on its way."""
        self.size += len(data)
        self.hash.update(data)
        if self._to:
            self._to.write(data)
        return len(data)


def digest_of(path: str) -> tuple[int, str]:
    """(bytes, SHA-256) of a file that is no live database."""
    seen = Digest()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            seen.write(chunk)
    return seen.size, seen.hash.hexdigest()


def created(path: str) -> BinaryIO:
    """A new file of mode 0600, whatever the umask."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600), "wb")


def folders(path: str) -> None:
    """Make a folder and those above it that are missing, each of mode 0700: `os.makedirs` gives its mode to the last alone."""
    if not os.path.isdir(path):
        folders(os.path.dirname(path))
        os.mkdir(path, 0o700)


def copied(path: str, target: str) -> None:
    """Copy a file into a new one of mode 0600, its folders included."""
    folders(os.path.dirname(target))
    with open(path, "rb") as file, created(target) as out:
        shutil.copyfileobj(file, out)


def synced(path: str) -> None:
    """Bring a file or folder to the disk, so that a power cut cannot take it back."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def pack(path: str, target: str) -> None:
    """Write `target`, compressed, from a plain file. Raises StoreFault where it cannot be written."""
    try:
        with open(path, "rb") as plain, created(target) as out:
            _zstd().ZstdCompressor(level=LEVEL, write_checksum=True).copy_stream(plain, out)
        synced(target)
    except OSError as exc:
        raise full(target, exc) from exc


def encrypt(path: str, target: str, recipients: "tuple[str, ...]") -> None:
    """Write `target`, which only the recipients' identities open. Raises StoreFault, UsageFault for a word that is no recipient."""
    keys = [_recipient(word) for word in recipients]
    try:
        with open(path, "rb") as plain, created(target) as out:
            _age().encrypt_io(plain, out, keys)
        synced(target)
    except OSError as exc:
        raise full(target, exc) from exc


def full(path: str, exc: OSError) -> StoreFault:
    """A file that could not be written, as our error."""
    return StoreFault(
        f"{path} could not be written", why=exc.strerror or type(exc).__name__, hint="free some space on its disk"
    )


def unpack(path: str, target: str, identity: str) -> tuple[int, str]:
    """Write the plain file that was packed into `path`; (bytes, SHA-256) of it. "" is no identity.

    Raises StoreDamaged where the bytes are not what was packed, Refused where they are encrypted and the identity does not fit.
    """
    between = target + ".zst"
    try:
        if path.endswith(".age"):
            _decrypt(path, between, identity)
        try:
            with open(between if path.endswith(".age") else path, "rb") as stored, created(target) as out:
                seen = Digest(out)
                _decompress(stored, seen, path)
        finally:
            if os.path.exists(between):
                os.unlink(between)
        synced(target)
    except OSError as exc:
        raise StoreFault(f"{path} could not be unpacked", why=exc.strerror or type(exc).__name__) from exc
    return seen.size, seen.hash.hexdigest()


def _decompress(stored: BinaryIO, seen: Digest, path: str) -> None:
    zstd = _zstd()
    try:
        for chunk in zstd.ZstdDecompressor().read_to_iter(stored, read_size=CHUNK):
            seen.write(chunk)
    except zstd.ZstdError as exc:
        raise StoreDamaged(f"{path} is damaged", why="it does not decompress") from exc


def _decrypt(path: str, target: str, identity: str) -> None:
    if not identity:
        raise Refused(
            "the copy is encrypted",
            why="no identity was given",
            hint="give --identity FILE, the file that age-keygen made",
        )
    age = _age()
    keys = _identities(identity, age)
    with open(path, "rb") as stored, created(target) as out:
        try:
            age.decrypt_io(stored, out, keys)
        except age.DecryptError as exc:
            raise Refused("the copy does not open", why="no key of the identity file fits, or it is damaged") from exc


def _identities(path: str, age: Any) -> list[Any]:
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read(IDENTITY_CAP).splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageFault("the identity file cannot be read", why=type(exc).__name__) from exc
    words = [line.strip() for line in lines if line.startswith("AGE-SECRET-KEY-")]
    try:
        keys = [age.x25519.Identity.from_str(word) for word in words]
    except age.IdentityError as exc:
        raise UsageFault("the identity file holds no usable key", why="a line of it is no age key") from exc
    if not keys:
        raise UsageFault("the identity file holds no key", why="no line of it begins with AGE-SECRET-KEY-")
    return keys


def _recipient(word: str) -> Any:
    age = _age()
    try:
        return age.x25519.Recipient.from_str(word)
    except age.RecipientError as exc:
        raise UsageFault(
            "backup.recipients holds no age recipient", why="one of its words is no age1… key", hint="run `age-keygen -y` on your identity file"
        ) from exc  # fmt: skip


def _zstd() -> Any:
    try:
        import zstandard
    except ImportError as exc:
        raise StoreFault(
            "copies cannot be made or read", why="the package zstandard is missing", hint="pip install zstandard"
        ) from exc
    return zstandard


def _age() -> Any:
    try:
        import pyrage
    except ImportError as exc:
        raise StoreFault(
            "encrypted copies cannot be made or read",
            why="the package pyrage is missing",
            hint="pip install 'bellek[crypt]'",
        ) from exc
    return pyrage
