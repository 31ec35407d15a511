#!/usr/bin/env bash
# Software: github.com/modelcontextprotocol/go-sdk v1.8.0, typed tools (mcp.AddTool).
# Belief: a tool whose argument and result are int64 gets and gives every int64, as encoding/json
#   does for a struct's field.
# Behaviour: both pass through a float64 on the way (default values and the schema are applied to
#   a map): 2^53+1 arrives as 2^53, and the result 2^53+1 leaves as 2^53, in the text too, without
#   an error. Times in nanoseconds since 1970 lose up to 128 ns. A tool added by Server.AddTool,
#   which gets the raw JSON and gives text, keeps all digits.
# Output seen: "typed: got 9007199254740992, gave {"at":9007199254740992}; raw: got {"at":9007199254740993}".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
command -v go >/dev/null || { echo "needs Go 1.25 or newer" >&2; exit 1; }
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type moment struct {
	At int64 `json:"at"`
}

const large = 1<<53 + 1

func main() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "typed"}, func(_ context.Context, _ *mcp.CallToolRequest, m moment) (*mcp.CallToolResult, moment, error) {
		fmt.Printf("typed: got %d, ", m.At)
		return nil, moment{large}, nil
	})
	server.AddTool(&mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type": "object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Printf("raw: got %s", r.Params.Arguments)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "kept"}}}, nil
	})
	ours, theirs := mcp.NewInMemoryTransports()
	go server.Run(ctx, ours)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		panic(err)
	}
	arguments := json.RawMessage(fmt.Sprintf(`{"at":%d}`, int64(large)))
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "typed", Arguments: arguments})
	if err != nil {
		panic(err)
	}
	fmt.Printf("gave %s; ", result.Content[0].(*mcp.TextContent).Text)
	if _, err = client.CallTool(ctx, &mcp.CallToolParams{Name: "raw", Arguments: arguments}); err != nil {
		panic(err)
	}
	fmt.Println()
}
GO
export GOFLAGS=-mod=mod
go mod init finding >/dev/null 2>&1
go get github.com/modelcontextprotocol/go-sdk@v1.8.0 >/dev/null 2>told || { cat told >&2; exit 1; }
seen=$(go run .)
echo "$seen"
want='typed: got 9007199254740992, gave {"at":9007199254740992}; raw: got {"at":9007199254740993}'
[ "$seen" = "$want" ] || fail "$seen"
