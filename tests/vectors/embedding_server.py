"""A real embeddings endpoint on the loopback interface, with answers that a test decides."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def by_letters(text):
    """A vector of 26 numbers: how often each letter stands there, and one constant, so that none is zero."""
    low = text.lower()
    return [low.count(chr(97 + i)) + 0.01 for i in range(26)]


class Endpoint:
    """What the server was asked, and how it answers: `vector` makes one of a text, `status` is sent as it stands."""

    def __init__(self):
        self.asked = []
        self.keys = []
        self.vector = by_letters
        self.status = 200
        self.body = None
        self.url = ""


@contextmanager
def serving():
    """A server that runs while the block does."""
    seen = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.asked.append((self.path, given))
            seen.keys.append(self.headers.get("Authorization"))
            rows = [{"index": i, "embedding": seen.vector(text)} for i, text in enumerate(given["input"])]
            body = (json.dumps({"data": rows[::-1]}) if seen.body is None else seen.body).encode()
            self.send_response(seen.status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    seen.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
