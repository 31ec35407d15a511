package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What users may rely on (CONTRIBUTING.md, "Versions") stands in testdata/promises, a line each.

// promised holds what there is against the kept file. A line of that which is gone breaks what
// users rely on; a new one is written by -update.
func promised(t *testing.T, name string, now []string) {
	t.Helper()
	file := filepath.Join("testdata", "promises", name)
	slices.Sort(now)
	now = slices.Compact(now)
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(strings.TrimSuffix(string(kept), "\n"), "\n")
	for _, line := range before {
		if _, there := slices.BinarySearch(now, line); !there {
			t.Errorf("%s: %q is gone: from 1.0 on that takes a new major version", file, line)
		}
	}
	for _, line := range now {
		if _, there := slices.BinarySearch(before, line); !there {
			t.Errorf("%s: %q is not kept yet: go test ./cmd/accscope -run TestPromise -update", file, line)
		}
	}
}

// TestPromiseTrace holds the names of views and their columns, and the schema's version.
func TestPromiseTrace(t *testing.T) {
	folder := record(t, twoKernels)
	views := queried(t, folder, "trace.db", `SELECT v.name || '.' || c.name FROM sqlite_temp_schema v, pragma_table_info(v.name) c WHERE v.type = 'view'`)
	promised(t, "trace-schema.txt", append(views, "schema version "+queried(t, folder, "trace.db", "PRAGMA user_version")[0]))
}

// TestPromiseCapture holds the numbers of the capture format: files that a version has written
// are read by all later ones.
func TestPromiseCapture(t *testing.T) {
	text, err := os.ReadFile("../../collector/capture/layout.go")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += (.+)$`).FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, m[1]+" = "+m[2])
	}
	promised(t, "capture-format.txt", lines)
}

// TestPromiseJSON holds the fields of what commands say as JSON, with the kinds of their values.
func TestPromiseJSON(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	// For advice; the others are of a trace that is always the same.
	if err := os.CopyFS(folder, os.DirFS(record(t, twoKernels, "--hash"))); err != nil {
		t.Fatal(err)
	}
	abandoned(t, folder)
	made := tracetest.Sampled(t)
	tracetest.Change(t, made, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW')", "INSERT INTO counter_value VALUES (1, 1000, 180), (2, 0, 312500)",
		"INSERT INTO cpu_sample (process, thread, tid, time, weight, stack, record, doing) SELECT process, thread, tid, time + 1, weight, stack, record, doing FROM cpu_sample")
	if err := os.Rename(made, filepath.Join(folder, "made.db")); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, command := range []string{"report --json made.db", "advise --json --min-gain 1ns trace.db", "advise --format sarif --min-gain 1ns trace.db", "compare --json made.db made.db", "info --json made.db",
		"info --check --json made.db", "top --json --once made.db", "doctor --json", "query --json made.db 'SELECT 1 AS n'", "ls --json"} {
		arguments := strings.Fields(command)
		if before, sql, quoted := strings.Cut(command, "'"); quoted {
			arguments = append(strings.Fields(before), strings.TrimSuffix(sql, "'"))
		}
		var value any
		said := invoke(t, folder, arguments...).must(t).stdout
		if err := json.Unmarshal([]byte(said), &value); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
		called := strings.Join(arguments[:1], " ")
		if slices.Contains(arguments, "--check") {
			called += " --check"
		}
		if slices.Contains(arguments, "sarif") {
			called += " --format sarif"
		}
		lines = append(lines, fieldsOf(called+": ", value)...)
	}
	// What is null here is something else there.
	known := map[string]bool{}
	for _, line := range lines {
		path, kind, _ := strings.Cut(line, " = ")
		known[path] = known[path] || kind != "null"
	}
	lines = slices.DeleteFunc(lines, func(line string) bool {
		path, kind, _ := strings.Cut(line, " = ")
		return kind == "null" && known[path]
	})
	promised(t, "json.txt", lines)
}

// fieldsOf are the paths of a value's fields and what is in them. The names of facts are no fields.
func fieldsOf(path string, value any) (lines []string) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "facts" {
				lines = append(lines, fieldsOf(path+"."+key, v[key])...)
			}
		}
		if len(v) == 0 {
			lines = append(lines, path+" = object")
		}
	case []any:
		lines = append(lines, path+" = array")
		for _, element := range v {
			lines = append(lines, fieldsOf(path+"[]", element)...)
		}
	case nil:
		lines = append(lines, path+" = null")
	default:
		lines = append(lines, fmt.Sprintf("%s = %T", path, v))
	}
	return lines
}

// TestPromiseCommands holds commands, their flags, and the statuses that they end with.
func TestPromiseCommands(t *testing.T) {
	var lines []string
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		if command.Hidden || command.Name() == "help" {
			return
		}
		lines = append(lines, command.CommandPath())
		command.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s --%s %s", command.CommandPath(), f.Name, f.Shorthand)))
			}
		})
		for _, c := range command.Commands() {
			visit(c)
		}
	}
	visit(newRootCommand())
	promised(t, "commands.txt", lines)
	lines = nil
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			if v, is := n.(*ast.ValueSpec); is && len(v.Values) == 1 && regexp.MustCompile(`^exit[A-Z]`).MatchString(v.Names[0].Name) {
				if number, is := v.Values[0].(*ast.BasicLit); is {
					lines = append(lines, v.Names[0].Name+" = "+number.Value)
				}
			}
			return true
		})
	}
	promised(t, "exit-statuses.txt", lines)
}

// TestPromiseHeaders holds what headers declare.
func TestPromiseHeaders(t *testing.T) {
	headers, err := filepath.Glob("../../runtime/include/*.h")
	if err != nil || len(headers) < 5 {
		t.Fatal(headers, err)
	}
	comment, space := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`), regexp.MustCompile(`\s+`)
	var lines []string
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		code := strings.ReplaceAll(comment.ReplaceAllString(string(text), " "), "\\\n", " ")
		var rest []string
		for line := range strings.Lines(code) {
			if directive := strings.TrimSpace(line); !strings.HasPrefix(directive, "#") {
				rest = append(rest, line)
			} else if strings.HasPrefix(directive, "#define") {
				lines = append(lines, filepath.Base(header)+": "+space.ReplaceAllString(directive, " "))
			}
		}
		for _, declaration := range strings.FieldsFunc(strings.Join(rest, ""), func(r rune) bool { return strings.ContainsRune(";{},", r) }) {
			if declaration = strings.TrimSpace(space.ReplaceAllString(declaration, " ")); declaration != "" {
				lines = append(lines, filepath.Base(header)+": "+declaration)
			}
		}
	}
	promised(t, "headers.txt", lines)
}
