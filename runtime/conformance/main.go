// Command conformance runs GCC's OpenACC run-time tests (C, C++ and Fortran,
// from Debian's package gcc-N-source, N the compiler's version) on accscope's
// runtime and compares every result with that version's lists of expected
// results in this folder.
//
// The tests are unpacked into a cache and run from there; they are no part of
// this repository. docs/conformance.md describes the settings, the lists and
// the current figures.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/compilers"
)

// options are the command line's choices.
type options struct {
	settings        string
	preload         string
	native          bool
	tests           string
	tarball         string
	cache           string
	match           string
	language        string
	sample          bool
	jobs            int
	timeout         time.Duration
	negativeControl bool
	update          bool
	output          string
	results         string
	compilers       map[Language]string
	environment     map[string]string
}

func main() {
	failed, err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case err != nil:
		fmt.Fprintf(os.Stderr, "conformance: %v\n", err)
		os.Exit(2)
	case failed:
		os.Exit(1)
	}
}

func parseOptions(arguments []string, stderr io.Writer) (*options, error) {
	o := options{environment: map[string]string{}}
	var gcc, gxx, gfortran string
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.settings, "settings", "host", "the suite's device settings: `host` (shared memory) or sim (discrete memory, on the simulated device)")
	flags.StringVar(&o.preload, "preload", "lib/libopenacc.so", "the runtime `library` to load into every test, relative to the module's root")
	flags.BoolVar(&o.native, "native", false, "load no library: run on the compiler's own runtime, unchanged tests, list libgomp-host.txt")
	flags.StringVar(&o.tests, "tests", "", "`folder` with libgomp/testsuite/libgomp.oacc-*, instead of unpacking gcc-N-source, N the compiler's version")
	flags.StringVar(&o.tarball, "tarball", "", "source `archive` with the tests, a pattern (default what gcc-N-source installs, /usr/src/gcc-N/gcc-N*.tar.xz)")
	flags.StringVar(&o.cache, "cache", "", "`folder` for unpacked tests and compiled programs (default .build/conformance in the module's root)")
	flags.StringVar(&o.match, "match", "", "run only tests whose name (c/FILE, c++/FILE, fortran/FILE) matches this regular `expression`")
	flags.StringVar(&o.language, "language", "", "comma-separated `list` of c, c++, fortran (default all)")
	flags.BoolVar(&o.sample, "sample", false, "run only the tests listed in sample.txt")
	flags.IntVar(&o.jobs, "j", runtime.NumCPU(), "tests to compile and run at the same time")
	flags.DurationVar(&o.timeout, "timeout", 2*time.Minute, "limit for one run of one test")
	flags.BoolVar(&o.negativeControl, "negative-control", false, "load a library whose compute regions do nothing; exit 0 only if that run is judged failed")
	flags.BoolVar(&o.update, "update", false, "rewrite the expected list with the results of this run, keeping the reasons it has")
	flags.StringVar(&o.output, "save-output", "", "`folder` for the output of each test that does not pass")
	flags.StringVar(&o.results, "results", "", "`file` to write every result to, one line a test")
	flags.Func("environment", "a `NAME=VALUE` for every test, may be given again: the same verdicts are expected, e.g. with ACCSCOPE_SIM_QUEUES=1", func(text string) error {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			return errors.New("want NAME=VALUE")
		}
		o.environment[name] = value
		return nil
	})
	flags.StringVar(&gcc, "gcc", compilers.C(), "C `compiler`")
	flags.StringVar(&gxx, "gxx", compilers.CXX(), "C++ `compiler`")
	flags.StringVar(&gfortran, "gfortran", compilers.Fortran(), "Fortran `compiler`")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: tests are chosen with -match, -language or -sample", flags.Arg(0))
	}
	if o.update && o.negativeControl {
		return nil, errors.New("-update with -negative-control would make a broken runtime the expected one: give one of them")
	}
	if o.jobs < 1 {
		return nil, fmt.Errorf("-j %d: at least 1", o.jobs)
	}
	o.compilers = map[Language]string{C: gcc, CXX: gxx, Fortran: gfortran}
	return &o, nil
}

