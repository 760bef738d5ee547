"""The only speaker of SQLite: connect, transactions, rows, and the one place where SQLite's errors become ours.

One of the prompt hook's rooms. It must never be bypassed: a second SQLite library on a live file in one process drops
the POSIX locks (apsw and the standard library's sqlite3 each bring their own copy), and committed rows have been lost so.
"""

import os
import time

import apsw

from bellek.schemas.errors import BellekError, Busy, StoreDamaged, StoreFault, StoreReadOnly

SQLITE_FLOOR = 3051003  # before 3.51.3 a WAL reset may corrupt the file (FACTS: 3.7.0 to 3.51.2)
BUSY_MS = 10_000  # background and CLI work waits; a prompt hook passes its own short one
BUSY_STEP_S = 0.002  # between two tries at a lock: SQLite's own waiter soon sleeps 50 to 100 ms and misses every gap
COPY_PAGES = 5_000  # a step of a backup, about 20 MB; between two steps somebody is told how far it is
PROGRESS_STEPS = 2_000  # virtual machine steps between two looks at the deadline, about 20 to 50 µs

Value = str | int | float | bytes | None
Row = tuple[Value, ...]


class Overdue(BellekError):
    """A query was cut at its deadline; what was read before it stands."""


class Database:
    """One connection of one thread to one file. ``path`` is absolute; ``writable`` says how it was opened."""

    __slots__ = ("_con", "path", "writable")

    def __init__(self, con: apsw.Connection, path: str, *, writable: bool) -> None:
        self._con = con
        self.path = path
        self.writable = writable

    def rows(self, sql: str, values: tuple[Value, ...] | dict[str, Value] = ()) -> list[Row]:
        """All rows of one statement."""
        try:
            return self._con.execute(sql, values).fetchall()
        except apsw.Error as exc:
            raise fault(exc, self.path) from exc

    def one(self, sql: str, values: tuple[Value, ...] | dict[str, Value] = ()) -> Row | None:
        """The first row, or None."""
        try:
            return self._con.execute(sql, values).fetchone()
        except apsw.Error as exc:
            raise fault(exc, self.path) from exc

    def value(self, sql: str, values: tuple[Value, ...] | dict[str, Value] = ()) -> Value:
        """The first column of the first row, or None."""
        row = self.one(sql, values)
        return None if row is None else row[0]

    def run(self, sql: str, values: tuple[Value, ...] | dict[str, Value] = ()) -> int:
        """Run one statement; the number of rows it changed."""
        try:
            self._con.execute(sql, values)
            return self._con.changes()
        except apsw.Error as exc:
            raise fault(exc, self.path) from exc

    def run_many(self, sql: str, values: "list[tuple[Value, ...]]") -> None:
        """Run one statement once a tuple."""
        try:
            self._con.executemany(sql, values)
        except apsw.Error as exc:
            raise fault(exc, self.path) from exc

    def script(self, sql: str) -> None:
        """Run several statements; apsw stops at a statement's first row, so the cursor is drained."""
        try:
            for _ in self._con.execute(sql):
                pass
        except apsw.Error as exc:
            raise fault(exc, self.path) from exc

    def transaction(self) -> "Transaction":
        """``with db.transaction():`` one BEGIN IMMEDIATE … COMMIT; rolled back when the block raises."""
        return Transaction(self)

    def savepoint(self) -> "Savepoint":
        """``with db.savepoint():`` a part of a transaction that is undone alone when its block raises."""
        return Savepoint(self)

    def in_transaction(self) -> bool:
        """Whether a transaction is open on this connection."""
        return self._con.in_transaction

    def deadline(self, over: "object | None") -> None:
        """Cut queries when ``over()`` is true. Python signals arrive after the query; SQLite's own handler does not."""
        self._con.set_progress_handler(over, PROGRESS_STEPS)  # type: ignore[arg-type]

    def pinned(self) -> "Pinned":
        """``with db.pinned():`` every read of the block sees the file as it is now, whatever others write meanwhile."""
        return Pinned(self)

    def backup_to(self, path: str, told: "object | None" = None) -> None:
        """Copy the whole database into a new file (0600) under a pinned read, so that live writers cannot restart it.

        The copy is one file without a log beside it. ``told(done, whole)`` hears of pages as they are copied.
        """
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            with self.pinned():
                target = apsw.Connection(_bytes_of(path))
                try:
                    with target.backup("main", self._con, "main") as copy:
                        while not copy.done:
                            copy.step(COPY_PAGES)
                            if told:
                                told(copy.page_count - copy.remaining, copy.page_count)  # type: ignore[operator]
                    target.execute("PRAGMA journal_mode = DELETE").fetchall()
                finally:
                    target.close()
        except apsw.Error as exc:
            raise fault(exc, path) from exc  # reading a live file fails seldom, writing a copy where the disk is full

    def alone(self) -> bool:
        """Bring the log into the file and leave write-ahead mode, as only a connection that is alone can; else False.

        What is left is one file that holds everything: to be moved, not to be worked on.
        """
        try:
            return self.value("PRAGMA journal_mode = DELETE") == "delete"
        except Busy:
            return False

    def empty_log(self) -> bool:
        """Bring the write-ahead log into the file and cut it to nothing; False where a reader or writer still needs it."""
        try:
            row = self.one("PRAGMA wal_checkpoint(TRUNCATE)")
        except Busy:
            return False
        return row is not None and row[0] == 0

    def rewrite(self) -> bool:
        """Write the whole file anew, so that no free byte keeps what was deleted; False while somebody else is at work."""
        try:
            self.run("VACUUM")
        except Busy:
            return False
        return True

    def extend(self, path: str) -> bool:
        """Load a SQLite extension from a library's path (without its ending); False where it cannot be loaded."""
        try:
            self._con.enable_load_extension(True)
            self._con.load_extension(path)
        except apsw.Error:
            return False
        finally:
            self._con.enable_load_extension(False)  # SQL text must not be able to load another
        return True

    def close(self) -> None:
        """Close the connection; a second close does nothing."""
        self._con.close()


