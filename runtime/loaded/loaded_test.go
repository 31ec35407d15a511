package loaded

import "testing"

// TestModules lists more modules than it makes space for at first.
func TestModules(t *testing.T) {
	all := modules(1000)
	if len(all) < 2 {
		t.Fatalf("%d modules, want the program and the C library at least", len(all))
	}
	few := modules(1)
	if len(few) != len(all) {
		t.Fatalf("%d modules with space for 1 at first, %d with space for 1,000", len(few), len(all))
	}
	for i := range all {
		if few[i] != all[i] {
			t.Errorf("module %d is another one", i)
		}
	}
}
