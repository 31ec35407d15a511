package main

import (
	"strings"
	"testing"
)

// A run names a directive that GCC ignored, and the wrapper that has it; nothing of what was left
// out by a condition or a comment, of a newer source, or of what the wrapper built.
func TestRunNamesIgnoredDirectives(t *testing.T) {
	environment := underCompilerNames(t)
	const body = "\n  int n = 0;\n#pragma acc parallel copy(n)\n  n++;\n  return n - 1;\n}\n"
	for _, test := range []struct{ name, source, compile, want string }{
		{"set", "int main (void)\n{\n#pragma acc set device_num(0)" + body, "$CC -fopenacc -g a.c -o a", "accscope: GCC ignored #pragma acc set in a.c:3: accscope cc in place of the compiler compiles it\n"},
		{"guard", "int main (void)\n{\n#ifdef _OPENACC\n#pragma acc init\n#endif" + body, "$CC -fopenacc -g -O2 a.c -o a", "#pragma acc init in a.c:4:"},
		{"C++", "int main ()\n{\n#pragma acc region\n  { }" + body, "cp a.c a.cpp; $CXX -fopenacc -g a.cpp -o a", "#pragma acc region in a.cpp:3: accscope c++ in"},
		{"condition", "int main (void)\n{\n#if 0\n#pragma acc init\n#endif\n/* \"\n#pragma acc init\n*/ // \\\n#pragma acc init" + body, "$CC -fopenacc -g a.c -o a", ""},
		{"other branch", "int main (void)\n{\n#ifdef _OPENACC\n#elifdef A\n#pragma acc init\n#endif" + body, "$CC -fopenacc -g a.c -o a", ""},
		{"large", "int main (void)\n{\n#pragma acc set device_num(0)" + body, "{ echo 'int b;'; yes '//' | head -c 9000000; } > b.c; sed s/b/c/ b.c > c.c; $CC -fopenacc -g b.c c.c a.c -o a", ""},
		{"wrapper", "int main (void)\n{\n#pragma acc set device_num(0)" + body, "acc-gcc -g a.c -o a", ""},
		{"object", "int main (void)\n{\n#pragma acc set device_num(0)" + body, "acc-gcc -g -c a.c; $CC -fopenacc a.o -o a", ""},
		{"newer", "int main (void)\n{\n#pragma acc set device_num(0)" + body, "$CC -fopenacc -g a.c -o a; touch -d '2 hours' a.c", ""},
		{"no debug information", "int main (void)\n{\n#pragma acc set device_num(0)" + body, "$CC -fopenacc a.c -o a", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			writeFiles(t, folder, map[string]string{"a.c": test.source})
			execute(t, folder, environment, "sh", "-ec", `CC="$ACCSCOPE_CC" CXX="$ACCSCOPE_CXX"; `+strings.ReplaceAll(test.compile, "-g ", "-g -foffload=disable ")).must(t)
			said := invoke(t, folder, "run", "-o", "a.db", "--", "./a").must(t).stderr
			if !strings.Contains(said, test.want) || test.want == "" && strings.Contains(said, "ignored") || strings.Count(said, "GCC ignored") > 1 {
				t.Errorf("want %q, said:\n%s", test.want, said)
			}
		})
	}
}
