// Package npmtest gets, for tests, the programs from npm that read our formats.
package npmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Package installs a package, and with it others of the same version, once for
// each machine and returns the folder that holds node_modules. The test is skipped where the package is not there already,
// unless ACCSCOPE_CONSUMERS asks for the consumers of our formats.
func Package(t *testing.T, name, version string, with ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "accscope", "npm-"+strings.NewReplacer("/", "-", "@", "").Replace(name)+"-"+version)
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	if os.Getenv("ACCSCOPE_CONSUMERS") == "" {
		t.Skipf("installs %s from npm; set ACCSCOPE_CONSUMERS=1", name)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	// It appears under its name when it is whole.
	making, err := os.MkdirTemp(filepath.Dir(folder), ".npm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(making) })
	command := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", making, name+"@"+version)
	for _, other := range with {
		command.Args = append(command.Args, other+"@"+version)
	}
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, output)
	}
	if err := os.Rename(making, folder); err != nil {
		if _, other := os.Stat(folder); other != nil { // nobody else was faster
			t.Fatal(err)
		}
	}
	return folder
}
