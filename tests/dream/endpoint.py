"""A scripted OpenAI-compatible endpoint on loopback, a thread with a real socket: what it is asked, it records first."""

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(ThreadingHTTPServer):
    """`says` answers a request body with (text, tokens in, tokens out), a whole answer (an object), an HTTP status, or with "drip": never to an end."""

    daemon_threads = True

    def __init__(self, says):
        super().__init__(("127.0.0.1", 0), Door)
        self.says = says
        self.asked = []
        self.arrived = threading.Event()
        self.over = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    @property
    def url(self):
        """The base address that a config names."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class Door(BaseHTTPRequestHandler):
    """One request."""

    def log_message(self, *args):
        """Stay silent."""

    def do_POST(self):
        """Record, wait until it may go on, answer."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, body, self.headers.get("authorization")))
        self.server.arrived.set()
        self.server.go_on.wait(60)
        said = self.server.says(body)
        if isinstance(said, int):
            self.send_response(said)
            self.end_headers()
            return
        if said == "drip":
            self._drip()
            return
        data = json.dumps(said if isinstance(said, dict) else _chat(*said)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _drip(self):
        """Send a byte of an endless answer now and then, until whoever asked has gone."""
        self.send_response(200)
        self.send_header("content-length", "1000000")
        self.end_headers()
        with suppress(OSError):
            while not self.server.over.wait(0.1):
                self.wfile.write(b" ")
                self.wfile.flush()


def _chat(text, tokens_in, tokens_out):
    """A chat completion that says a text."""
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    return {"choices": [{"message": {"content": text}}], "usage": usage}


@contextmanager
def serving(says):
    """An endpoint that answers while the block runs."""
    server = Endpoint(says)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def config(url, *, name="small", extra=""):
    """The text of a config.toml with one model at that address, used for sleep and replay."""
    return (
        f'[sleep]\nmodel = "{name}"\n[replay]\nmodel = "{name}"\n[models.{name}]\nrunner = "openai"\nmodel = "tiny"\n'
        f'url = "{url}"\ninput_usd = 1.0\noutput_usd = 4.0\n{extra}'
    )
