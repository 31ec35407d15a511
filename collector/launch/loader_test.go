package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program of another C library is known by its loader, and so is a script of one: nothing
// of ours is loaded into them.
func TestForeignPrograms(t *testing.T) {
	const musl = "/lib/ld-musl-x86_64.so.1"
	other := compile(t, "int main (void) { return 0; }", "-Wl,--dynamic-linker="+musl)
	elsewhere := compile(t, "int main (void) { return 0; }", "-Wl,--dynamic-linker=/opt/elsewhere/"+filepath.Base(loaderOf("/proc/self/exe")))
	script := func(line string) string {
		path := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(path, []byte(line+"\necho\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		path string
		kind Kind
	}{
		"of another library":              {other, Foreign},
		"of ours in another place":        {elsewhere, Plain},
		"static":                          {compile(t, "int main (void) { return 0; }", "-static"), Static},
		"a script of another's":           {script("#! " + other + " -x"), Foreign},
		"a script of ours":                {script("#!" + elsewhere), Script},
		"a script of nobody's":            {script("#!/nowhere/shell"), Script},
		"a script without an interpreter": {script("echo"), Script},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := Inspect(c.path)
			if err != nil || program.Kind != c.kind {
				t.Fatalf("kind %d (%v), want %d", program.Kind, err, c.kind)
			}
			for _, wanted := range []Runtime{Auto, Native, Accscope} {
				_, err := Choose(program, wanted, "")
				if said := fmt.Sprint(err); c.kind == Foreign && (!strings.Contains(said, "another C library") || !strings.Contains(said, musl)) {
					t.Errorf("runtime %d: %v", wanted, err)
				}
			}
		})
	}
}
