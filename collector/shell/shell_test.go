package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/shell"
)

// words are names as people and programs give them, and how they are written.
var words = []struct{ text, want string }{
	{"trace.db", "trace.db"},
	{"größe-2.db", "größe-2.db"},
	{"a=b", "a=b"},
	{"", `""`},
	{"=ls", `"=ls"`},
	{"with space.db", `"with space.db"`},
	{"it's.db", `"it's.db"`},
	{"~user", `"~user"`},
	{"#1", `"#1"`},
	{"a*b?[c]{d,e}", `"a*b?[c]{d,e}"`},
	{"a;b|c&d<e>f(g)", `"a;b|c&d<e>f(g)"`},
	{"$HOME", "'$HOME'"},
	{"`id`", "'`id`'"},
	{`say "hi"`, `'say "hi"'`},
	{`back\slash`, `'back\slash'`},
	{"wow!", "'wow!'"},
	{"it's $5", `'it'\''s $5'`},
	{"two\nlines", `$'two\012lines'`},
	{"\x1b[2J'\\", `$'\033[2J\'\\'`},
	{"raw\xff", `$'raw\377'`},
	{"right\u202eleft", `$'right\342\200\256left'`},
}

// A word means the same to the shell as it did before, also where what steers a terminal
// is escaped on its way there.
func TestWord(t *testing.T) {
	var script strings.Builder
	for _, w := range words {
		got := shell.Word(w.text)
		if got != w.want {
			t.Errorf("%q is written %s, want %s", w.text, got, w.want)
		}
		if got != escape.Line(got) {
			t.Errorf("%s is shown as %s", got, escape.Line(got))
		}
		script.WriteString("printf '%s\\0' " + got + "\n")
	}
	output, err := exec.Command("bash", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, read := range strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		if read != words[i].text {
			t.Errorf("%s is read as %q, want %q", words[i].want, read, words[i].text)
		}
	}
}

func TestCommand(t *testing.T) {
	if got, want := shell.Command("accscope", "import", "--to", "nats://h:1/j?x", "a b"), `accscope import --to "nats://h:1/j?x" "a b"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for path, want := range map[string]string{"-o.db": "./-o.db", "- x": `"./- x"`, "a/-b": "a/-b"} {
		if got := shell.Path(path); got != want {
			t.Errorf("%q is written %s, want %s", path, got, want)
		}
	}
}
