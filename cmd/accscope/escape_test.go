package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// steering has a control character of each set, raw and encoded, and one that
// turns the direction round.
const steering = "evil\x1b]0;t\a\x1b[31m\u009b2J\u202e\r\x7f"

// calm fails the test if output would steer a terminal, or lost what was in it.
func calm(t *testing.T, what, output, want string) {
	t.Helper()
	for _, r := range output {
		if r != '\n' && r != '\t' && escape.Steers(r) {
			t.Errorf("%s prints %#x:\n%.2000q", what, r, output)
			return
		}
	}
	if !strings.Contains(output, want) {
		t.Errorf("%s does not show %s:\n%.2000s", what, want, output)
	}
}

// Names in a trace, paths, results and servers' answers are shown, and do nothing.
func TestNothingSteersTheTerminal(t *testing.T) {
	trace := tracetest.File(t, 500, 1)
	quoted := "'" + steering + "'"
	tracetest.Change(t, trace, "UPDATE string SET text = "+quoted+" || id WHERE text IS NOT NULL",
		"UPDATE site_detail SET name = "+quoted+", kernel = "+quoted+" WHERE kernel IS NOT NULL", "UPDATE process SET program = "+quoted+", arguments = '[\"x\"]'",
		"INSERT INTO meta VALUES ("+quoted+", "+quoted+")", "UPDATE host SET name = "+quoted)
	folder := filepath.Dir(trace)
	path := filepath.Join(folder, "path"+steering+".db")
	if err := os.Rename(trace, path); err != nil {
		t.Fatal(err)
	}
	const shown = `\u001b]0;t\u0007\u001b[31m\u009b2J\u202e`
	inJSON := strings.ReplaceAll(shown, `\\`, `\`)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"info", path}, shown},
		{[]string{"info", "--json", path}, inJSON},
		{[]string{"report", path}, shown},
		{[]string{"report", "--format", "json", path}, inJSON},
		{[]string{"report", "--format", "markdown", path}, "u001b"},
		{[]string{"report", "--by", "kernel", path}, shown},
		{[]string{"query", path, "SELECT kernel AS \"" + strings.TrimSuffix(steering, "\r\x7f") + "\" FROM kernels"}, shown},
		{[]string{"query", "--format", "json", path, "SELECT kernel FROM kernels"}, inJSON},
		{[]string{"query", "--format", "markdown", path, "SELECT kernel FROM kernels"}, shown},
		{[]string{"query", path, "SELECT * FROM " + quoted}, shown},
		{[]string{"top", "--picture", "kernels", path}, "evil"},
		{[]string{"top", "--json", "--once", path}, inJSON},
		{[]string{"import", path + "none"}, shown},
		{[]string{"export", "--to", steering, path}, "evil"},
		{[]string{"attach", steering}, "evil"},
		{[]string{"run", "--", "./" + steering}, shown},
	} {
		r := invoke(t, folder, test.args...)
		calm(t, strings.Join(test.args, " "), r.stdout+r.stderr, test.want)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, steering)
	}))
	defer server.Close()
	r := invoke(t, folder, "export", "--to", "otlp", "--endpoint", server.URL, path)
	if r.status == 0 {
		t.Error("the server's refusal is no failure")
	}
	calm(t, "an answer", r.stdout+r.stderr, "evil")
}

// A program of any name is run and listed under it.
func TestProgramOfAnyName(t *testing.T) {
	folder := t.TempDir()
	name := "./" + steering
	content, err := os.ReadFile("/bin/true")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name), content, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := invoke(t, folder, "run", "--", name).must(t)
	calm(t, "run", r.stderr, `evil\u001b]0;t\u0007`)
}