// run does the whole run and says whether it failed, that is, whether any
// result differs from the expected one (with the negative control: whether
// none does), or too few tests of the whole suite pass.
func run(arguments []string, stdout, stderr io.Writer) (failed bool, err error) {
	o, err := parseOptions(arguments, stderr)
	if err != nil {
		return false, err
	}
	root, err := moduleRoot()
	if err != nil {
		return false, err
	}
	here := filepath.Join(root, "runtime", "conformance")
	settings, err := settingsNamed(o.settings)
	if err != nil {
		return false, err
	}
	settings.Environment = maps.Clone(settings.Environment)
	maps.Copy(settings.Environment, o.environment)
	if o.cache == "" {
		o.cache = filepath.Join(root, ".build", "conformance")
	}
	if o.cache, err = filepath.Abs(o.cache); err != nil {
		return false, err
	}
	if err := os.MkdirAll(o.cache, 0o755); err != nil {
		return false, err
	}
	if o.output != "" {
		if err := os.MkdirAll(o.output, 0o755); err != nil {
			return false, err
		}
	}

	compiler, err := compilerVersion(o.compilers[C])
	if err != nil {
		return false, err
	}
	if compiler.major() != "12" {
		settings.NeutralShare = settings.LaterShare
	}
	suite, err := openSuite(o.tests, o.tarball, o.cache, compiler)
	if err != nil {
		return false, err
	}
	tests, err := suite.Tests()
	if err != nil {
		return false, err
	}
	whole := tests
	if tests, err = choose(tests, o, filepath.Join(here, "sample.txt")); err != nil {
		return false, err
	}

	r := &Runner{Suite: suite, Settings: settings, Timeout: o.timeout, SaveOutput: o.output}
	if !o.native {
		library := o.preload
		if !filepath.IsAbs(library) {
			library = filepath.Join(root, library)
		}
		if _, err := os.Stat(library); err != nil {
			return false, fmt.Errorf("the runtime to test: %w: build it with make, or name it with -preload", err)
		}
		r.Preload = []string{library}
		if r.Removed, err = readRemovedAssertions(filepath.Join(here, "removed-assertions.txt")); err != nil {
			return false, err
		}
	}
	if r.Builder, err = newBuilder(o.cache, filepath.Join(here, "include"), o.compilers); err != nil {
		return false, err
	}
	if o.negativeControl {
		control, err := r.Builder.NegativeControl(filepath.Join(here, "control", "empty-regions.c"))
		if err != nil {
			return false, err
		}
		r.Preload = append([]string{control}, r.Preload...)
	}

	// A test that aborts by design must not leave a core file behind.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return false, fmt.Errorf("set the core file limit: %w", err)
	}
	results, err := r.RunAll(tests, o.jobs, stderr)
	if err != nil {
		return false, err
	}
	if o.results != "" {
		if err := writeResults(o.results, results); err != nil {
			return false, err
		}
	}

	runtimeName := strings.Join(r.Preload, " before ")
	if o.native {
		runtimeName = strings.TrimSpace("the compiler's own runtime " + runtimeName)
	}
	fmt.Fprintf(stdout, "settings %s on %s, %s\n", settings.Name, runtimeName, r.Builder.version(C))
	printTotals(stdout, results)

	listName := settings.Name + ".txt"
	if o.native {
		listName = "libgomp-" + listName
	}
	list := filepath.Join(here, "expected", "gcc-"+compiler.major(), listName)
	other := filepath.Join(here, "expected", runtime.GOARCH, "gcc-"+compiler.major()+"-"+listName)
	if o.update && runtime.GOARCH != "amd64" {
		return false, fmt.Errorf("%s is of x86-64: what differs on this machine belongs into %s, by hand", list, other)
	}
	if o.update {
		return false, updateExpected(list, compiler, results)
	}
	expected, listed, err := readExpected(list)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(stdout, "no list of expected results %s: nothing compared\n", list)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := expected.overlay(other, listed); err != nil {
		return false, err
	}
	if listed != compiler && !o.negativeControl {
		fmt.Fprintf(stdout, "%s is of GCC %s, this is GCC %s: differences are told, and no failure\n", list, listed, compiler)
		printDifferences(stdout, list, compare(expected, results))
		return false, nil
	}
	if absent := missing(expected, whole); len(absent) > 0 {
		return false, fmt.Errorf("%s: not in the suite: %s: take them out of the list", list, strings.Join(absent, ", "))
	}
	differences := compare(expected, results)
	if o.negativeControl {
		return judgeNegativeControl(stdout, differences, results), nil
	}
	printDifferences(stdout, list, differences)
	failed = !o.native && len(tests) == len(whole) && judgeShare(stdout, settings, results)
	return failed || len(differences) > 0, nil
}

// moduleRoot finds the folder with go.mod, from the working folder upwards.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for f := folder; ; f = filepath.Dir(f) {
		if _, err := os.Stat(filepath.Join(f, "go.mod")); err == nil {
			return f, nil
		}
		if f == filepath.Dir(f) {
			return "", fmt.Errorf("no go.mod in %s or above: run this inside accscope's source tree", folder)
		}
	}
}

// choose applies -sample, -language and -match.
func choose(tests []Test, o *options, sampleFile string) ([]Test, error) {
	keep := func(Test) bool { return true }
	narrow := func(more func(Test) bool) {
		before := keep
		keep = func(t Test) bool { return before(t) && more(t) }
	}
	if o.sample {
		sample, err := readSample(sampleFile)
		if err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, t := range tests {
			known[t.Name()] = true
		}
		for name := range sample {
			if !known[name] {
				return nil, fmt.Errorf("%s: %s is not in the suite", sampleFile, name)
			}
		}
		narrow(func(t Test) bool { return sample[t.Name()] })
	}
	if o.language != "" {
		wanted := map[Language]bool{}
		for _, name := range strings.Split(o.language, ",") {
			l := Language(strings.ToLower(strings.TrimSpace(name)))
			if !l.valid() {
				return nil, fmt.Errorf("-language %q: one of c, c++, fortran", name)
			}
			wanted[l] = true
		}
		narrow(func(t Test) bool { return wanted[t.Language] })
	}
	if o.match != "" {
		expression, err := regexp.Compile(o.match)
		if err != nil {
			return nil, fmt.Errorf("-match: %w", err)
		}
		narrow(func(t Test) bool { return expression.MatchString(t.Name()) })
	}
	var chosen []Test
	for _, t := range tests {
		if keep(t) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no test matches -match, -language and -sample")
	}
	return chosen, nil
}
