package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/rewrite"
)

// rewritten is a source with other text than its file.
type rewritten struct {
	input  *compilerInput
	text   string
	copies map[string]string // of included files, by these
}

// compile looks at the sources, and calls the compiler with those that are rewritten.
func (c *compilation) compile(args []string) error {
	l := c.line
	var changed []rewritten
	failed := false
	for i := range l.inputs {
		input := &l.inputs[i]
		if !input.source() {
			continue
		}
		source, err := c.read(input)
		if err != nil {
			return c.become(args) // which says it in its own words
		}
		result, copies := c.rewrite(input, source)
		for _, note := range result.Notes {
			if note.Severity == rewrite.Error || note.Severity == rewrite.Warning && !l.has("-w") || c.explain {
				fmt.Fprintln(c.told, note)
			}
		}
		failed = failed || result.Failed()
		if c.show {
			io.WriteString(c.out, result.Text)
		}
		if result.Changed || input.path == "-" {
			changed = append(changed, rewritten{input: input, text: result.Text, copies: copies})
		}
	}
	switch {
	case failed:
		return ended(1)
	case c.show:
		return ended(0)
	case len(changed) == 0:
		return c.become(args)
	case len(l.inputs) == 1:
		status, err := c.one(&changed[0], l.args)
		if err != nil {
			return err
		}
		return ended(status)
	}
	return c.several(changed)
}

// sourceLimit is the size of a source, in bytes, above which it is not looked at.
const sourceLimit = 64 << 20

