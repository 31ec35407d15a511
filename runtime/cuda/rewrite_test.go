package cuda

import (
	"os"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/ptx"
)

// rewritten is a text with its reductions as instructions, and their number.
func rewritten(t *testing.T, text string) (string, int) {
	t.Helper()
	changed, about := form{reductions: true}.of([]string{text})
	m, err := ptx.Parse(changed[0])
	if err != nil {
		t.Fatalf("what became of it cannot be read: %v\n%s", err, changed[0])
	}
	for i := range m.Functions {
		_, err := m.Decode(&m.Functions[i])
		check(t, err)
	}
	return changed[0], about.Reductions
}

// What GCC made of testdata/reductions.c, and what becomes of it.
func TestReductions(t *testing.T) {
	text, err := os.ReadFile("testdata/reductions.ptx")
	check(t, err)
	got, count := rewritten(t, string(text))
	const golden = "testdata/reductions.rewritten.ptx"
	if *update {
		check(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	check(t, err)
	if got != string(want) || count == 0 {
		t.Errorf("%d reductions; %s is another text; see the difference with -update", count, golden)
	}
	if again, more := rewritten(t, got); more != 0 || again != got {
		t.Errorf("%d reductions in what was rewritten", more)
	}
}

// TestReductionLoops: a loop, and what its compare-and-swap becomes; "" for what has to stay.
func TestReductionLoops(t *testing.T) {
	const head = "\t.version 6.0\n\t.target sm_30\n\t.address_size 64\n.entry k (.param.u64 %in)\n{\n" +
		".reg.u64 %g, %r, %w, %a; .reg.u32 %g4, %r4, %w4, %v4; .reg.f64 %f, %s, %v; .reg.f32 %f4, %s4, %u4; .reg.pred %p;\nmov.u64 %g, 0;\nmov.u32 %g4, 0;\nbra $2;\n$1:\n"
	const f64 = "mov.u64 %g, %r;\n$2:\nmov.b64 %f, %g;\nadd.f64 %s, %v, %f;\nmov.b64 %w, %s;\natom.cas.b64 %r, [%a+8], %g, %w;\nsetp.ne.u64 %p, %g, %r;\n@%p bra $1;\nret;\n}\n"
	const u32 = "mov.u32 %g4, %r4;\n$2:\nadd.u32 %w4, %v4, %g4;\natom.cas.b32 %r4, [%a], %g4, %w4;\nsetp.ne.u32 %p, %g4, %r4;\n@%p bra $1;\nret;\n}\n"
	replace := func(loop string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(loop) }
	for name, c := range map[string]struct{ loop, want string }{
		"f64":                              {f64, "red.add.f64 [%a+8], %v; mov.b64 %r, %g;"},
		"f64, the other way":               {replace(f64, "%v, %f", "%f, %v"), "red.add.f64 [%a+8], %v; mov.b64 %r, %g;"},
		"f64, shared":                      {replace(f64, "atom.", "atom.shared."), "red.shared.add.f64 [%a+8], %v; mov.b64 %r, %g;"},
		"f32":                              {replace(f64, "64", "32", "%f", "%f4", "%s", "%s4", "%v", "%u4", "%g", "%g4", "%r", "%r4", "%w", "%w4"), "red.add.f32 [%a+8], %u4; mov.b32 %r4, %g4;"},
		"u32":                              {u32, "red.add.u32 [%a], %v4; mov.b32 %r4, %g4;"},
		"s32":                              {replace(u32, "add.u32", "add.s32"), "red.add.u32 [%a], %v4; mov.b32 %r4, %g4;"},
		"a number":                         {replace(u32, "%v4", "-1"), "red.add.u32 [%a], -1; mov.b32 %r4, %g4;"},
		"max":                              {replace(u32, "add.u32", "max.s32"), "red.max.s32 [%a], %v4; mov.b32 %r4, %g4;"},
		"and":                              {replace(u32, "add.u32", "and.b32"), "red.and.b32 [%a], %v4; mov.b32 %r4, %g4;"},
		"compared otherwise":               {replace(u32, "%p, %g4, %r4", "%p, %r4, %g4"), "red.add.u32 [%a], %v4; mov.b32 %r4, %g4;"},
		"no such instruction":              {replace(f64, "add.f64", "max.f64"), ""},
		"a difference":                     {replace(u32, "add.u32", "sub.u32"), ""},
		"of the guess itself":              {replace(u32, "%v4", "%g4"), ""},
		"the result is used":               {replace(u32, "ret;", "st.u32 [%a+4], %r4;\nret;"), ""},
		"the sum is used":                  {replace(f64, "ret;", "st.f64 [%a], %s;\nret;"), ""},
		"its bits are used":                {replace(f64, "ret;", "st.u64 [%a], %w;\nret;"), ""},
		"the guess is used":                {replace(u32, "ret;", "st.u32 [%a+4], %g4;\nret;"), ""},
		"the guess is changed":             {replace(u32, "mov.u32 %g4, %r4", "add.u32 %g4, %g4, 1"), ""},
		"under a guard":                    {replace(u32, "atom.", "@%p atom."), ""},
		"entered":                          {replace(u32, "atom.", "$3:\natom.", "ret;", "@!%p bra $3;\nret;"), ""},
		"another comparison":               {replace(u32, "setp.ne", "setp.lt"), ""},
		"signed integers of another width": {replace(u32, "setp.ne.u32", "setp.ne.u16"), ""},
	} {
		got, count := rewritten(t, head+c.loop)
		if c.want == "" {
			if count != 0 || got != head+c.loop {
				t.Errorf("%s: became\n%s", name, got)
			}
			continue
		}
		begin, end := strings.Index(head+c.loop, "atom."), 0
		end = begin + strings.IndexByte((head + c.loop)[begin:], ';') + 1
		want := strings.Replace((head + c.loop)[:begin]+c.want+(head + c.loop)[end:], "sm_30", "sm_60", 1)
		if got != want {
			t.Errorf("%s: became\n%s\nwant\n%s", name, got, want)
		}
	}
}
