// Command exports writes the engine's functions for constructs and routines: of each row of
// ACCSCOPE_ENGINE_ROUTINES in engine.h one that C calls, which calls the method of that name
// of the calling thread. It runs in the folder of the engine (go generate
// ./cmd/libopenacc/engine):
//
//	exports FILE
package main

import (
	"fmt"
	"go/format"
	"os"
	"regexp"
	"strings"
)

const header = "../../../runtime/entry/engine.h"

var (
	list = regexp.MustCompile(`(?s)#define ACCSCOPE_ENGINE_ROUTINES\(X, T\)(.*?[^\\])\n`)
	row  = regexp.MustCompile(`X \(([\w ]+[ *]*), (\w+), \(T t(?:, )?([^)]*)\)`)
)

// methods are the names of those that are not the row's words, "get" left out.
var methods = map[string]string{"deviceptr": "DevicePtr", "hostptr": "HostPtr", "memcpy_d2d": "MemcpyD2D"}

// A conversion is how a type of C's is written in Go, and how a method takes a value of it.
type conversion struct{ inC, method string }

var conversions = map[string]conversion{
	"int":                               {"C.int", "int(%s)"},
	"int type":                          {"C.int", "device.Type(%s)"},
	"int api":                           {"C.int", "device.API(%s)"},
	"long":                              {"C.long", "int(%s)"},
	"bool":                              {"C._Bool", "bool(%s)"},
	"size_t":                            {"C.size_t", "uintptr(%s)"},
	"void *":                            {"unsafe.Pointer", "%s"},
	"void **":                           {"unsafe.Pointer", "%s"},
	"const int *":                       {"*C.int", "(*int32)(unsafe.Pointer(%s))"},
	"const void *":                      {"unsafe.Pointer", "(*openacc.FortranDescriptor)(%s)"},
	"const struct accscope_construct *": {"construct", "fromC(%s, new(openacc.Construct))"},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: exports FILE")
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
	var out strings.Builder
	out.WriteString("// Code generated from engine.h by go generate; DO NOT EDIT.\n\npackage main\n\n// #include \"engine.h\"\nimport \"C\"\n\n" +
		"import (\n\"unsafe\"\n\n\"github.com/accscope/accscope/runtime/device\"\n\"github.com/accscope/accscope/runtime/openacc\"\n)\n")
	for _, r := range row.FindAllStringSubmatch(list.FindString(string(text)), -1) {
		if err := function(&out, r[1], r[2], r[3]); err != nil {
			return fmt.Errorf("%s: %s: %w", header, r[2], err)
		}
	}
	source, err := format.Source([]byte(out.String()))
	if err != nil {
		return err
	}
	return os.WriteFile(path, source, 0o644)
}

// function writes the function of a row.
func function(out *strings.Builder, result, name, parameters string) error {
	taken, passed := []string{"t thread"}, []string(nil)
	for parameter := range strings.SplitSeq(parameters, ", ") {
		if parameter == "" {
			continue
		}
		at := strings.LastIndexAny(parameter, " *") + 1
		as, known := conversions[parameter]
		if !known {
			as, known = conversions[strings.TrimSpace(parameter[:at])]
		}
		if !known {
			return fmt.Errorf("how is %q passed on? Give it a row of conversions", parameter)
		}
		argument := parameter[at:] + "_" // type is a word of Go's
		taken, passed = append(taken, argument+" "+as.inC), append(passed, fmt.Sprintf(as.method, argument))
	}
	method := methods[name]
	if method == "" {
		for word := range strings.SplitSeq(strings.TrimPrefix(name, "get_"), "_") {
			method += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	call := fmt.Sprintf("enter(t).%s(%s)", method, strings.Join(passed, ", "))
	gives := ""
	if result != "void" {
		as, known := conversions[result]
		if !known {
			return fmt.Errorf("how is a %s given back? Give it a row of conversions", result)
		}
		gives, call = as.inC, fmt.Sprintf("return %s(%s)", as.inC, call)
	}
	_, err := fmt.Fprintf(out, "\n//export accscope_engine_%s\nfunc accscope_engine_%[1]s(%s) %s {\ndefer guard()\n%s\n}\n",
		name, strings.Join(taken, ", "), gives, call)
	return err
}
