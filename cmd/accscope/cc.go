package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/launch"
)

// wrapper is one of the compilers that programs are built by.
type wrapper struct {
	name, compiler, variable, language string
}

var wrappers = []wrapper{
	{name: "cc", compiler: "gcc", variable: "ACCSCOPE_CC", language: "C"},
	{name: "c++", compiler: "g++", variable: "ACCSCOPE_CXX", language: "C++"},
	{name: "fc", compiler: "gfortran", variable: "ACCSCOPE_FC", language: "Fortran"},
}

const wrapperHelp = `%[1]s runs %[2]s with all of its arguments, adds -fopenacc and accscope's runtime, and
gives the directives of OpenACC 3.3 that GCC refuses a form of the same meaning that
it compiles. It is used as mpicc is, in place of the compiler:

  accscope %[1]s -O2 -g -o jacobi jacobi%[4]s
  %[5]s='accscope %[1]s' make
  cmake -D%[6]s='accscope;%[1]s' ..

All other lines reach GCC as they are written: line numbers, debug information and
dependency files are those of the source. A source without "acc" is not looked at.
What GCC cannot be given the meaning of is an error, in the form of GCC's own; what
it is given at the price of speed is a warning.

Its own flags stand anywhere among the compiler's:
  --check                   add what accscope check's host side needs: -g -fsanitize=thread
  --accscope-show           print the rewritten sources, and compile nothing
  --accscope-explain        say what is rewritten, and why
  --accscope-pgi            subarrays of C are lower and upper bounds everywhere, as PGI's model has them
  --accscope-device=TYPE    the device whose device_type clauses hold (default: nvidia)

%[3]s is the command that is called in place of %[2]s, as %[3]s=%[2]s-13.`

func newWrapperCommands() (commands []*cobra.Command) {
	for _, w := range wrappers {
		suffix, variable, cmake := ".c", "CC", "CMAKE_C_COMPILER"
		switch w.name {
		case "c++":
			suffix, variable, cmake = ".cpp", "CXX", "CMAKE_CXX_COMPILER"
		case "fc":
			suffix, variable, cmake = ".f90", "FC", "CMAKE_Fortran_COMPILER"
		}
		commands = append(commands, &cobra.Command{
			Use:                w.name + " [GCC'S FLAGS] FILE...",
			Short:              "Compile " + w.language + " by GCC, with the directives that it refuses",
			Long:               fmt.Sprintf(wrapperHelp, w.name, w.compiler, w.variable, suffix, variable, cmake),
			DisableFlagParsing: true,
			RunE: func(command *cobra.Command, args []string) error {
				if len(args) == 0 || len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
					return command.Help()
				}
				return w.run(command.OutOrStdout(), command.ErrOrStderr(), args)
			},
		})
	}
	return commands
}

// asCompiler has the command be cc, c++ or fc where the program is called by a name that ends
// in the compiler's, as acc-gcc.
func asCompiler() {
	for _, w := range wrappers {
		if filepath.Base(os.Args[0]) == "acc-"+w.compiler {
			os.Args = append([]string{"accscope", w.name}, os.Args[1:]...)
			return
		}
	}
}

// binaryTools are those that GCC has beside it for objects of link-time optimisation.
var binaryTools = []string{"ar", "nm", "ranlib"}

// asBinaryTool becomes GCC's tool where the program is called by that name behind acc-, which
// CMake makes of a compiler's name that ends in gcc.
func asBinaryTool() error {
	tool, ok := strings.CutPrefix(filepath.Base(os.Args[0]), "acc-gcc-")
	if !ok || !slices.Contains(binaryTools, tool) {
		return nil
	}
	compiler := strings.Fields(cmp.Or(os.Getenv("ACCSCOPE_CC"), "gcc"))
	last := compiler[len(compiler)-1]
	folder, base := filepath.Split(last)
	if !strings.Contains(base, "gcc") {
		folder, base = "", "gcc"
	}
	path, err := exec.LookPath(folder + strings.Replace(base, "gcc", "gcc-"+tool, 1))
	if err != nil {
		return fmt.Errorf("%w: install GCC's binary tools, or name a GCC that has them in ACCSCOPE_CC", err)
	}
	return syscall.Exec(path, append([]string{path}, os.Args[1:]...), os.Environ())
}

// compilation is one call of the wrapper.
type compilation struct {
	wrapper
	compiler    []string // the command in front of the arguments
	line        *compilerLine
	out, told   io.Writer
	folder      string // for rewritten sources and objects
	signals     interruption
	explain     bool
	show        bool
	check       bool // what the host's code reads and writes is to be seen by accscope check
	pgi         bool // subarrays of C are those of PGI's model
	device      string
	environment []string // of the compiler, beside ours
}

