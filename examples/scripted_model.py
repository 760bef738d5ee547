"""A model that follows a script, on loopback: enough of OpenAI's chat completions for the examples and their test.

It answers from what it is *told*: the second answer is only right where the packet carries the first one's lesson. It
must never listen on anything but 127.0.0.1.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

LESSON = "deploys always go through blue-green, because the last direct one lost orders"


def answer(system: str, said: str) -> str:
    """What the scripted model says."""
    if "from now on" in said:
        return f"Understood, blue-green it is.\n\n<!-- learning: {LESSON} -->"
    if LESSON in system:
        return f"As I was told: {LESSON}."
    return "I do not know."


class Door(BaseHTTPRequestHandler):
    """One request."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer a chat completion."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        system, said = (str(message["content"]) for message in body["messages"])
        reply = {"choices": [{"message": {"role": "assistant", "content": answer(system, said)}}]}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serving() -> Iterator[str]:
    """The server's address, for as long as the block runs."""
    server = HTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
