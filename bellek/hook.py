"""The hook: a start file of its own, and the only door behind which a fault is swallowed.

``'<python>' -I hook.py EVENT --client NAME --home DIR || true``. It must never fail a turn, never wait on a network, a
model or a lock, and never print anything but its JSON: in real clients exit status 2 silently drops the person's
prompt, and a stray line becomes part of the conversation. Importing it does nothing; `console` is the installed command,
which hands `hook` over before anything heavy is imported.
"""

import os
import sys

HEAR = "Hear"  # our own event: the detached child's
HEAR_PIPED = "HearPiped"  # the same, where what was said comes on its standard input
TRIAL = "BELLEK_SELFTEST"  # set while the installer tries the hook in a home that is gone a moment later
GUARD = "BELLEK_NESTED"  # set for every process that bellek starts: a client run by us must not start us again
STDIN_CAP = 32_000_000  # bytes; a pasted log is shorter, and what lies beyond cannot be part of one JSON value
START_WAIT_S = 0.25  # SessionStart waits so long for what earlier sessions left (FEATURES, R44)


def run(argv: "list[str]", *, by_name: bool = False) -> None:
    """Answer one event, then leave the process: no exit handler, no close, nothing that could still print.

    `by_name`: it was started as `bellek hook`, as a client's plugin does. Where the client's settings bind the same event,
    that one answers: the client runs both, and the turn would be told twice.
    """
    out = b""
    home = ""
    try:
        event, client, home, transcript = _words(argv)
        if event == HEAR:
            from bellek import hearing

            hearing.child(home, client, transcript)
        elif event == HEAR_PIPED:
            from bellek import hearing

            hearing.piped_child(home, client, sys.stdin.buffer.read(STDIN_CAP))
        elif not (by_name and client == "claude-code" and _bound_in_settings(event)):
            out = _answer(event, client, home)
    except BaseException as exc:  # noqa: BLE001  the one hook door
        log_fault(home, exc)
    try:
        if out:
            sys.stdout.buffer.write(out)
            sys.stdout.buffer.flush()
    except BaseException as exc:  # noqa: BLE001  a closed pipe is the client's choice
        log_fault(home, exc)
    os._exit(0)


def _words(argv: "list[str]") -> "tuple[str, str, str, str]":
    """EVENT --client NAME --home DIR (and the child's --file PATH), in any order; unknown words are left alone."""
    from bellek.kg import paths

    given = {"--client": "", "--home": "", "--file": ""}
    plain = []
    words = iter(argv)
    for word in words:
        key, equals, value = word.partition("=")
        if key in given:
            given[key] = value if equals else next(words, "")
        else:
            plain.append(word)
    home = paths.find_home(given["--home"] or None)
    return plain[0] if plain else "", given["--client"] or "claude-code", home, given["--file"]


def _answer(event: str, client: str, home: str) -> bytes:
    import gc

    gc.disable()  # looking for garbage costs a tenth of a bare start, and the process ends before there is any
    from bellek.kg.db import json_of, texts_in_json

    if event == "SelfTest":
        import bellek

        return json_of({"bellek": bellek.__version__}).encode()
    if os.environ.get(GUARD):
        return b""
    adapter = _adapter(client)
    if adapter is None:
        return b""
    raw = sys.stdin.buffer.read(STDIN_CAP).decode("utf-8", "replace")
    fields = texts_in_json(raw)
    if hasattr(adapter, "INSIDE"):
        fields = {**texts_in_json(raw, adapter.INSIDE), **fields}
    turn = adapter.turn(client, event, fields)  # the name it was started with: programs share a module and stay apart
    if _inside(turn.cwd, home):
        return b""  # a session inside our own data folder is our own work
    match turn.event:
        case "over":
            if getattr(adapter, "PIPED", False):
                start_hearing(home, client, "", raw.encode())
            else:
                start_hearing(home, client, turn.transcript)
            return b""
        case "start" | "prompt":
            context = _tell(home, client, turn, adapter)
            return json_of(adapter.answer(event, context)).encode() if context else b""
        case "display":
            return _show(home, adapter, event, raw)
        case _:
            return b""


def _bound_in_settings(event: str) -> bool:
    """Whether Claude Code's own settings bind this event to us, by the form in which the installer writes it."""
    folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.environ.get("HOME", "") + "/.claude"
    try:
        with open(folder + "/settings.json", "rb") as file:
            return f"/bellek/hook.py' {event} --client claude-code".encode() in file.read()
    except OSError:
        return False


