// Command layout writes layout.go, the Go side of the capture format: what the C
// compiler makes of the macros and structs of format.h. It runs in the folder of
// package capture (go generate ./collector/capture):
//
//	layout FILE
package main

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/compilers"
)

const header = "format.h"

var (
	macro     = regexp.MustCompile(`(?m)^#define CAPTURE_(\w+) (\S+)`)
	scalar    = regexp.MustCompile(`(?m)^typedef \w+ capture_(\w+);`)
	structure = regexp.MustCompile(`(?ms)^struct capture_(\w+)\n\{\n(.*?)^\};`)
	field     = regexp.MustCompile(`(?m)^  [\w ]+ (\w+)(?:\[\w*\])?;`)
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: layout FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(path string) error {
	text, err := os.ReadFile(header)
	if err != nil {
		return err
	}
	constants, err := run(program(string(text)))
	if err != nil {
		return err
	}
	source, err := format.Source(append([]byte("// Code generated from format.h by go generate; DO NOT EDIT.\n\npackage capture\n\n"+
		"// The numbers and names of format.h.\n"), constants...))
	if err != nil {
		return err
	}
	return os.WriteFile(path, source, 0o644)
}

// program is the text of a C program that prints the constants.
func program(text string) string {
	var c strings.Builder
	c.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include \"" + header + "\"\n" +
		"#define NUMBER(name, value) printf (\"\\t%s = %lld\\n\", name, (long long) (value))\n" +
		"int main (void)\n{\n  puts (\"const (\");\n")
	for _, m := range macro.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[2], `"`) {
			fmt.Fprintf(&c, "  printf (\"\\t%%s = \\\"%%s\\\"\\n\", %q, CAPTURE_%s);\n", name(m[1]), m[1])
		} else {
			fmt.Fprintf(&c, "  NUMBER (%q, CAPTURE_%s);\n", name(m[1]), m[1])
		}
	}
	for _, m := range scalar.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&c, "  NUMBER (%q, sizeof (capture_%s));\n", name("size_of", m[1]), m[1])
	}
	c.WriteString("  puts (\")\");\n")
	for _, s := range structure.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&c, "  puts (\"\\n// The size of struct capture_%s, and where its fields are, in bytes.\\nconst (\");\n", s[1])
		fmt.Fprintf(&c, "  NUMBER (%q, sizeof (struct capture_%s));\n", name("size_of", s[1]), s[1])
		for _, f := range field.FindAllStringSubmatch(s[2], -1) {
			fmt.Fprintf(&c, "  NUMBER (%q, offsetof (struct capture_%s, %s));\n", name("at", s[1], f[1]), s[1], f[1])
		}
		c.WriteString("  puts (\")\");\n")
	}
	c.WriteString("  return 0;\n}\n")
	return c.String()
}

// name joins words in C's spelling to a name in Go's: "at" and "source_file" are
// atSourceFile.
func name(words ...string) string {
	var joined strings.Builder
	for word := range strings.SplitSeq(strings.ToLower(strings.Join(words, "_")), "_") {
		switch {
		case joined.Len() == 0:
		case slices.Contains([]string{"api", "id", "pid", "tid"}, word):
			word = strings.ToUpper(word)
		default:
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		joined.WriteString(word)
	}
	return joined.String()
}

// run compiles a C program and gives what it prints.
func run(text string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "layout")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	source, binary := filepath.Join(folder, "layout.c"), filepath.Join(folder, "layout")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if err := compilers.Build(binary, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I.", source); err != nil {
		return nil, err
	}
	return exec.Command(binary).Output()
}