class Transaction:
    """BEGIN IMMEDIATE: a deferred transaction that reads and then writes fails busy under other writers."""

    __slots__ = ("_db",)

    def __init__(self, db: Database) -> None:
        self._db = db

    def __enter__(self) -> Database:
        self._db.run("BEGIN IMMEDIATE")
        return self._db

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if kind is None:
            try:
                self._db.run("COMMIT")
            except BaseException:
                self._roll_back()
                raise
        else:
            self._roll_back()

    def _roll_back(self) -> None:
        if self._db.in_transaction():  # a full disk or a corrupt page may have rolled back already
            self._db.run("ROLLBACK")


class Savepoint:
    """One step inside a transaction; nests."""

    __slots__ = ("_db",)

    def __init__(self, db: Database) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.run("SAVEPOINT step")

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if kind is not None and self._db.in_transaction():
            self._db.run("ROLLBACK TO step")
        if self._db.in_transaction():
            self._db.run("RELEASE step")


class Pinned:
    """One read transaction that another block may have opened already."""

    __slots__ = ("_db", "_mine")

    def __init__(self, db: Database) -> None:
        self._db = db
        self._mine = False

    def __enter__(self) -> None:
        if not self._db.in_transaction():
            self._db.run("BEGIN")
            self._mine = True
            self._db.value("SELECT count(*) FROM sqlite_master")  # the read that pins it

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if self._mine and self._db.in_transaction():
            self._db.run("ROLLBACK")


def open_database(
    path: str, *, writable: bool = True, create: bool = False, busy_ms: int = BUSY_MS, keep_mode: bool = False
) -> Database:
    """Open a file with our pragmas. ``create`` makes an absent file with mode 0600, which -wal and -shm inherit.

    ``keep_mode`` leaves the journal mode as it is found: not a byte changes of a file whose version is not known yet.
    Raises StoreFault of the right kind, Busy, or BellekError. Never creates a file unless asked.
    """
    if apsw.SQLITE_VERSION_NUMBER < SQLITE_FLOOR:
        raise StoreFault(
            "this SQLite is too old to be trusted with a live store",
            why=apsw.sqlitelibversion(),
            hint="upgrade the package apsw",
        )
    flags = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    try:
        if create and not os.path.exists(path):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        con = apsw.Connection(_bytes_of(path), flags=flags)
    except OSError as exc:
        raise StoreReadOnly(f"{path} cannot be made", why=exc.strerror or "") from exc
    except apsw.Error as exc:
        raise fault(exc, path) from exc
    db = Database(con, path, writable=writable)
    _set_pragmas(db, con, busy_ms, keep_mode=keep_mode)
    return db


def _bytes_of(path: str) -> str:
    """The name that SQLite spells with the very bytes that the file system has: under a locale without UTF-8 Python's differs."""
    if path.isascii():
        return path
    try:
        return os.fsencode(path).decode()
    except UnicodeDecodeError as exc:
        raise StoreReadOnly(
            f"{path!a} cannot be opened",
            why="SQLite opens only files whose name is UTF-8",
            hint="point --home at another folder",
        ) from exc


