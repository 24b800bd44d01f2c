"""`./grade mcp` as a program that speaks the protocol: versions, errors, calls that take long."""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import paths
from grader.assistant import running, server, tools
from grader.model import assistants
from grader.student import grade_log
from grader.tests.assistant.client import Client, served

VERSION = "io.modelcontextprotocol/protocolVersion"
SLOW = "import time; time.sleep(60)"
OUTCOME = '{"stepped": {"check": "c", "page": "p", "kernel": "k", "block": "b", "opens": []}}'
QUICK = f"print('{{\"progress\": \"half way\"}}'); print('{OUTCOME}')"
FAULT = "import sys; sys.exit('grade: this is an error in the grader')"
CHECK = "identity 3x3 on a ramp 64x48"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(paths, "PROGRESS", tmp_path / "progress")
    with served() as connected:
        yield connected


def carried_out_by(script: str, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(running, "CHILD", (sys.executable, "-c", script))


@pytest.mark.parametrize("version", [*server.HANDSHAKE, "2019-01-01", None, 7])
def test_handshake_agrees_on_a_version(client: Client, version: object) -> None:
    result = client.ask("initialize", protocolVersion=version, capabilities={})["result"]
    known = version in server.HANDSHAKE
    assert result["protocolVersion"] == (version if known else "2025-11-25")
    assert result["instructions"] == assistants.RULES.read_text()
    assert result["serverInfo"]["name"] == "convlabs" and "tools" in result["capabilities"]
    client.notify("notifications/initialized")
    assert client.ask("ping")["result"] == {}


def test_revision_without_handshake(client: Client) -> None:
    found = client.ask("server/discover", _meta={VERSION: "2026-07-28"})["result"]
    assert found["supportedVersions"] == ["2026-07-28"] and found["instructions"]
    listed = client.ask("tools/list", _meta={VERSION: "2026-07-28"})["result"]
    assert listed["resultType"] == "complete" and listed["cacheScope"] == "private"
    error = client.ask("tools/list", _meta={VERSION: "2031-01-01"})["error"]
    assert error["code"] == -32022 and "2026-07-28" in error["data"]["supported"]


def test_tools_have_valid_schemas(client: Client) -> None:
    listed = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == [*tools.TOOLS]
    for tool in listed:
        schema = tool["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        assert "lab" in schema["required"] and len(tool["description"]) > 40


@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        (b"{\n", -32700, None),
        (b"[]\n", -32700, None),
        (b"null\n", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "x\xff"}\n', -32700, None),
        (b"[" * 99_999 + b"\n", -32700, None),
        (b'{"id": 5, "method": "ping"}\n', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": 5, "method": 7}\n', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": 5}\n', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}\n', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}\n', -32600, None),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}\n', -32602, "a"),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "tools/\x1b[2J"}\n', -32700, None),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "tools/\\u001b[2J"}\n', -32601, "a"),
        (b'{"x": "' + b"x" * server.MOST_BYTES + b'"}\n', -32600, None),
    ],
)
def test_bad_message_has_an_error_and_the_next_an_answer(
    client: Client, line: bytes, code: int, named: object
) -> None:
    client.write(line)
    answer = client.read()
    assert (answer["error"]["code"], answer["id"]) == (code, named)
    assert answer["error"]["message"].isprintable()
    assert client.ask("ping")["result"] == {}


class Silent(server.Server):
    """Keeps what it would send; carries out no call."""

    sent: list[dict[str, Any]]

    def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "notifications/cancelled", "x"])
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": JSON,
        "method": METHODS | JSON,
        "params": st.dictionaries(st.sampled_from(["_meta", "requestId", "name"]), JSON) | JSON,
        "result": JSON,
    },
)


@given(st.lists(st.binary(max_size=40) | MESSAGE.map(lambda m: json.dumps(m).encode()), max_size=4))
def test_any_bytes_get_an_answer_each_at_most(lines: list[bytes]) -> None:
    silent = Silent(-1, -1)
    silent.sent = []
    data = b"".join(line + b"\n" for line in lines)
    for at in range(0, len(data), 7):
        for message in silent._lines(data[at : at + 7]):
            silent._take(message)
    assert len(silent.sent) <= data.count(b"\n")
    for answer in silent.sent:
        assert ("error" in answer) != ("result" in answer)
        assert answer["id"] is None or isinstance(answer["id"], int | str)


