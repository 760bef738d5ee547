"""One error tree, and one place where SQLite's errors enter it."""

import importlib

import apsw
import pytest
from tree import PACKAGES, module_of, sources

from bellek.kg import db
from bellek.schemas.errors import BellekError, Busy, StoreDamaged, StoreFault, StoreReadOnly

# Every class that apsw can raise, and what it becomes. A class that is missing here fails the test below: decide, then add.
BECOMES: dict[str, type[BellekError]] = {
    "AbortError": db.Overdue, "AuthError": StoreReadOnly, "BindingsError": BellekError, "BusyError": Busy,
    "CantOpenError": StoreReadOnly, "ConnectionClosedError": BellekError, "ConnectionNotClosedError": BellekError,
    "ConstraintError": BellekError, "CorruptError": StoreDamaged, "CursorClosedError": BellekError, "EmptyError": BellekError,
    "Error": BellekError, "ExecTraceAbort": BellekError, "ExecutionCompleteError": BellekError, "ExtensionLoadingError": BellekError,
    "ForkingViolationError": BellekError, "FormatError": StoreDamaged, "FullError": StoreFault, "IOError": StoreFault,
    "IncompleteExecutionError": BellekError, "InternalError": BellekError, "InterruptError": db.Overdue, "InvalidContextError": BellekError,
    "LockedError": Busy, "MismatchError": BellekError, "MisuseError": BellekError, "NoFTS5Error": BellekError, "NoLFSError": BellekError,
    "NoMemError": BellekError, "NotADBError": StoreDamaged, "NotFoundError": BellekError, "PermissionsError": StoreReadOnly,
    "ProtocolError": BellekError, "RangeError": BellekError, "ReadOnlyError": StoreReadOnly, "SQLError": BellekError,
    "SchemaChangeError": BellekError, "ThreadingViolationError": BellekError, "TooBigError": BellekError, "VFSFileClosedError": BellekError,
    "VFSNotImplementedError": BellekError,
}  # fmt: skip


def family(root: type[BaseException]) -> list[type[BaseException]]:
    """A class and all that derive from it."""
    return [root, *(found for child in root.__subclasses__() for found in family(child))]


def our_errors() -> list[type[BaseException]]:
    """Every error class of the program, all of whose modules are loaded for that."""
    for path in sources(*PACKAGES):
        if path.name not in ("__init__.py", "__main__.py"):
            importlib.import_module(module_of(path))
    return [found for found in dict.fromkeys(family(BellekError)) if found.__module__.startswith("bellek.")]


def test_each_error_says_what_why_and_next():
    """Each class has an exit status from 1 to 5 and a next step, and its words are all three, in this order."""
    found = our_errors()
    assert len(found) > 8
    for error in found:
        assert 1 <= error.exit_code <= 5, error
        assert error.hint, error
        words = str(error("the thing failed", why="the reason"))
        assert words == f"the thing failed: the reason. {error.hint[0].upper()}{error.hint[1:]}."
        assert str(error("the thing failed", hint="do this")) == "the thing failed. Do this."


def test_every_error_of_the_library_is_decided():
    """A version of apsw with an error class that nobody mapped fails here, not at a person's."""
    raised = {found.__name__ for found in family(apsw.Error)}
    assert raised - set(BECOMES) == set(), "decide what kg.db.fault makes of these"


@pytest.mark.parametrize("name", sorted(BECOMES))
def test_the_library_error_becomes(name):
    """`kg.db.fault` gives each of apsw's errors its place in our tree, with the file's name and the cause."""
    kind = getattr(apsw, name, None)
    if kind is None:
        pytest.skip(f"this apsw has no {name}")
    error = db.fault(kind("said by the library"), "/home/of/memory.db")
    assert type(error) is BECOMES[name]
    assert name.removesuffix("Error") in str(error) or isinstance(error, Busy | StoreFault)
