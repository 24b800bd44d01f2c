"""The Model Context Protocol over standard input and output: JSON-RPC, one message a line.

The official package would bring 26 packages (33 MB, among them a web server and cryptography) into
every student's copy and take most of a second to load; a server of tools alone needs what is here.
It speaks the revisions with a handshake and that of 2026-07-28, which has none. Calls that need a
process run one after the other; all others are answered at once.
"""

import os
import select
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from grader import __version__, files
from grader.assistant import running, tools
from grader.assistant.conversation import Conversation
from grader.assistant.running import Running
from grader.commands.errors import CommandError
from grader.execute import records
from grader.model import assistants, outline, plain_text
from grader.student.grade_log import FullError

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
VERSION = "io.modelcontextprotocol/protocolVersion"  # of a request, in its _meta
MOST_BYTES = 256 << 10  # of a message
MOST_WAITING = 8  # calls
PARSE, INVALID, NO_METHOD, BAD_PARAMS, BAD_VERSION = -32700, -32600, -32601, -32602, -32022
FULL = "the log of this lab has no room for further calls; use ./grade in a terminal"
Table = dict[str, Any]


class RefusedError(Exception):
    """A message that is not carried out: code and data of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})


@dataclass(frozen=True)
class Reply:
    """Where the answer of a request goes. token: names it in reports of progress; None: no such."""

    id: int | str
    token: int | str | None = None


@dataclass
class Server:
    """source, target: descriptors of the client's messages and of ours."""

    source: int
    target: int
    conversation: Conversation = field(default_factory=Conversation)
    waiting: deque[tuple[Reply, str, tools.Request]] = field(default_factory=deque)
    current: Running | None = None
    _told: int = 0  # reports of progress
    _unread: bytearray = field(default_factory=bytearray)
    _too_long: bool = False  # the message that is being read

    def serve(self) -> None:
        """Until the client closes its end; a call under way is then ended."""
        try:
            while True:
                ready = self._ready()
                if self.source in ready:
                    data = os.read(self.source, 1 << 16)
                    if not data:
                        return
                    for line in self._lines(data):
                        self._take(line)
                if self.current and self.current in ready:
                    self._listen(self.current)
                if self.current and time.monotonic() > self.current.ends:
                    self._end(self.current)
                while self.waiting and not self.current:
                    self._start(*self.waiting.popleft())
        except BrokenPipeError:  # the client is gone
            return
        finally:
            if self.current:
                self.current.end()

    def _ready(self) -> list[Any]:
        sources: list[Any] = [self.source, *([self.current] if self.current else [])]
        left = max(self.current.ends - time.monotonic(), 0) + 0.01 if self.current else None
        return select.select(sources, [], [], left)[0]

    # ---- messages

    def _lines(self, data: bytes) -> Iterator[bytes]:
        """The messages that are complete; of one that is too long, an empty one."""
        for piece in data.splitlines(keepends=True):
            self._unread += piece if not self._too_long else b""
            if len(self._unread) > MOST_BYTES:
                self._too_long = True
                self._unread.clear()
            if piece.endswith(b"\n"):
                line, too_long = bytes(self._unread), self._too_long
                self._unread.clear()
                self._too_long = False
                if too_long or line.strip():
                    yield b"" if too_long else line

    def _take(self, line: bytes) -> None:
        """Answers a message, or begins to."""
        message = records.readable(line, dict[str, Any]) if line else None
        name = message.get("id") if message else None
        is_named = isinstance(name, int | str) and not isinstance(name, bool)
        try:
            if not line:
                raise RefusedError(INVALID, f"the message has more than {MOST_BYTES} bytes")
            if message is None:
                raise RefusedError(PARSE, "the message is not a JSON object on one line")
            method, params = message.get("method"), message.get("params") or {}
            if "method" not in message and ("result" in message or "error" in message):
                return  # we ask the client nothing
            if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
                raise RefusedError(INVALID, 'a message needs "jsonrpc": "2.0" and a method')
            if not isinstance(params, dict):
                raise RefusedError(BAD_PARAMS, "params must be an object")
            if "id" not in message:
                self._notice(method, params)
                return
            if not is_named:
                raise RefusedError(INVALID, "the id must be a text or a whole number")
            self._answer(Reply(name, _token(params)), method, params)  # type: ignore[arg-type]
        except RefusedError as refused:
            self._send({"id": name if is_named else None, "error": refused.error})

    def _notice(self, method: str, params: Table) -> None:
        if method != "notifications/cancelled":
            return
        of = params.get("requestId")
        self.waiting = deque(each for each in self.waiting if each[0].id != of)
        if self.current and self.current.reply.id == of:
            self.current.end()
            self.current = None

    def _answer(self, reply: Reply, method: str, params: Table) -> None:
        asked = _meta(params).get(VERSION, STATELESS[0])
        if asked not in STATELESS:
            data = {"supported": [*STATELESS, *HANDSHAKE], "requested": asked}
            raise RefusedError(BAD_VERSION, "unsupported protocol version", data)
        if method == "tools/call":
            self._call(reply, params.get("name"), params.get("arguments"))
            return
        if method == "initialize":
            wanted = params.get("protocolVersion")
            version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            result: Table = {"protocolVersion": version, **_server()}
        elif method == "server/discover":
            result = {"supportedVersions": STATELESS, **_server(), **_kept()}
        elif method == "tools/list":
            offered = [] if assistants.allowed() == "none" else tools.listed()
            result = {"tools": offered, **_kept()}
        elif method == "ping":
            result = {}
        else:
            raise RefusedError(NO_METHOD, f"there is no method {plain_text.line(method, 60)}")
        self._send({"id": reply.id, "result": result})

    # ---- calls

    def _call(self, reply: Reply, name: object, arguments: object) -> None:
        pending = {r.id for r, _, _ in self.waiting} | {
            self.current.reply.id if self.current else None
        }
        if reply.id in pending:
            raise RefusedError(INVALID, "a request with this id is under way")
        if len(self.waiting) >= MOST_WAITING:
            self._say(reply, ["too many calls wait; ask again when they are answered"], failed=True)
            return
        try:
            begun = self.conversation.begin(name, arguments)
        except FullError:
            self._say(reply, [FULL], failed=True)
        except (CommandError, outline.SpecError) as refusal:
            self._say(reply, [str(refusal)], failed=True)
        except OSError as problem:
            said = f"this call cannot be recorded, so it is not answered: {problem.strerror}"
            self._say(reply, [f"{said}; {files.remedy(problem)}".rstrip("; ")], failed=True)
        else:
            if isinstance(begun, list):
                self._say(reply, begun)
            else:
                self.waiting.append((reply, str(name), begun))

    def _start(self, reply: Reply, name: str, request: tools.Request) -> None:
        try:
            self.current = running.start(reply, name, request)
        except OSError as problem:
            self._say(reply, [f"no process can be started: {problem.strerror}"], failed=True)

    def _listen(self, call: Running) -> None:
        if (messages := call.heard()) is None:
            self._end(call)
            return
        for message in messages:
            self._told += 1
            if call.reply.token is not None:
                params = {"progressToken": call.reply.token, "progress": self._told}
                params["message"] = message.progress
                self._send({"method": "notifications/progress", "params": params})

    def _end(self, call: Running) -> None:
        call.end(patience=1)
        self.current = None
        if call.outcome:
            self._say(call.reply, self.conversation.end(call.request, call.outcome))
        else:
            self._say(call.reply, call.why_not(), failed=True)

    def _say(self, reply: Reply, lines: list[str], failed: bool = False) -> None:
        content = [{"type": "text", "text": plain_text.document("\n".join(lines))}]
        result = {"content": content, "isError": failed, "resultType": "complete"}
        self._send({"id": reply.id, "result": result})

    def _send(self, message: Table) -> None:
        data = memoryview(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")
        while data:
            data = data[os.write(self.target, data) :]


def _server() -> Table:
    """What a client learns first. instructions: the rules of the course."""
    try:
        rules = files.read_regular(assistants.RULES, 1 << 16).decode(errors="replace")
    except OSError:
        rules = ""
    who = {"name": "convlabs", "version": __version__}
    server: Table = {"capabilities": {"tools": {}}, "serverInfo": who, "instructions": rules}
    return server | {"_meta": {"io.modelcontextprotocol/serverInfo": who}}


def _kept() -> Table:
    """What the revision without a handshake wants to know of a result: it may change at once."""
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _meta(params: Table) -> Table:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _token(params: Table) -> int | str | None:
    token = _meta(params).get("progressToken")
    return token if isinstance(token, int | str) and not isinstance(token, bool) else None
