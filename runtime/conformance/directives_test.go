package main

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestSplitWords(t *testing.T) {
	bare := func(texts ...string) []word {
		var words []word
		for _, text := range texts {
			words = append(words, word{text: text})
		}
		return words
	}
	for _, test := range []struct {
		list string
		want []word
	}{
		{``, nil},
		{`one  two`, bare("one", "two")},
		{`"a b" c`, bare("a b", "c")},
		{`"line\n" \[x`, bare("line\n", "[x")},
		{`"\\\[\[0-9\]+"`, bare(`\[[0-9]+`)},
		{`{ a { b } } c`, []word{{" a { b } ", true}, {"c", false}}},
		{`{a\}b}`, []word{{`a\}b`, true}}},
		{`{unclosed`, []word{{"unclosed", true}}},
		{`"unclosed`, bare("unclosed")},
		{`trailing\`, bare(`trailing\`)},
	} {
		if got := splitWords(test.list); !reflect.DeepEqual(got, test.want) {
			t.Errorf("splitWords(%q) = %+v, want %+v", test.list, got, test.want)
		}
	}
}

func FuzzDirectives(f *testing.F) {
	f.Add(`/* { dg-do run { target openacc_nvidia_accel_selected } } */`)
	f.Add(`! { dg-output "\\\[\[0-9a-fA-FxX\]+,\\\+0\\\]" { target { ! openacc_host_selected } } }`)
	f.Add(`{ dg-skip-if "" { *-*-* } { "*" } { "-DACC_MEM_SHARED=0" } }`)
	f.Fuzz(func(t *testing.T, source string) {
		e := &evaluator{settings: allSettings[0], language: C, flags: allSettings[0].flags(), unknown: map[string]bool{}}
		for _, d := range directives(source) {
			if !strings.HasPrefix(d.name, "dg-") {
				t.Errorf("directive %q", d.name)
			}
			for _, w := range d.words {
				e.applies(w.text)
			}
			e.condition(d.words)
		}
	})
}

func TestDirectives(t *testing.T) {
	source := "int x; /* { dg-do run } */\n" +
		"/* { dg-prune-output \"a } b\" } */ \r\n" +
		"// dg-do compile is only mentioned\n" +
		"!TODO { dg-shouldfail \"X\" { ! openacc_host_selected } } ! ... because\n"
	var names []string
	for _, d := range directives(source) {
		names = append(names, d.name)
	}
	if want := []string{"dg-do", "dg-prune-output", "dg-shouldfail"}; !reflect.DeepEqual(names, want) {
		t.Errorf("directives: %q, want %q", names, want)
	}
}

func TestSelectors(t *testing.T) {
	for _, test := range []struct {
		selector  string
		host, sim bool // its truth under these settings
	}{
		{``, true, true},
		{`*-*-*`, true, true},
		{`x86_64-*-linux*`, runtime.GOARCH == "amd64", runtime.GOARCH == "amd64"},
		{`aarch64*-*-*`, runtime.GOARCH == "arm64", runtime.GOARCH == "arm64"},
		{`powerpc*-*-*`, false, false},
		{`openacc_host_selected`, true, false},
		{`! openacc_host_selected`, false, true},
		{`!openacc_host_selected`, false, true},
		{`! { openacc_nvidia_accel_selected || openacc_radeon_accel_selected }`, true, false},
		{`openacc_nvidia_accel_selected && lp64`, false, true},
		{`{ openacc_host_selected } && { ! ia32 }`, true, false},
		{`skip-all-targets`, false, false},
		{`this-really-should-fail`, false, false},
		{`{ c && lp64 } || openacc_nvidia_accel_selected`, true, true},
	} {
		for i, want := range []bool{test.host, test.sim} {
			e := &evaluator{settings: allSettings[i], language: C, unknown: map[string]bool{}}
			if got := e.selects(test.selector); got != want {
				t.Errorf("%s settings: %q is %v, want %v", allSettings[i].Name, test.selector, got, want)
			}
			if len(e.unknown) > 0 {
				t.Errorf("%q: unknown targets %v", test.selector, e.unknown)
			}
		}
	}
}

func TestUnknownTargetIsNoted(t *testing.T) {
	e := &evaluator{settings: allSettings[0], language: C, unknown: map[string]bool{}}
	e.selects("openacc_host_selected || made_up_target")
	if !e.unknown["made_up_target"] {
		t.Error("made_up_target was taken for a known one")
	}
}

func TestCondition(t *testing.T) {
	for _, test := range []struct {
		words     string // of dg-skip-if and its like
		host, sim bool
	}{
		{`""`, true, true},
		{`"" { openacc_host_selected }`, true, false},
		{`"" { *-*-* } { "-DACC_MEM_SHARED=1" }`, true, false},
		{`"" { *-*-* } { "*" } { "-DACC_MEM_SHARED=0" }`, true, false},
		{`"" { *-*-* } { "*" } { "-O0" }`, true, true},
		{`"" { *-*-* } { "-O0" } { "" }`, false, false},
		{`"" { *-*-* } { "-O?" "-Os" }`, true, true},
	} {
		for i, want := range []bool{test.host, test.sim} {
			s := allSettings[i]
			e := &evaluator{settings: s, language: C, flags: s.flags(), unknown: map[string]bool{}}
			if got := e.condition(splitWords(test.words)); got != want {
				t.Errorf("%s settings: condition %s is %v, want %v", s.Name, test.words, got, want)
			}
		}
	}
}

// A failure known of code compiled for the host is known under the sim settings
// too, whose kernels are compiled for the host; for the files listed, and in that
// directive alone.
func TestHostCode(t *testing.T) {
	text := `/* { dg-xfail-run-if "PR88852" { openacc_host_selected } } */
/* { dg-skip-if "" { openacc_host_selected } } */
int main (void) { return 0; }
`
	for _, test := range []struct {
		settings Settings
		file     string
		fails    bool
		notRun   Status
	}{
		{allSettings[0], "gang-reduction-var-assignment.c", true, StatusSkipped},
		{allSettings[1], "gang-reduction-var-assignment.c", true, ""},
		{allSettings[1], "other.c", false, ""},
	} {
		path := filepath.Join(t.TempDir(), test.file)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := plan(Test{Language: C, File: test.file, Path: path}, test.settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.ExpectFailure != test.fails || p.NotRun != test.notRun {
			t.Errorf("%s settings, %s: known to fail %v, %q; want %v, %q", test.settings.Name, test.file, p.ExpectFailure, p.NotRun, test.fails, test.notRun)
		}
	}
}

func TestOutputExpression(t *testing.T) {
	pattern := splitWords(`"(\n|\r\n|\r)libgomp: \\\[\[0-9a-fA-FxX\]+,\\\+256\\\] is a bad range"`)[0].text
	expression, err := outputExpression([]string{"CheCKpOInT", pattern})
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]bool{
		"CheCKpOInT\nlibgomp: [0x7f,+256] is a bad range":  true,
		"CheCKpOInT\naccscope: [0x7f,+256] is a bad range": true,
		"CheCKpOInT\n[0x7f,+256] is a bad range":           true,
		"CheCKpOInT\nlibgomp: [0x7f,+255] is a bad range":  false,
		"CheCKpOInT\nlibgomp:\n[0x7f,+256] is a bad range": false,
	} {
		if got := expression.MatchString(output); got != want {
			t.Errorf("%q matches: %v, want %v", output, got, want)
		}
	}
}