// read is the text of a source.
func (c *compilation) read(input *compilerInput) (string, error) {
	if input.path == "-" {
		content, err := io.ReadAll(os.Stdin)
		return string(content), err
	}
	info, err := os.Stat(input.path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > sourceLimit {
		return "", fmt.Errorf("%s is no file of text", input.path)
	}
	content, err := os.ReadFile(input.path)
	return string(content), err
}

// rewrite looks at the directives of a source. Of included files that need another form,
// copies are to be included.
func (c *compilation) rewrite(input *compilerInput, source string) (result *rewrite.Result, copies map[string]string) {
	unchanged := &rewrite.Result{Text: source}
	options := rewrite.Options{Device: c.device, PGI: c.pgi, CXX: input.language == "c++", OpenMP: c.line.lastOf("-fopenmp", "-fno-openmp", false)}
	if !strings.Contains(strings.ToLower(source), "acc") {
		return unchanged, nil
	}
	name := input.path
	if name == "-" {
		name = "<stdin>"
	}
	var preprocessed *rewrite.Preprocessed
	if input.isC() || c.preprocesses(input) {
		var output bytes.Buffer
		status, err := c.call(source, &output, io.Discard, c.preprocessing(input))
		if err != nil || status != 0 {
			return unchanged, nil // the compiler says what is wrong
		}
		preprocessed = rewrite.ReadPreprocessed(output.String())
	}
	if input.isFortran() {
		return rewrite.Fortran(source, name, c.fixedForm(input), preprocessed, c.included(input), options), nil
	}
	copies, notes, err := c.copyIncluded(name, preprocessed, options)
	if err != nil {
		return &rewrite.Result{Text: source, Notes: []rewrite.Note{{File: name, Line: 1, Column: 1, Severity: rewrite.Error, Text: err.Error()}}}, nil
	}
	result = rewrite.C(source, name, preprocessed, nil, copies, options)
	if result.Ranges && !result.Failed() {
		if refused := c.noncontiguous(&rewritten{input: input, text: result.Text, copies: copies}, name); len(refused) > 0 {
			result = rewrite.C(source, name, preprocessed, refused, copies, options)
		}
	}
	result.Notes = append(notes, result.Notes...)
	return result, copies
}

// fixedForm says whether a source of Fortran is in fixed form.
func (c *compilation) fixedForm(input *compilerInput) bool {
	return c.line.lastOf("-ffixed-form", "-ffree-form", strings.HasPrefix(input.language, "f77"))
}

// preprocesses says whether GCC's preprocessor sees a source of Fortran.
func (c *compilation) preprocesses(input *compilerInput) bool {
	return c.line.lastOf("-cpp", "-nocpp", strings.HasSuffix(input.language, "-cpp-input"))
}

// preprocessing is the command line that preprocesses a source.
func (c *compilation) preprocessing(input *compilerInput) []string {
	args := c.options(input, input.path)
	return append(args, "-E", "-g0", "-w")
}

// options is the command line for one source, without what says what to write where. The
// source is given as path.
func (c *compilation) options(input *compilerInput, path string) []string {
	l := c.line
	args := slices.Clone(l.ahead)
	for i := 0; i < len(l.args); i++ {
		arg := l.args[i]
		at := slices.IndexFunc(l.inputs, func(other compilerInput) bool { return other.index == i })
		switch {
		case at >= 0:
			if i == input.index {
				args = append(args, "-x", input.language, path, "-x", "none")
			}
		case arg == "-o", arg == "-x", arg == "-MF", arg == "-MT", arg == "-MQ", arg == "-l":
			i++
		case strings.HasPrefix(arg, "-o"), strings.HasPrefix(arg, "-x"), strings.HasPrefix(arg, "-M"), strings.HasPrefix(arg, "-Wp,-M"),
			strings.HasPrefix(arg, "-Wl,"), strings.HasPrefix(arg, "-l"), strings.HasPrefix(arg, "-save-temps"),
			slices.Contains([]string{"-c", "-S", "-E", "-P", "-C", "-CC", "-dM", "-dD", "-dN", "-dI", "-dU", "-fdirectives-only", "-fsyntax-only"}, arg):
		case slices.Contains(separate, arg) && i+1 < len(l.args):
			args = append(args, arg, l.args[i+1])
			i++
		default:
			args = append(args, arg)
		}
	}
	for i := 0; i < len(l.behind); i++ {
		if !strings.HasPrefix(l.behind[i], "-L") && !strings.HasPrefix(l.behind[i], "-l") && !strings.HasPrefix(l.behind[i], "-Wl") {
			args = append(args, l.behind[i])
		}
	}
	return args
}

var notContiguous = regexp.MustCompile(`(?m)^(.+?):(\d+):\d+: error: array section is not contiguous`)

// noncontiguous asks the compiler which directives of a text have sections that are not
// contiguous.
func (c *compilation) noncontiguous(r *rewritten, name string) map[int]bool {
	var said bytes.Buffer
	path, text, options, err := c.place(r)
	if err != nil {
		return nil
	}
	words := append(c.options(r.input, path), append(options, "-fsyntax-only", "-fdiagnostics-color=never", "-fdiagnostics-format=text", "-w")...)
	c.environment = []string{"LC_ALL=C"} // for what it says
	defer func() { c.environment = nil }()
	if _, err := c.call(text, io.Discard, &said, words); err != nil {
		return nil
	}
	lines := map[int]bool{}
	for _, match := range notContiguous.FindAllStringSubmatch(said.String(), -1) {
		if line, err := strconv.Atoi(match[2]); err == nil && match[1] == name {
			lines[line] = true
		}
	}
	return lines
}

// prologue says whose text it is that follows.
func prologue(name string) string {
	return "#line 1 " + strconv.Quote(name) + "\n"
}

// one compiles one source from its text in place of its file.
func (c *compilation) one(r *rewritten, args []string) (status int, err error) {
	l, input := c.line, r.input
	path, text, options, err := c.place(r)
	if err != nil {
		return 0, err
	}
	options = append(options, l.dependencyOptions(input)...)
	if suffix, writes := map[string]string{modeCompile: ".o", modeAssemble: ".s"}[l.mode]; writes && l.output == "" && path == "-" && input.path != "-" && !l.has("-fsyntax-only") {
		options = append(options, "-o", input.base()+suffix)
	}
	words := append(slices.Clone(l.ahead), options...)
	words = append(words, args[:input.index]...)
	words = append(words, "-x", input.language, path)
	if !input.chosen {
		words = append(words, "-x", "none")
	}
	words = append(append(words, args[input.index+1:]...), l.behind...)
	for i, word := range words {
		if strings.HasPrefix(word, "-save-temps=") { // which would not heed -dumpdir
			words[i] = "-save-temps"
		}
	}
	var preprocessed bytes.Buffer
	var out io.Writer = os.Stdout
	named := l.mode == modePreprocess && input.path != "-"
	if named && (l.output == "" || l.output == "-") {
		out = &preprocessed
	}
	if status, err = c.call(text, out, os.Stderr, words); err != nil || status != 0 {
		return status, err
	}
	if named {
		if err := c.nameMarkers(&preprocessed, input, path); err != nil {
			return 0, err
		}
	}
	if file := l.dependencyFile(input); file != "" && input.path != "-" {
		return 0, r.nameSource(l, file, path)
	}
	return 0, nil
}

// nameMarkers has the lines that say where preprocessed text comes from name the source in place
// of the file that was read. The text is in the file of -o, or as it was said.
func (c *compilation) nameMarkers(said *bytes.Buffer, input *compilerInput, read string) error {
	if read == "-" {
		read = "<stdin>"
	}
	named := func(text string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "# ") {
				line = strings.ReplaceAll(line, strconv.Quote(read), strconv.Quote(input.path))
			}
			b.WriteString(line)
		}
		return b.String()
	}
	if c.line.output == "" || c.line.output == "-" {
		_, err := io.WriteString(os.Stdout, named(said.String()))
		return err
	}
	info, err := os.Stat(c.line.output)
	if err != nil || !info.Mode().IsRegular() { // a device, or a pipe
		return err
	}
	text, err := textOf(c.line.output)
	if err != nil {
		return err
	}
	return os.WriteFile(c.line.output, []byte(named(text)), 0o666)
}

