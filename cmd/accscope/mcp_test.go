package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/npmtest"
)

// The SDK's client starts the command as an editor does, and asks it.
func TestMCP(t *testing.T) {
	trace := tracetest.File(t, 100, 1)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(accscope, "mcp", trace)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if about := client.InitializeResult(); about.ServerInfo.Name != "accscope" || !strings.Contains(about.Instructions, "nanoseconds") {
		t.Errorf("%+v", about)
	}
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: json.RawMessage(`{"sql": "SELECT 41 + 1 AS answer"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, `"rows":[[42]]`) {
		t.Error(text)
	}
	if err := client.Close(); err != nil {
		t.Errorf("the command does not end with its editor: %v", err)
	}
}

// So does the client that most editors have.
func TestMCPFromNode(t *testing.T) {
	script, err := os.CreateTemp(npmtest.Package(t, "@modelcontextprotocol/conformance", "0.1.9"), "ask-*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(script.Name()) })
	if _, err := script.WriteString(`
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp", process.argv[3]] }));
const tools = (await client.listTools()).tools.map(t => t.name);
const answer = await client.callTool({ name: "query", arguments: { sql: "SELECT max(end) m FROM spans" } });
console.log(tools.length, answer.isError ?? false, typeof JSON.parse(answer.content[0].text).rows[0][0]);
await client.close();
`); err != nil {
		t.Fatal(err)
	}
	if err := script.Close(); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("node", script.Name(), accscope, tracetest.File(t, 100, 1)).CombinedOutput()
	if want := "17 false number\n"; err != nil || string(output) != want {
		t.Errorf("%v: %q, want %q", err, output, want)
	}
}

// What is no trace, or no client, ends with one line.
func TestMCPRefuses(t *testing.T) {
	trace := tracetest.File(t, 10, 1)
	r := invoke(t, t.TempDir(), "mcp", "nothing.db")
	if r.status != 1 || r.stderr != "accscope: cannot open trace nothing.db: no such file or directory\n" || r.stdout != "" {
		t.Errorf("%+v", r)
	}
	command := exec.Command(accscope, "mcp", trace)
	command.Stdin = strings.NewReader("what is slow?\n")
	output, err := command.CombinedOutput()
	if text := string(output); err == nil || strings.Count(text, "\n") != 1 || !strings.Contains(text, "no Model Context Protocol") {
		t.Errorf("%v: %q", err, text)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(damaged, []byte("SQLite format 3\x00 and nothing more"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := invoke(t, t.TempDir(), "mcp", trace, damaged); r.status != 1 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "damaged.db") {
		t.Errorf("%+v", r)
	}
}
