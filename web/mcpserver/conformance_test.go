package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/npmtest"
	"github.com/accscope/accscope/web"
)

// The protocol's own tests, those that ask for nothing a server need not have. They speak HTTP
// only: the SDK bridges that on the loopback interface.
func TestConformance(t *testing.T) {
	asker, err := web.NewAsker(t.Context(), web.Options{Traces: []string{tracetest.File(t, 50, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	defer asker.Close()
	server := newServer(asker, "1.2.3")
	bridge := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer func() {
		for session := range server.Sessions() { // a client that goes leaves it open
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
		bridge.Close()
	}()
	program := filepath.Join(npmtest.Package(t, "@modelcontextprotocol/conformance", "0.1.9"), "node_modules", ".bin", "conformance")
	for _, scenario := range []string{"server-initialize", "ping", "tools-list"} {
		command := exec.Command(program, "server", "--url", bridge.URL, "--scenario", scenario)
		command.Dir = t.TempDir() // it writes its results
		output, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(output), " 0 failed") {
			t.Errorf("%s: %v\n%s", scenario, err, output)
		}
	}
}
