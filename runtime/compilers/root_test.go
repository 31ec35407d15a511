package compilers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const rootScript = "../../.ci/root"

// Ubuntu's release is trusted under one key: other keys, even Debian's own, are none.
func TestRootPinsUbuntusKey(t *testing.T) {
	const debian = "/usr/share/keyrings/debian-archive-keyring.gpg"
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("no gpg")
	}
	if _, err := os.Stat(debian); err != nil {
		t.Skipf("%v: no keys to take for Ubuntu's", err)
	}
	command := exec.Command(rootScript, "--keys", "noble", filepath.Join(t.TempDir(), "keys"))
	command.Env = append(os.Environ(), "ACCSCOPE_UBUNTU_KEYS="+debian)
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), debian+" has no key F6ECB3762474EDA9D21B7022871920D1991BC93C") {
		t.Errorf("Debian's keys were taken for Ubuntu's: %v\n%s", err, output)
	}
}

// A mirror that cannot be reached is said, by what and why, and no root folder is begun.
func TestRootSaysWhyNot(t *testing.T) {
	if _, err := os.Stat("/usr/lib/apt/apt-helper"); err != nil {
		t.Skip("no apt here")
	}
	roots := filepath.Join(t.TempDir(), "roots")
	command := exec.Command(rootScript, "--reachable", "noble")
	command.Env = append(os.Environ(), "ACCSCOPE_UBUNTU=file:/nowhere", "ACCSCOPE_ROOTS="+roots)
	output, err := command.CombinedOutput()
	if err == nil || !strings.HasPrefix(string(output), "root: file:/nowhere does not have noble, or cannot be reached: ") {
		t.Errorf("%v\n%s", err, output)
	}
	if _, err := os.Stat(roots); err == nil {
		t.Error("a root folder was begun")
	}
}
