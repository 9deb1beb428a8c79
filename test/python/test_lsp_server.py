# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The language server in a conversation as an editor has it: messages, hover with symbolic shapes, definitions."""
import json
import subprocess
import threading

import pytest

GOOD = """#n_4 = #relax_sym.shape<[n*2, 4]>
func.func @main(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %y = relax.relu %x : tensor<?x4xf32, #n_4>
  return %y : tensor<?x4xf32, #n_4>
}
"""
BAD = GOOD.replace("return %y", "return %z")
URI = "test:///model.mlir"


class Server:
    """Sends requests and collects what is answered; a watchdog ends a server that hangs."""

    def __init__(self, program):
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.watchdog = threading.Timer(120, self.process.kill)
        self.watchdog.start()
        self.count, self.published = 0, []

    def send(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published.append(message["params"])
        return message

    def ask(self, method, params):
        self.count += 1
        self.send(method, params, id=self.count)
        while (message := self.read()).get("id") != self.count:
            pass
        return message["result"]

    def wait_for_messages(self):
        while not self.published:
            self.read()
        return self.published.pop()["diagnostics"]


@pytest.fixture
def server(build):
    made = Server(build / "bin/relax-lsp-server")
    result = made.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert result["capabilities"]["hoverProvider"] is True
    made.send("initialized", {})
    yield made
    made.ask("shutdown", None)
    made.send("exit", None)
    assert made.process.wait(60) == 0
    made.watchdog.cancel()


def test_conversation(server):
    server.send("textDocument/didOpen",
                {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": GOOD}})
    assert server.wait_for_messages() == []

    def at(line, character):
        return {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}

    op = server.ask("textDocument/hover", at(3, 10))["contents"]["value"]
    assert "relax.relu" in op and "[n * 2, 4]" in op
    value = server.ask("textDocument/hover", at(3, 18))["contents"]["value"]
    assert "tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>" in value
    function = server.ask("textDocument/hover", at(1, 12))["contents"]["value"]
    assert "n <= 64" in function
    place = server.ask("textDocument/definition", at(4, 10))[0]["range"]["start"]
    assert place == {"line": 3, "character": 2}

    server.send("textDocument/didChange",
                {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": BAD}]})
    [message] = server.wait_for_messages()
    assert "undeclared SSA value" in message["message"] and message["range"]["start"]["line"] == 4

    wrong = GOOD.replace("relax.relu %x : tensor<?x4xf32, #n_4>", "relax.relu %x : tensor<?x4xf32, #n_4> -> tensor<?x5xf32>")
    server.send("textDocument/didChange",
                {"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": wrong}]})
    assert server.wait_for_messages()
