"""The README's pictures, made by the product itself: the road of one learning, the inbox, the graph.

    python scripts/pictures.py [FOLDER]        # default: docs/pictures; needs bellek[web], Playwright and chromium

Everything happens in throwaway homes, over words that stand in this file or in the recorded sessions of `bellek demo`. It must never draw
what the product did not say: the road is the demo's own output, the others are photographs of the page.
"""

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

import uvicorn
from playwright.sync_api import sync_playwright

import bellek
from bellek.web import app
from bellek.web.guard import Keys

HERE = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDE, LINES = 104, 44  # letters of a line of the road, lines of it
STEP, LETTER = 18, 7.83  # units of a line and of a letter at 13 pixels
SAID = "Zeynep and I work on bookshop. It uses PostgreSQL and runs on Hetzner. Zeynep works at Kitabevi, I prefer uv. Never send mail before the webhook is answered."
FACTS = (
    ("project", "bookshop", "uses", "PostgreSQL", "uses PostgreSQL"), ("project", "bookshop", "runs_on", "Hetzner", "runs on Hetzner"),
    ("person", "Zeynep", "works_at", "Kitabevi", "Zeynep works at Kitabevi"), ("person", "Zeynep", "works_on", "bookshop", "Zeynep and I work on bookshop"),
    ("person", "user", "works_on", "bookshop", "I work on bookshop"), ("preference", "user", "prefers", "uv", "I prefer uv"),
    ("constraint", "bookshop", "forbids", "mail before the webhook is answered", "Never send mail before the webhook is answered"),
)  # fmt: skip
LEARNED = (
    ("Answer the payment webhook before sending mail, because the provider calls again after five seconds and booked the order twice", "critical"),
    ("Kupon kodlarını asla lower() ile karşılaştırma, çünkü büyük İ iki karaktere ayrılıyor", "high"),
)  # fmt: skip


def road() -> str:
    """The demo's output as one SVG, light or dark as the reader's screen is; long lines and a long end are cut, and say so."""
    done = subprocess.run([sys.executable, "-m", "bellek", "demo"], capture_output=True, text=True, check=True)
    told = [line[: WIDE - 1] + "…" if len(line) > WIDE else line for line in done.stdout.splitlines()]
    told = [re.sub(r"Everything happens in \S+; ", "Everything happens in a throwaway folder; ", line) for line in told]
    shown = [*told[:LINES], "…"] if len(told) > LINES else told
    lines = [
        f'<text class="{"head" if re.match(r"[0-9]/[0-9] ", line) else "line"}" x="16" y="{30 + n * STEP}" xml:space="preserve">{escape(line)}</text>'
        for n, line in enumerate(shown)
    ]
    style = (
        "text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1a202c}.head{font-weight:bold;fill:#1f5a99}.ground{fill:#f4f6f9}"
        "@media(prefers-color-scheme:dark){text{fill:#e6eaf0}.head{fill:#8ec1ff}.ground{fill:#14181f}}"
    )
    width, height = int(WIDE * LETTER) + 32, 30 + len(shown) * STEP + 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><style>{style}</style>'
    return (
        "\n".join([head, f'<rect class="ground" width="{width}" height="{height}" rx="8"/>', *lines, "</svg>"]) + "\n"
    )


def fill(memory: bellek.Memory) -> int:
    """Hear a short talk and write what a curator would, by verdicts; how many rows were written."""
    (said, *_) = memory.hear([bellek.Message("user", SAID, typed=True), bellek.Message("assistant", "Noted.")]).ids
    written = [
        {"verdict": "write", "evidence": [said], "memory": {"kind": "claim", "category": category, "subject": subject, "predicate": predicate, "object": what, "confidence": 0.9, "quote": quote}}
        for category, subject, predicate, what, quote in FACTS
    ]  # fmt: skip
    written += [
        {"verdict": "write", "evidence": [said], "memory": {"kind": "lesson", "text": text, "learning": "bug-fix", "importance": importance}}
        for text, importance in LEARNED
    ]  # fmt: skip
    return sum(receipt.state == "written" for receipt in memory.apply(written))


@contextmanager
def served(memory: bellek.Memory) -> Iterator[Keys]:
    """The page on a port of its own, as a person sees it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        keys = Keys(listening.getsockname()[1])
        server = uvicorn.Server(
            uvicorn.Config(app.built(memory, keys, ("person", "")), log_level="critical", access_log=False)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield keys
        finally:
            server.should_exit = True
            thread.join()


def photographs(folder: Path) -> None:
    """The inbox and the graph of a small store, as a browser shows them."""
    with (
        tempfile.TemporaryDirectory() as place,
        bellek.open(home=f"{place}/home", project=f"{place}/bookshop") as memory,
    ):
        fill(memory)
        with served(memory) as keys, sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            tab = browser.new_page(viewport={"width": 960, "height": 620}, locale="en-GB")
            tab.goto(keys.link())
            tab.wait_for_url(f"http://{keys.hosts[0]}/")
            tab.screenshot(path=folder / "inbox.png")
            tab.goto(f"http://{keys.hosts[0]}/graph?at=bookshop&depth=2")
            tab.screenshot(path=folder / "graph.png")
            browser.close()


def main() -> None:
    """Make all three."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "road.svg").write_text(road(), encoding="utf-8")
    photographs(folder)
    print(*(f"{path}: {path.stat().st_size} bytes" for path in sorted(folder.iterdir())), sep="\n")


if __name__ == "__main__":
    main()
