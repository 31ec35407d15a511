package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How far a call of the compiler goes.
const (
	modeLink       = ""
	modeCompile    = "-c"
	modeAssemble   = "-S"
	modePreprocess = "-E"
)

// compilerLine is a command line of GCC as far as the wrapper has to know it.
type compilerLine struct {
	args          []string // response files expanded
	inputs        []compilerInput
	mode          string
	output        string // of -o
	openacc       bool   // directives count
	asks          bool   // it asks for something else than a compilation
	dependencies  bool   // -MD or its like
	depFile       string // of -MF
	ahead, behind []string
}

// compilerInput is an input file.
type compilerInput struct {
	index    int    // in args
	path     string // "-" is standard input
	language string // "c", "c++", "f95", "f77", "f95-cpp-input", "f77-cpp-input"; "" of what is no source of these
	chosen   bool   // by -x
}

// separate are options of GCC whose argument is the next word.
var separate = []string{
	"-o", "-x", "-I", "-D", "-U", "-L", "-l", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
	"-iwithprefixbefore", "-isysroot", "-imultilib", "-imultiarch", "-MF", "-MT", "-MQ", "-Xpreprocessor", "-Xassembler", "-Xlinker", "-T", "-u", "-e",
	"-z", "-G", "-A", "-B", "-J", "-aux-info", "--param", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-wrapper", "-specs", "--sysroot",
	"-h", "-R", "-Tbss", "-Tdata", "-Ttext", "-F", "--entry", "-fintrinsic-modules-path",
}

// languages are those of suffixes.
var languages = map[string]string{
	".c": "c", ".cc": "c++", ".cp": "c++", ".cxx": "c++", ".cpp": "c++", ".CPP": "c++", ".c++": "c++", ".C": "c++",
	".f": "f77", ".for": "f77", ".ftn": "f77", ".fi": "f77", ".F": "f77-cpp-input", ".FOR": "f77-cpp-input", ".fpp": "f77-cpp-input", ".FPP": "f77-cpp-input", ".FTN": "f77-cpp-input",
	".f90": "f95", ".f95": "f95", ".f03": "f95", ".f08": "f95", ".f18": "f95",
	".F90": "f95-cpp-input", ".F95": "f95-cpp-input", ".F03": "f95-cpp-input", ".F08": "f95-cpp-input", ".F18": "f95-cpp-input",
}

// readCompilerLine reads a command line of GCC.
func readCompilerLine(args []string, name string) (*compilerLine, error) {
	args, err := responseFiles(args, 0)
	if err != nil {
		return nil, err
	}
	l := &compilerLine{args: args, openacc: true}
	chosen := ""
	for i := 0; i < len(args); i++ {
		arg := args[i]
		value := func() string {
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return ""
		}
		switch {
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			input := compilerInput{index: i, path: arg, language: chosen, chosen: chosen != ""}
			if input.language == "" {
				input.language = languages[filepath.Ext(arg)]
			}
			if name == "c++" && input.language == "c" && !input.chosen {
				input.language = "c++"
			}
			l.inputs = append(l.inputs, input)
		case arg == "-x":
			chosen = value()
			if chosen == "none" {
				chosen = ""
			}
		case strings.HasPrefix(arg, "-x"):
			if chosen = arg[2:]; chosen == "none" {
				chosen = ""
			}
		case arg == "-o":
			l.output = value()
		case strings.HasPrefix(arg, "-o"):
			l.output = arg[2:]
		case arg == "-MF":
			l.depFile = value()
		case strings.HasPrefix(arg, "-MF"):
			l.depFile = arg[3:]
		case arg == "-MD" || arg == "-MMD":
			l.dependencies = true
		case strings.HasPrefix(arg, "-Wp,-MD,"), strings.HasPrefix(arg, "-Wp,-MMD,"):
			l.dependencies = true
			l.depFile = strings.SplitN(arg, ",", 4)[2]
		case arg == "-c" || arg == "-S" || arg == "-E":
			// The least far one holds.
			if l.mode == modeLink || arg == modePreprocess || arg == modeAssemble && l.mode == modeCompile {
				l.mode = arg
			}
		case arg == "-M" || arg == "-MM" || arg == "-fsyntax-only":
			if arg != "-fsyntax-only" {
				l.asks = true
			} else if l.mode == modeLink {
				l.mode = modeAssemble
			}
		case arg == "-fopenacc":
			l.openacc = true
		case arg == "-fno-openacc":
			l.openacc = false
		case arg == "-###", arg == "--version", arg == "--help", arg == "--target-help", strings.HasPrefix(arg, "--help="),
			strings.HasPrefix(arg, "-print-"), strings.HasPrefix(arg, "-dump") && !slices.Contains(separate, arg):
			l.asks = true
		case slices.Contains(separate, arg):
			value()
		}
	}
	if len(l.inputs) == 0 {
		l.asks = true
	}
	return l, nil
}

// has says whether an option is given as it is.
func (l *compilerLine) has(option string) bool { return slices.Contains(l.args, option) }

// mayRewrite says whether there are sources whose directives are to be looked at.
func (l *compilerLine) mayRewrite() bool {
	return l.openacc && !l.asks && slices.ContainsFunc(l.inputs, func(input compilerInput) bool { return input.source() })
}

// source says whether an input is a source that may be rewritten.
func (i *compilerInput) source() bool { return i.isC() || i.isFortran() }

func (i *compilerInput) isC() bool { return i.language == "c" || i.language == "c++" }

func (i *compilerInput) isFortran() bool {
	return strings.HasPrefix(i.language, "f95") || strings.HasPrefix(i.language, "f77")
}

// dependencyFile is where GCC writes what a source depends on, "" where it does not.
func (l *compilerLine) dependencyFile(input *compilerInput) string {
	switch {
	case !l.dependencies:
		return ""
	case l.depFile != "":
		return l.depFile
	case l.output != "" && l.mode != modePreprocess:
		return strings.TrimSuffix(l.output, filepath.Ext(l.output)) + ".d"
	}
	base := strings.TrimSuffix(filepath.Base(input.path), filepath.Ext(input.path)) + ".d"
	if l.mode == modeLink {
		return "a-" + base
	}
	return base
}

// deepest is how many response files may name one another.
const deepest = 20

// responseFiles has the contents of files in place of @file, as GCC reads them.
func responseFiles(args []string, depth int) (expanded []string, err error) {
	if depth > deepest {
		return nil, errors.New("response files name each other")
	}
	for _, arg := range args {
		name, ok := strings.CutPrefix(arg, "@")
		if !ok {
			expanded = append(expanded, arg)
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil { // GCC takes it for a file
			expanded = append(expanded, arg)
			continue
		}
		words, err := responseWords(string(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if words, err = responseFiles(words, depth+1); err != nil {
			return nil, err
		}
		expanded = append(expanded, words...)
	}
	return expanded, nil
}

// responseWords takes a response file apart: blanks separate, quotes and backslashes protect.
func responseWords(content string) (words []string, err error) {
	var b strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && i+1 < len(content):
			i++
			b.WriteByte(content[i])
			in = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case strings.IndexByte(" \t\n\r\f\v", c) >= 0:
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if in {
		words = append(words, b.String())
	}
	return words, nil
}
