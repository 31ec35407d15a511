package linkage

import (
	"strconv"
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	for _, test := range []struct{ linkage, want string }{
		{"", ""},
		{"main._omp_fn.6", "main._omp_fn.6"},
		{"__grid_MOD_step._omp_fn.0", "__grid_MOD_step._omp_fn.0"},
		{"relax_._omp_fn.1", "relax_._omp_fn.1"},
		{"_ZN9Particles4stepEd._omp_fn.0", "Particles::step._omp_fn.0"},
		{"_ZN9ParticlesC2Ei._omp_fn.12", "Particles::Particles._omp_fn.12"},
		{"_ZN7physics4GridIdE5scaleEd._omp_fn.0", "physics::Grid<double>::scale._omp_fn.0"},
		{"_ZN9Particles4stepEd$_omp_fn$0", "Particles::step$_omp_fn$0"},
		{"_ZZ4mainENKUlPdE_clES_._omp_fn.0", "main::{lambda(double*)#1}::operator()._omp_fn.0"},
		{"_Z3addIdEvPT_i._omp_fn.3.constprop.0", "add<double>._omp_fn.3.constprop.0"},
		{"_ZN9Particles4stepEd", "Particles::step"},
		{"_ZN9Particles4st._omp_fn.0", "_ZN9Particles4st._omp_fn.0"}, // cut short
		{"_Z", "_Z"},
		{"_Zone", "_Zone"},
	} {
		if got := Readable(test.linkage); got != test.want {
			t.Errorf("%q is shown as %q, want %q", test.linkage, got, test.want)
		}
	}
}

// A trace may come from anywhere: a name in it may be made to fill the stack or
// the memory of whoever demangles it.
func TestReadableHostile(t *testing.T) {
	// Each template argument is P<x, x> of the one before: S0_ is P, S1_ the first.
	doubling := "_Z1fI1PIiiE"
	for i := range 33 {
		last := strings.ToUpper(strconv.FormatInt(int64(i+1), 36))
		doubling += "S0_IS" + last + "_S" + last + "_E"
	}
	for name, linkage := range map[string]string{
		"deep":     "_Z1f" + strings.Repeat("P", 1<<20) + "i",
		"at limit": "_Z1fI" + strings.Repeat("P", longestMangled-10) + "iEvv",
		"doubling": doubling + "Evv._omp_fn.0",
	} {
		if got := Readable(linkage); got != linkage && name != "at limit" || len(got) > len(linkage) {
			t.Errorf("%s: %d bytes became %d: %.60q", name, len(linkage), len(got), got)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("_ZN7physics4GridIdE5scaleEd._omp_fn.0")
	f.Add("_ZZ4mainENKUlPdE_clES_$_omp_fn$0")
	f.Fuzz(func(t *testing.T, linkage string) {
		got := Readable(linkage)
		if len(got) > len(linkage)+1<<longestDemangled {
			t.Errorf("%d bytes became %d", len(linkage), len(got))
		}
		if !strings.HasPrefix(linkage, "_Z") && got != linkage {
			t.Errorf("%q became %q", linkage, got)
		}
	})
}