def _set_pragmas(db: Database, con: apsw.Connection, busy_ms: int, *, keep_mode: bool) -> None:
    """Per connection; apsw's defaults are no wait and FULL."""
    con.set_busy_handler(_Patience(busy_ms))
    db.run("PRAGMA foreign_keys = ON")  # off by default in every connection
    db.run("PRAGMA trusted_schema = OFF")  # a planted view or trigger must not call functions with side effects
    if not db.writable:
        return
    if not keep_mode:
        _write_ahead(db, busy_ms)
    # NORMAL survives a killed process; a power cut may lose the last commits, never the file.
    db.run("PRAGMA synchronous = NORMAL")
    db.run("PRAGMA secure_delete = ON")  # deleted text is overwritten, not left in free pages


class _Patience:
    """Called by SQLite when a lock is held: waits a step and says whether to try again, until `busy_ms` are over."""

    __slots__ = ("_busy_ms", "_end")

    def __init__(self, busy_ms: int) -> None:
        self._busy_ms = busy_ms
        self._end = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if not tries:
            self._end = now + self._busy_ms / 1000
        if now + BUSY_STEP_S > self._end:
            return False
        time.sleep(BUSY_STEP_S)
        return True


def _write_ahead(db: Database, busy_ms: int) -> None:
    """Set WAL. Only the change takes a lock: a hook that finds it set already waits for nobody.

    SQLite gives up on this change at once, whatever the busy timeout, where two processes make a store at the same time.
    """
    end = time.monotonic() + busy_ms / 1000
    while db.value("PRAGMA journal_mode") != "wal":
        try:
            if db.value("PRAGMA journal_mode = WAL") == "wal":
                return
        except Busy:
            if time.monotonic() > end:
                raise
            time.sleep(BUSY_STEP_S)
        else:
            raise StoreFault(
                f"{db.path} cannot use write-ahead logging",
                why="the file system refuses it",
                hint="put the data home on a local disk",
            )


def fault(exc: apsw.Error, path: str) -> BellekError:
    """Map one of apsw's errors into our tree. Text of the statement or its values is not taken over."""
    why = type(exc).__name__.removesuffix("Error")
    match exc:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(f"{os.path.basename(path)} is in use", why="another process holds its write lock")
        case apsw.NotADBError() | apsw.CorruptError() | apsw.FormatError():
            return StoreDamaged(f"{path} is not a sound database", why=why)
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return StoreReadOnly(f"{path} cannot be opened or written", why=why)
        case apsw.FullError():
            return StoreFault(
                f"{path} cannot grow", why="the disk is full", hint="free some space; nothing was half-written"
            )
        case apsw.IOError():
            return StoreFault(f"{path} could not be read or written", why=why)
        case apsw.InterruptError() | apsw.AbortError():
            return Overdue("the query was cut at its deadline", why=why)
        case _:
            return BellekError("the store refused a statement", why=f"{why}: {exc}")


def texts_in_json(text: str, inside: str = "$") -> dict[str, str]:
    """The text values at the top of a JSON object (or of the one at a path in it), by key; {} for any other JSON. Raises
    BellekError where it is none.

    SQLite reads it, as the prompt hook has that loaded anyway: the module ``json`` brings ``re``, ``enum`` and
    ``functools`` and costs three fifths of a bare interpreter start (docs/decisions/0007-hook-start-up.md). Lone
    surrogates, which JSON may spell and nothing may store, become U+FFFD: hence bytes.
    """
    rows = _scratch().rows(
        "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM json_each(?1, ?2) WHERE type = 'text' AND json_type(?1, ?2) = 'object'",
        (text, inside),
    )
    return {_decoded(key): _decoded(value) for key, value in rows}


def _decoded(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def json_of(value: "dict[str, object] | str") -> str:
    """The JSON of texts and of objects made of them, as SQLite writes it. Lone surrogates raise UnicodeEncodeError."""
    return _json_of(_scratch(), value)


def _json_of(scratch: Database, value: object) -> str:
    if isinstance(value, dict):
        inner = (f"{_json_of(scratch, key)}:{_json_of(scratch, at_key)}" for key, at_key in value.items())
        return "{" + ",".join(inner) + "}"
    return str(scratch.value("SELECT json_quote(?)", (str(value),)))


def _scratch() -> Database:
    """A connection to no file."""
    return Database(apsw.Connection(":memory:"), "", writable=True)
