package main

import (
	"cmp"
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

// lastOf says whether the last of two options that undo each other is the first of them: what
// holds otherwise, where neither is given.
func (l *compilerLine) lastOf(on, off string, otherwise bool) bool {
	for _, arg := range slices.Backward(l.args) {
		if arg == on || arg == off {
			return arg == on
		}
	}
	return otherwise
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
	case l.output != "":
		return strings.TrimSuffix(l.output, filepath.Ext(l.output)) + ".d"
	case l.mode == modeLink && (len(l.inputs) > 1 || input.base() != "a"):
		return "a-" + input.base() + ".d"
	}
	return input.base() + ".d"
}

// base is the name of the input's file without its suffix.
func (i *compilerInput) base() string {
	return strings.TrimSuffix(filepath.Base(i.path), filepath.Ext(i.path))
}

// dumpOptions have GCC name what it writes beside its output, as -save-temps and --coverage ask
// for, as if it read the source itself.
func (l *compilerLine) dumpOptions(input *compilerInput) []string {
	suffix := filepath.Ext(input.path)
	folder, base := l.dumpNames(input)
	return []string{"-dumpbase", base + suffix, "-dumpbase-ext", suffix, "-dumpdir", folder}
}

// dumpNames are the folder of such files, with what their names begin with, and their name without a suffix.
func (l *compilerLine) dumpNames(input *compilerInput) (folder, base string) {
	base = input.base()
	folder, output := filepath.Split(l.output)
	if l.has("-save-temps=cwd") {
		folder = ""
	}
	output = strings.TrimSuffix(output, filepath.Ext(output))
	switch {
	case l.mode == modeLink:
		if output == "" {
			output = "a"
		}
		if len(l.inputs) > 1 || output != base {
			folder += output + "-"
		}
	case output != "" && l.mode != modePreprocess:
		base = output
	}
	return cmp.Or(folder, "./"), base
}

// savesTemporaries says whether GCC keeps its intermediate files.
func (l *compilerLine) savesTemporaries() bool {
	return slices.ContainsFunc(l.args, func(arg string) bool { return strings.HasPrefix(arg, "-save-temps") })
}

// dependencyOptions have GCC name that file, and the target in it, as if it read the source itself.
func (l *compilerLine) dependencyOptions(input *compilerInput) (options []string) {
	if !l.dependencies || input.path == "-" {
		return nil
	}
	if l.depFile == "" {
		options = append(options, "-MF", l.dependencyFile(input))
	}
	if targets, given := l.dependencyTargets(input); !given {
		options = append(options, "-MT", targets[0])
	}
	return options
}

// makeName is a file's name as rules of make have it.
var makeName = strings.NewReplacer(" ", `\ `, "#", `\#`, "$", "$$")

// dependencyTargets are the targets in that file, as rules of make have them, and whether the command line names them.
func (l *compilerLine) dependencyTargets(input *compilerInput) (targets []string, given bool) {
	for i, arg := range l.args {
		switch {
		case arg == "-MT" && i+1 < len(l.args):
			targets = append(targets, l.args[i+1])
		case arg == "-MQ" && i+1 < len(l.args):
			targets = append(targets, makeName.Replace(l.args[i+1]))
		case strings.HasPrefix(arg, "-MT"):
			targets = append(targets, arg[3:])
		case strings.HasPrefix(arg, "-MQ"):
			targets = append(targets, makeName.Replace(arg[3:]))
		}
	}
	switch {
	case len(targets) > 0:
		return targets, true
	case l.output != "" && l.mode != modePreprocess && (l.has("-MD") || l.has("-MMD")):
		return []string{makeName.Replace(l.output)}, false
	}
	return []string{makeName.Replace(input.base() + ".o")}, false
}

// besideArguments are those of the command line that ask for such a file, or for intermediate ones.
func (l *compilerLine) besideArguments() (args []string) {
	for i, arg := range l.args {
		switch {
		case arg == "-MF" || arg == "-MT" || arg == "-MQ":
			args = append(args, l.args[i:min(i+2, len(l.args))]...)
		case strings.HasPrefix(arg, "-M"), strings.HasPrefix(arg, "-Wp,-M"):
			args = append(args, arg)
		}
	}
	if l.savesTemporaries() {
		args = append(args, "-save-temps")
	}
	return args
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