def test_odd_messages_that_are_right(client: Client) -> None:
    client.write(b"\n  \r\n")  # no message
    client.write(b'{"jsonrpc": "2.0", "id": 0, "result": {}}\n')  # an answer to nothing
    client.notify("notifications/of the future", x=1)
    for piece in (b'{"jsonrpc": "2.0",', b' "id": "\xc3', b'\xa9", "method": "ping"}\r\n'):
        client.write(piece)
        time.sleep(0.02)
    assert client.read() == {"jsonrpc": "2.0", "id": "é", "result": {}}
    client.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":')
    client.write(b'"ping","params":null}\n')
    assert [client.read()["id"], client.read()["id"]] == [1, 2]


def test_call_reports_progress_and_its_outcome(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried_out_by(QUICK, monkeypatch)
    arguments = {"lab": "lab1", "check": CHECK}
    answer = client.ask(
        "tools/call", name="step", arguments=arguments, _meta={"progressToken": "t"}
    )
    assert client.progress == [{"progressToken": "t", "progress": 1, "message": "half way"}]
    assert not answer["result"]["isError"]
    (call,) = grade_log.read("lab1").calls
    assert (call.tool, call.about) == ("step", CHECK)
    client.progress.clear()
    assert client.call("step", **arguments)[0]
    assert client.progress == [], "without a token nobody asked for it"


def test_fault_of_ours_is_reported_as_such(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    carried_out_by(FAULT, monkeypatch)
    answered, text = client.call("grade", lab="lab1")
    assert not answered and "gave no answer" in text and "error in the grader" in text
    carried_out_by("import os; os.kill(os.getpid(), 9)", monkeypatch)
    answered, text = client.call("grade", lab="lab1")
    assert not answered and "status -9" in text
    carried_out_by("print('no message'); print('{\"graded\": 7}')", monkeypatch)
    assert not client.call("grade", lab="lab1")[0]


def test_call_that_takes_too_long_is_ended(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LONGEST", 0.3)
    carried_out_by(SLOW, monkeypatch)
    began = time.monotonic()
    answered, text = client.call("grade", lab="lab1")
    assert not answered and "was ended; ask for one part" in text
    assert time.monotonic() - began < 10


def test_others_are_answered_meanwhile(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    carried_out_by(SLOW, monkeypatch)
    first = client.begin("tools/call", name="grade", arguments={"lab": "lab1"})
    assert client.call("hint", lab="lab1", part="A")[0]
    client.write(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{}}\n' % first)
    assert "under way" in client.read()["error"]["message"]
    waiting = [
        client.begin("tools/call", name="grade", arguments={"lab": "lab1"})
        for _ in range(server.MOST_WAITING)
    ]
    answered, text = client.call("grade", lab="lab1")
    assert not answered and "too many calls wait" in text
    carried_out_by(QUICK, monkeypatch)
    client.notify("notifications/cancelled", requestId=first)
    client.notify("notifications/cancelled", requestId=waiting[0])
    client.notify("notifications/cancelled", requestId="no such")
    assert [client.read()["id"] for _ in waiting[1:]] == waiting[1:]


def test_nothing_goes_on_without_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "PROGRESS", tmp_path / "progress")
    ran = tmp_path / "ran"
    carried_out_by(f"import time\nopen({str(ran)!r}, 'w').close()\n{SLOW}", monkeypatch)
    with served() as client:
        client.begin("tools/call", name="grade", arguments={"lab": "lab1"})
        while not ran.exists():
            time.sleep(0.01)
    assert not [
        process
        for process in Path("/proc").glob("[0-9]*/cmdline")
        if str(ran).encode() in contents_of(process)
    ]


def contents_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def test_client_that_reads_nothing_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "PROGRESS", tmp_path / "progress")
    source, ours = os.pipe()
    unread, target = os.pipe()
    os.close(unread)
    os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    server.Server(source, target).serve()
    for descriptor in (source, ours, target):
        os.close(descriptor)


def test_half_of_a_pair_of_surrogates_is_no_text(client: Client) -> None:
    client.write(b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n')
    assert client.read()["error"]["code"] == -32700