def _show(home: str, adapter, event: str, raw: str) -> bytes:  # type: ignore[no-untyped-def]  # noqa: ANN001  a module by name
    """One piece of a message for the screen. `json`, since a piece may end in half a surrogate pair, which must stay one."""
    import json

    from bellek import display

    fields = json.loads(raw)
    piece = adapter.piece(fields) if isinstance(fields, dict) else None
    content = display.replaced(home, *piece) if piece else None
    # ASCII: halves of a pair that two pieces brought are whole again in the client.
    return b"" if content is None else json.dumps(adapter.display(event, content)).encode()


def _inside(folder: str, home: str) -> bool:
    """Whether a working folder lies in the data home, by whatever links it was reached."""
    if not folder.startswith("/") or "\0" in folder:
        return False
    return (os.path.realpath(folder) + "/").startswith(os.path.realpath(home) + "/")


def _adapter(client: str):  # type: ignore[no-untyped-def]  # noqa: ANN202  a module is chosen by name
    """The client's module, loaded by name; programs without one of their own share the generic one."""
    name = "generic" if client.startswith("generic-") else client.replace("-", "_")
    if not name.isidentifier():
        return None
    # Not importlib.import_module: its package brings `warnings`, for one look-up.
    return __import__("bellek.clients." + name, fromlist=("turn",))


def _tell(home: str, client: str, turn, adapter) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001
    if turn.event == "start":
        _hear_what_was_left(home, client)
    from bellek.context.turn import tell

    telling = tell(home, turn, adapter.CAP, in_bytes=getattr(adapter, "IN_BYTES", False))
    if telling is None:
        return ""
    if telling.missed:
        start_hearing(home, client, turn.transcript)
    return telling.packet.text


def start_hearing(home: str, client: str, transcript: str, said: bytes = b"", told: int = -1) -> None:
    """Start the hearing child, detached (in a trial none). It writes to nobody's terminal and outlives the client.

    `said` is what a client tells only here: it goes through a pipe, since it is not redacted yet and no file may hold it.
    `told` becomes the child's standard output, which it closes as soon as it has heard.
    """
    if os.environ.get(TRIAL):
        return
    here = os.path.dirname(os.path.abspath(__file__))
    words = [sys.executable, "-I", here + "/hook.py", HEAR_PIPED if said else HEAR, "--client", client, "--home", home]
    if transcript:
        words += ["--file", transcript]
    null = os.open(os.devnull, os.O_RDWR)
    reading, writing = os.pipe() if said else (null, -1)
    try:
        streams = (reading, null if told < 0 else told, null)
        duplicate = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(streams)]
        os.posix_spawn(sys.executable, words, {**os.environ, GUARD: "1"}, file_actions=duplicate, setsid=True)
        if said:
            os.close(reading)
            reading = null
            while said:
                said = said[os.write(writing, said) :]
    finally:
        for fd in {null, reading, writing} - {-1}:
            os.close(fd)


def _hear_what_was_left(home: str, client: str) -> None:
    """Start the child and give it its quarter of a second to hear; what it hears later reaches the first prompt."""
    import time

    reading, told = os.pipe()
    os.set_blocking(reading, False)
    start_hearing(home, client, "", told=told)
    os.close(told)
    end = time.monotonic() + START_WAIT_S
    while time.monotonic() < end:
        try:
            os.read(reading, 1)
        except BlockingIOError:
            time.sleep(0.005)
        else:
            return  # nobody holds the other end: all is heard, or nobody hears


def log_fault(home: str, exc: BaseException) -> None:
    """Exception type, file and line, never a message: text is not redacted here. Nothing is written without a home."""
    if not home:
        return
    try:
        trace = exc.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "?"
        handle = os.open(home + "/hook.log", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        os.write(handle, f"{type(exc).__name__} {where}\n".encode())
        os.close(handle)
    except BaseException:  # noqa: BLE001, S110  nothing is left to tell it to
        pass


def console() -> None:
    """The installed command `bellek`: `bellek hook …` goes the short way, everything else to the command line."""
    if sys.argv[1:2] == ["hook"]:
        run(sys.argv[2:], by_name=True)
    from bellek.cli import main

    main.main()


def find_own_package() -> None:
    """A start file of a checkout that is not installed finds the package it lies in; last in line, it shadows nothing."""
    place = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if place not in sys.path:
        sys.path.append(place)


if __name__ == "__main__":
    find_own_package()
    run(sys.argv[1:])
