package compilers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What .ci/setup says where something cannot be fetched: what, why, and what to do.
func TestSetupSaysWhatCannotBeFetched(t *testing.T) {
	tree := t.TempDir()
	script, err := os.ReadFile("../../.ci/setup")
	if err != nil {
		t.Fatal(err)
	}
	file := func(path, content string) {
		t.Helper()
		path = filepath.Join(tree, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file(".ci/setup", string(script))
	file("go.mod", "module example\n\ngo 1.99.0\n")
	for _, tool := range []string{"bash", "sh", "dirname", "uname", "getconf", "id", "awk", "sed", "sort", "head", "mktemp", "rm", "cat", "grep"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(tree, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(tree, "bin", tool)); err != nil {
			t.Fatal(err)
		}
	}
	file("bin/apt-get", "#!/bin/sh\necho 'E: Could not resolve mirror.example' >&2\nexit 100\n")
	file("bin/go", `#!/bin/sh
case "$*" in
"env GOVERSION") echo go1.19.8 ;;
"env GOPROXY") echo https://proxy.example ;;
*) echo '{ "Error": "dial tcp: lookup proxy.example: no such host" }'; exit 1 ;;
esac
`)
	for _, c := range []struct {
		what string
		want []string // beside others
	}{
		{"go", []string{"setup: fetching Go 1.99.0 through the Go module proxy", "setup: Go 1.99.0 could not be fetched (GOPROXY=https://proxy.example):",
			"lookup proxy.example: no such host", "Mend the way there, or install Go 1.99.0 or later by hand"}},
		{"build", []string{"setup: installing make", "missing: make ", "apt-get install make "}},
	} {
		t.Run(c.what, func(t *testing.T) {
			command := exec.Command(filepath.Join(tree, "bin", "bash"), filepath.Join(tree, ".ci", "setup"), c.what)
			command.Env = []string{"PATH=" + filepath.Join(tree, "bin"), "HOME=" + tree}
			output, err := command.CombinedOutput()
			if err == nil {
				t.Error("setup ended well")
			}
			for _, want := range c.want {
				if !strings.Contains(string(output), want) {
					t.Errorf("without %q:\n%s", want, output)
				}
			}
		})
	}
}
