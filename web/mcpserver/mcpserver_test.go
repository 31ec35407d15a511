package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/runtime/leftover"
	"github.com/accscope/accscope/web"
)

// TestMain makes the test program the reader of the askers that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == web.ReaderCommand {
		if err := web.ReadTraces(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leftover.Main(m))
}

// connect serves two generated traces to the SDK's client, until the test ends.
func connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	sources := t.TempDir()
	if err := os.WriteFile(filepath.Join(sources, "jacobi.c"), []byte("first\nsecond\nthird line\nfourth\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	asker, err := web.NewAsker(ctx, web.Options{Traces: []string{tracetest.File(t, 300, 1), tracetest.File(t, 200, 2)}, Sources: []string{sources}})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	ended := make(chan error)
	go func() { ended <- Serve(ctx, asker, "1.2.3", ours) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		cancel()
		asker.Close()
	})
	return client
}

// call gives the text of a tool's answer, and whether it is an error.
func call(t *testing.T, client *mcp.ClientSession, tool, arguments string) (string, bool) {
	t.Helper()
	result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%s %s: %d contents", tool, arguments, len(result.Content))
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// Each tool answers what a user would first ask it, with what is in the trace.
func TestTools(t *testing.T) {
	client := connect(t)
	answers := map[string]struct{ arguments, has string }{
		"traces":    {`{}`, `"number":1`},
		"summary":   {`{"trace": 1}`, `"wall"`},
		"advise":    {`{}`, `"findings":[`},
		"report":    {`{"by": "kernel", "top": 3}`, `"rows"`},
		"compare":   {`{"trace": 1, "other": 0, "by": "variable"}`, `"by":"variable"`},
		"overview":  {`{}`, `"processes":[{`},
		"sources":   {`{}`, `"file":`},
		"source":    {`{"file": "jacobi.c", "line": 3, "around": 1}`, `third line`},
		"memory":    {`{"at": 1000000}`, `"mappings"`},
		"leaks":     {`{}`, `[`},
		"ranks":     {`{}`, `"`},
		"durations": {`{"kernel": "main"}`, `"`},
		"search":    {`{"text": "WAIT", "limit": 2}`, `"wait"`},
		"record":    {`{"id": 2}`, `"fields"`},
		"activity":  {`{"id": 1}`, `"fields"`},
		"schema":    {`{}`, `{"name":"kernels","columns":[`},
		"query":     {`{"sql": "SELECT count(*) AS n FROM spans"}`, `"columns":["n"]`},
	}
	list, err := client.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || *tool.Annotations.OpenWorldHint || tool.Description == "" {
			t.Errorf("%s is not said to read alone: %+v", tool.Name, tool)
		}
	}
	for name, want := range answers {
		if !slices.Contains(names, name) {
			t.Errorf("there is no tool %s", name)
		}
		if text, failed := call(t, client, name, want.arguments); failed || !json.Valid([]byte(text)) || !strings.Contains(text, want.has) {
			t.Errorf("%s: %.300s (failed: %v), want JSON with %s", name, text, failed, want.has)
		}
	}
	if len(names) != len(answers) {
		t.Errorf("tools %v: all are to be asked here", names)
	}
}

// Times keep their last nanosecond, and what is beyond JSON's numbers is text.
func TestLargeNumbers(t *testing.T) {
	client := connect(t)
	text, failed := call(t, client, "query", `{"sql": "SELECT 9007199254740991 a, 9007199254740993 b"}`)
	if failed || !strings.Contains(text, `[[9007199254740991,"9007199254740993"]]`) {
		t.Errorf("%s", text)
	}
	if text, failed := call(t, client, "memory", `{"at": 9007199254740993}`); failed || !strings.Contains(text, "9007199254740993") {
		t.Errorf("the time was changed on the way: %.300s", text)
	}
}

// What cannot be answered says why, and what can be given.
func TestRefusals(t *testing.T) {
	client := connect(t)
	for _, c := range []struct{ tool, arguments, says string }{
		{"query", `{}`, `query: the argument "sql" is missing`},
		{"query", `{"sql": "DELETE FROM record"}`, "query: only reading is allowed"},
		{"query", `{"sql": "SELECT * FROM nowhere"}`, "no such table: nowhere"},
		{"query", `{"sql": "SELECT 1", "format": "csv"}`, `there is no argument "format": it takes trace, sql, rows, seconds`},
		{"query", `{"sql": 7}`, `argument "sql" is 7: want a string`},
		{"report", `{"top": "three"}`, `argument "top" is "three": want an integer`},
		{"report", `{"by": "colour"}`, `colour`},
		{"memory", `{"at": 1.5}`, `parameter at is "1.5"`},
		{"summary", `{"trace": 2}`, "parameter trace"},
		{"compare", `{"other": 5}`, "parameter other"},
		{"traces", `{"trace": 0}`, "it takes none"},
		{"summary", `[1]`, "the arguments are no JSON object"},
	} {
		if text, failed := call(t, client, c.tool, c.arguments); !failed || !strings.Contains(text, c.says) {
			t.Errorf("%s %s: %.300s (failed: %v), want %s", c.tool, c.arguments, text, failed, c.says)
		}
	}
	if text, failed := call(t, client, "query", `{"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 40000) SELECT hex(zeroblob(50)) FROM n", "rows": 40000}`); !failed || !strings.Contains(text, "ask for fewer rows") {
		t.Errorf("an answer of megabytes: %.200s", text)
	}
}
