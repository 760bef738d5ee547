"""R109: while tests run, no socket of ours may reach further than this machine. A hook of the interpreter's own sees every try."""

import ipaddress
import sys

NAMES = ("localhost", "", None)


def only_loopback():
    """From here on a socket to, or a look-up of, anything else than this machine raises."""
    sys.addaudithook(_look)


def _look(event, given):
    if event in ("socket.connect", "socket.sendto", "socket.bind"):
        address = given[1] if len(given) > 1 else None
        if isinstance(address, tuple) and not local(address[0]):
            raise AssertionError(f"{event} to {address[0]!r}: no socket of ours leaves this machine (R109)")
    elif event == "socket.getaddrinfo" and not local(given[0]):
        raise AssertionError(f"a look-up of {given[0]!r}: nothing of ours asks a name server (R109)")


def local(host):
    """Whether a host is this machine."""
    host = host.decode() if isinstance(host, bytes) else host
    if host in NAMES:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