// run compiles, and ends as the compiler did.
func (w wrapper) run(out, told io.Writer, args []string) error {
	c := &compilation{wrapper: w, out: out, told: told, device: "nvidia"}
	c.compiler = strings.Fields(cmp.Or(os.Getenv(w.variable), w.compiler))
	args, err := c.own(args)
	if err != nil {
		return err
	}
	if c.line, err = readCompilerLine(args, w.name); err != nil {
		return err
	}
	if err := c.runtime(); err != nil {
		return err
	}
	if !c.show && !c.line.mayRewrite() {
		return c.become(args)
	}
	if c.folder, err = os.MkdirTemp("", "accscope-cc-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	c.signals.folder = c.folder
	defer c.signals.watch()()
	return c.compile(args)
}

// own takes the wrapper's own flags from the arguments.
func (c *compilation) own(args []string) (rest []string, err error) {
	for _, arg := range args {
		flag, ok := strings.CutPrefix(arg, "--accscope-")
		switch {
		case arg == "--check":
			c.check = true
		case !ok:
			rest = append(rest, arg)
		case flag == "show":
			c.show = true
		case flag == "pgi":
			c.pgi = true
		case flag == "explain":
			c.explain = true
		case strings.HasPrefix(flag, "device="):
			c.device = strings.TrimPrefix(flag, "device=")
		default:
			return nil, usageError{fmt.Errorf("%s: %s takes --check, --accscope-show, --accscope-explain, --accscope-pgi and --accscope-device=TYPE", arg, c.name)}
		}
	}
	return rest, nil
}

// openaccVersion is the version of the directives that programs may have (OpenACC 3.3 §2.2).
const openaccVersion = "202211"

// runtime adds what OpenACC needs: -fopenacc, our header or modules, and the library.
func (c *compilation) runtime() error {
	l := c.line
	if !l.openacc || l.asks {
		return nil
	}
	if !l.has("-fopenacc") {
		l.ahead = append(l.ahead, "-fopenacc")
	}
	l.ahead = append(l.ahead, "-U_OPENACC", "-D_OPENACC="+openaccVersion) // GCC's own names the version that it knows alone
	if c.check {
		for _, arg := range l.args {
			if other, ok := strings.CutPrefix(arg, "-fsanitize="); ok && (strings.Contains(other, "address") || strings.Contains(other, "leak")) {
				return usageError{fmt.Errorf("--check adds -fsanitize=thread, which GCC does not take beside %s: leave one of them out", arg)}
			}
		}
		l.ahead = append(l.ahead, "-g", "-fsanitize=thread")
	}
	libraries, err := launch.FindLibraries()
	if err != nil {
		return err
	}
	folder := filepath.Dir(libraries.Runtime)
	include := filepath.Join(folder, "..", "include")
	if installed := filepath.Join(include, "accscope"); fileThere(filepath.Join(installed, "openacc.h")) {
		include = installed
	}
	if fileThere(filepath.Join(include, "openacc.h")) {
		if c.name == "fc" {
			l.behind = append(l.behind, "-I"+include)
		} else {
			l.behind = append(l.behind, "-isystem", include)
		}
	}
	if l.mode == modeLink && !l.has("-r") && !l.has("-nostdlib") && !l.has("-nodefaultlibs") {
		l.behind = append(l.behind, "-L"+folder, "-Wl,-rpath,"+folder, "-lopenacc")
	}
	return nil
}

func fileThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// become is the compiler from here on.
func (c *compilation) become(args []string) error {
	path, err := exec.LookPath(c.compiler[0])
	if err != nil {
		return c.missing(err)
	}
	os.RemoveAll(c.folder)
	words := append(append(append([]string{}, c.compiler...), c.line.ahead...), args...)
	err = syscall.Exec(path, append(words, c.line.behind...), os.Environ())
	return fmt.Errorf("%s: %w", path, err)
}

// missing says which compiler is not there.
func (c *compilation) missing(err error) error {
	return statusError{fmt.Errorf("%s: %w: install it, or name another in %s", c.name, err, c.variable), exitNotFound}
}

// call runs the compiler, and gives its exit status. A signal that ends it ends the wrapper.
func (c *compilation) call(input string, stdout, stderr io.Writer, args []string) (status int, err error) {
	words := append(append([]string{}, c.compiler...), args...)
	command := exec.Command(words[0], words[1:]...)
	command.Stdout, command.Stderr, command.Stdin = stdout, stderr, strings.NewReader(input)
	command.Env = append(os.Environ(), c.environment...)
	if err := command.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return 0, c.missing(err)
		}
		return 0, err
	}
	c.signals.runs(command.Process, 0)
	err = command.Wait()
	var exit *exec.ExitError
	var by syscall.Signal
	if errors.As(err, &exit) {
		err = nil
		if wait, ok := exit.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
			by = wait.Signal()
		}
	}
	c.signals.runs(nil, by)
	return command.ProcessState.ExitCode(), err
}

// ended ends with the compiler's exit status.
func ended(status int) error {
	if status != 0 {
		return statusError{nil, status}
	}
	return nil
}