// nameSource puts a source into the file of its dependencies: in place of the file that was
// read, or first, as GCC has it.
func (r *rewritten) nameSource(l *compilerLine, file, read string) error {
	text, err := textOf(file)
	if err != nil {
		return err
	}
	for included, copied := range r.copies {
		text = strings.ReplaceAll(text, copied, included)
	}
	source := strings.TrimPrefix(makeName.Replace(r.input.path), "./")
	if read != "-" {
		return os.WriteFile(file, []byte(strings.ReplaceAll(text, read, source)), 0o666)
	}
	target, rest, ok := strings.Cut(text, ":")
	if !ok { // of a source that is all, GCC writes no rule
		targets, _ := l.dependencyTargets(r.input)
		target, rest = strings.Join(targets, " "), "\n"
	}
	return os.WriteFile(file, []byte(target+": "+source+rest), 0o666)
}

// several compiles more than one source: those that are rewritten by calls of their own, and,
// where a program is linked, all by one more.
func (c *compilation) several(changed []rewritten) error {
	l := c.line
	if l.mode == modeLink {
		return c.link(changed)
	}
	worst := 0
	for i := range l.inputs {
		input := &l.inputs[i]
		if !input.source() {
			continue
		}
		var args []string
		single := *input
		for k, arg := range l.args {
			if !slices.ContainsFunc(l.inputs, func(other compilerInput) bool { return other.index == k && k != input.index }) {
				args = append(args, arg)
			}
			if k == input.index {
				single.index = len(args) - 1
			}
		}
		if at := slices.IndexFunc(changed, func(r rewritten) bool { return r.input == input }); at >= 0 {
			status, err := c.one(&rewritten{input: &single, text: changed[at].text, copies: changed[at].copies}, args)
			if err != nil {
				return err
			}
			worst = max(worst, status)
			continue
		}
		status, err := c.call("", os.Stdout, os.Stderr, append(append(slices.Clone(l.ahead), args...), l.behind...))
		if err != nil {
			return err
		}
		worst = max(worst, status)
	}
	return ended(worst)
}

// link compiles the rewritten sources to objects, and links these in their places.
func (c *compilation) link(changed []rewritten) error {
	l := c.line
	args := slices.Clone(l.args)
	for n := range changed {
		input := changed[n].input
		object := filepath.Join(c.folder, fmt.Sprint(n)+"-"+input.base()+".o")
		if l.savesTemporaries() {
			folder, _ := l.dumpNames(input)
			object = folder + input.base() + ".o"
		}
		path, text, options, err := c.place(&changed[n])
		if err != nil {
			return err
		}
		options = append(append(options, l.besideArguments()...), l.dependencyOptions(input)...)
		words := append(c.options(input, path), append(options, "-c", "-o", object)...)
		status, err := c.call(text, os.Stdout, os.Stderr, words)
		if err != nil {
			return err
		}
		if status != 0 {
			return ended(status)
		}
		if file := l.dependencyFile(input); file != "" && input.path != "-" {
			if err := changed[n].nameSource(l, file, path); err != nil {
				return err
			}
		}
		args[input.index] = object
	}
	// A language chosen by -x is none of objects.
	for n := len(changed) - 1; n >= 0; n-- {
		if input := changed[n].input; input.chosen {
			args = slices.Replace(args, input.index, input.index+1, "-x", "none", args[input.index], "-x", input.language)
		}
	}
	status, err := c.call("", os.Stdout, os.Stderr, append(append(slices.Clone(l.ahead), args...), l.behind...))
	if err != nil {
		return err
	}
	return ended(status)
}
