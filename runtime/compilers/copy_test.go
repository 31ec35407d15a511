package compilers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A file of the copy that is another than before is newer than what was built there, even
// where it was written here before that; others keep their times, what was built stays,
// and what is gone here goes.
func TestCopiesAreBuiltAnew(t *testing.T) {
	tree, folder := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	script, err := os.ReadFile("../../.ci/copy")
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, content string, written time.Time) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	hour := func(ago int) time.Time { return time.Now().Add(-time.Duration(ago) * time.Hour) }
	run := func(name string, arguments ...string) {
		t.Helper()
		if output, err := exec.Command(name, arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, arguments, err, output)
		}
	}
	write(filepath.Join(tree, ".ci/copy"), string(script), hour(9))
	write(filepath.Join(tree, "changes.c"), "1", hour(9))
	write(filepath.Join(tree, "stays.c"), "1", hour(9))
	write(filepath.Join(tree, "goes.c"), "1", hour(9))
	run("git", "-C", tree, "init", "--quiet")
	run(filepath.Join(tree, ".ci/copy"), folder)
	for _, name := range []string{"changes.c", "stays.c", "goes.c"} {
		write(filepath.Join(folder, name), "1", hour(8))
	}
	write(filepath.Join(folder, "lib/built"), "", hour(4))
	write(filepath.Join(tree, "changes.c"), "2", hour(6))
	if err := os.Remove(filepath.Join(tree, "goes.c")); err != nil {
		t.Fatal(err)
	}
	run(filepath.Join(tree, ".ci/copy"), folder)

	built, err := os.Stat(filepath.Join(folder, "lib/built"))
	if err != nil {
		t.Fatal(err)
	}
	for name, newer := range map[string]bool{"changes.c": true, "stays.c": false} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.ModTime().After(built.ModTime()) != newer {
			t.Errorf("%s is of %v, what was built of %v", name, info.ModTime(), built.ModTime())
		}
	}
	if content, err := os.ReadFile(filepath.Join(folder, "changes.c")); string(content) != "2" {
		t.Errorf("changes.c holds %q (%v)", content, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "goes.c")); err == nil {
		t.Error("goes.c is still there")
	}
}
