"""A client of `./grade mcp` for tests: a server in a thread, between two pipes."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grader.assistant.server import Server


class Client:
    """source, target: descriptors of the server's messages and of ours."""

    def __init__(self, source: int, target: int) -> None:
        self.answers = os.fdopen(source, "rb")
        self.target = target
        self.progress: list[dict[str, Any]] = []
        self.number = 0

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.target, data) :]

    def begin(self, method: str, **params: Any) -> int:
        """Sends a request. Returns its id."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.write(json.dumps(message).encode() + b"\n")
        return self.number

    def notify(self, method: str, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())
        self.write(b"\n")

    def read(self) -> dict[str, Any]:
        """The next answer; reports of progress before it are kept."""
        while True:
            message: dict[str, Any] = json.loads(self.answers.readline() or b"{}")
            if message.get("method") != "notifications/progress":
                return message
            self.progress.append(message["params"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.begin(method, **params)
        return self.read()

    def call(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Whether a call of a tool was answered, and the text."""
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        (content,) = result["content"]
        return not result["isError"], content["text"]


@contextmanager
def served() -> Iterator[Client]:
    """A client of a server in a thread. When the client leaves, the server ends."""
    ours, theirs = os.pipe(), os.pipe()
    server = Server(ours[0], theirs[1])

    def serve() -> None:
        server.serve()
        os.close(theirs[1])

    thread = threading.Thread(target=serve)
    thread.start()
    client = Client(theirs[0], ours[1])
    try:
        yield client
    finally:
        os.close(ours[1])
        thread.join(20)
        assert not thread.is_alive(), "the server goes on without a client"
        assert client.answers.read() == b"", "the server said something that was not asked"
        client.answers.close()
        os.close(ours[0])
