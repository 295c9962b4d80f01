"""Tools for this script. Made for it, and gone with it."""

import json
import os
import shlex
import socket
import threading
import time

_LONGEST = @LONGEST@
_AT_ONCE = 8


class _Connection:
    """One connection: one call at a time."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(os.environ["HERMES_RPC_SOCKET"])
        except BaseException:
            self._socket.close()
            raise
        self._reader = self._socket.makefile("rb")

    def ask(self, line):
        try:
            self._socket.sendall(line)
        except BrokenPipeError:
            pass  # A refusal may still be there to be read.
        reply = self._reader.readline()
        if not reply.endswith(b"\n"):
            raise ConnectionError("the connection was closed")
        return reply

    def close(self):
        self._reader.close()
        self._socket.close()


class _Connections:
    """As many connections as there are calls at once, used again."""

    def __init__(self):
        self.forget()

    def forget(self):
        # Also after a fork: a connection that two processes share would mix up their calls.
        self._idle = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_AT_ONCE)

    def ask(self, line):
        with self._room:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = _Connection()
            try:
                reply = connection.ask(line)
            except BaseException:
                connection.close()
                raise
            with self._lock:
                self._idle.append(connection)
            return reply


_connections = _Connections()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_connections.forget)


def _call(tool, arguments):
    given = {name: value for name, value in arguments.items() if value is not None}
    asked = {"token": os.environ.get("HERMES_RPC_TOKEN", ""), "tool": tool, "args": given}
    line = json.dumps(asked, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    if len(line) > _LONGEST:
        return {"error": "tool call of %d bytes is longer than %d" % (len(line), _LONGEST)}
    try:
        reply = json.loads(_connections.ask(line).decode("utf-8"))
    except OSError as error:
        raise RuntimeError("tools cannot be called any more: %s" % error) from error
    if "error" in reply:
        return {"error": reply["error"]}
    try:
        return json.loads(reply["result"], strict=False)
    except ValueError:
        return {"output": reply["result"]}


def json_parse(text):
    """JSON as programs really print it: raw control characters and a byte order mark are let pass."""
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8-sig", errors="replace")
    return json.loads(text.lstrip("\ufeff"), strict=False)


def shell_quote(text):
    """One word for a shell, whatever is in it."""
    return shlex.quote(str(text))


def retry(fn, max_attempts=3, delay=2):
    """Calls fn until it does not raise; waits delay seconds, then twice as long each time."""
    attempts = max(1, max_attempts)
    for attempt in range(attempts):
        try:
            return fn()
        except Exception:
            if attempt + 1 == attempts:
                raise
            time.sleep(delay * (2**attempt))
