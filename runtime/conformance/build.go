package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Builder compiles tests and keeps the programs in a cache, under names that
// hold a digest of the command, the sources and the compiler's version. A
// test whose sources never ask for its device is compiled once for all
// settings.
type Builder struct {
	programs  string // folder of the compiled programs
	include   string // folder of headers that the suite takes from GCC's source tree
	compilers map[Language]string
	versions  map[Language]string
}

// Program is a compiled test, or the reason why there is none.
type Program struct {
	Path  string // empty if there is no program
	Error string // first line that names the cause, if compiling failed
}

func newBuilder(cache, include string, compilers map[Language]string) (*Builder, error) {
	b := &Builder{programs: filepath.Join(cache, "programs"), include: include, compilers: compilers, versions: map[Language]string{}}
	if err := os.MkdirAll(b.programs, 0o755); err != nil {
		return nil, err
	}
	for language, compiler := range compilers {
		output, err := exec.Command(compiler, "--version").Output()
		if err != nil {
			return nil, fmt.Errorf("%s --version: %w: install it, or give others with -gcc, -gxx and -gfortran", compiler, err)
		}
		b.versions[language], _, _ = strings.Cut(string(output), "\n")
	}
	return b, nil
}

// version is that of a compiler of GCC: 12.2.0.
type version string

func (v version) major() string {
	major, _, _ := strings.Cut(string(v), ".")
	return major
}

func compilerVersion(compiler string) (version, error) {
	output, err := exec.Command(compiler, "-dumpfullversion").Output()
	if err != nil {
		return "", fmt.Errorf("%s -dumpfullversion: %w: give a compiler of GCC with -gcc", compiler, err)
	}
	return version(strings.TrimSpace(string(output))), nil
}

func (b *Builder) version(l Language) string { return b.versions[l] }

// flagsFor gives the compiler's arguments before the sources.
func (b *Builder) flagsFor(p *Plan, settings Settings, common string) []string {
	flags := []string{"-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmessage-length=0"}
	flags = append(flags, p.Options...)
	flags = append(flags, commonFlags...)
	flags = append(flags, settings.Definitions...)
	flags = append(flags, p.Additional...)
	flags = append(flags, "-I"+b.include, "-I"+filepath.Dir(p.Test.Path))
	if p.Test.Language != Fortran {
		flags = append(flags, "-I"+common)
	}
	if slices.Contains(append(p.Additional, p.Options...), "--param=openacc-kernels=decompose") {
		// GCC 12 gives up on debug statements here ("sorry, unimplemented").
		flags = append(flags, "-g0")
	}
	return flags
}

// Build compiles a test, or finds it in the cache.
func (b *Builder) Build(p *Plan, settings Settings, common string) (Program, error) {
	text, err := withIncludes(p)
	if err != nil {
		return Program{}, err
	}
	flags := b.flagsFor(p, settings, common)
	keyFlags := flags
	if !strings.Contains(text, "ACC_MEM_SHARED") && !strings.Contains(text, "ACC_DEVICE_TYPE") {
		keyFlags = slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return slices.Contains(settings.Definitions, f) })
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n%q\n%q\n%v\n", b.versions[p.Test.Language], keyFlags, p.Action, p.Patched)
	io.WriteString(digest, text)
	name := fmt.Sprintf("%s-%s-%.8x", p.Test.Language, p.Test.File, digest.Sum(nil))
	program, failure := filepath.Join(b.programs, name), filepath.Join(b.programs, name+".failed")
	if _, err := os.Stat(program); err == nil {
		return Program{Path: program}, nil
	}
	if message, err := os.ReadFile(failure); err == nil {
		return Program{Error: string(message)}, nil
	}

	work, err := os.MkdirTemp(b.programs, "compiling-")
	if err != nil {
		return Program{}, err
	}
	defer os.RemoveAll(work)
	source := p.Test.Path
	if p.Patched {
		source = filepath.Join(work, p.Test.File)
		if err := os.WriteFile(source, []byte(p.Source), 0o644); err != nil {
			return Program{}, err
		}
	}
	built := filepath.Join(work, "program")
	message, err := b.compile(p, flags, source, built, work)
	if err != nil {
		return Program{}, err
	}
	if message != "" {
		// Written aside and renamed, so that an interrupted run leaves no
		// half of a message.
		aside := filepath.Join(work, "failed")
		if err := os.WriteFile(aside, []byte(message), 0o644); err != nil {
			return Program{}, err
		}
		return Program{Error: message}, os.Rename(aside, failure)
	}
	return Program{Path: program}, os.Rename(built, program)
}

// compile runs the compiler in the folder work. message is empty on success.
func (b *Builder) compile(p *Plan, flags []string, source, program, work string) (message string, err error) {
	arguments := slices.Clone(flags)
	if p.Action == actionCompile {
		arguments = append(arguments, "-c")
	}
	if p.Test.Language == CXX {
		arguments = append(arguments, "-x", "c++")
	}
	arguments = append(append(arguments, source), p.Sources...)
	if p.Test.Language == CXX {
		arguments = append(arguments, "-x", "none")
	}
	arguments = append(arguments, "-o", program)
	if p.Action != actionCompile {
		arguments = append(arguments, "-lm")
		for _, flag := range p.Additional {
			if strings.HasPrefix(flag, "-l") {
				arguments = append(arguments, flag)
			}
		}
	}
	command := exec.Command(b.compilers[p.Test.Language], arguments...)
	command.Dir = work
	command.Env = append(os.Environ(), "LC_ALL=C", "LD_PRELOAD=")
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return firstError(string(output)), nil
	}
	return "", err
}

var errorLine = regexp.MustCompile(`internal compiler error|[Ee]rror:|undefined reference|multiple definition|sorry, unimplemented`)

// firstError is the line of a compiler's output that names the cause.
func firstError(output string) string {
	for line := range strings.Lines(output) {
		if errorLine.MatchString(line) && !strings.Contains(line, "collect2") {
			return strings.TrimSpace(line)
		}
	}
	if output = strings.TrimSpace(output); output != "" {
		return output
	}
	return "the compiler failed without a message"
}

var includeLine = regexp.MustCompile(`(?mi)^[ \t]*#?[ \t]*include[ \t]*["']([^"']+)["']`)

// withIncludes is the text of a test and of everything it includes from its
// own folder, its additional sources among them.
func withIncludes(p *Plan) (string, error) {
	var all strings.Builder
	seen := map[string]bool{}
	var add func(path, text string) error
	add = func(path, text string) error {
		fmt.Fprintf(&all, "%s\n%s\n", filepath.Base(path), text)
		for _, m := range includeLine.FindAllStringSubmatch(text, -1) {
			included := filepath.Join(filepath.Dir(path), m[1])
			if seen[included] {
				continue
			}
			seen[included] = true
			content, err := os.ReadFile(included)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a header of the compiler or of the system
			}
			if err != nil {
				return err
			}
			if err := add(included, string(content)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(p.Test.Path, p.Source); err != nil {
		return "", err
	}
	for _, source := range p.Sources {
		content, err := os.ReadFile(source)
		if err != nil {
			return "", err
		}
		if err := add(source, string(content)); err != nil {
			return "", err
		}
	}
	return all.String(), nil
}

// NegativeControl builds the library whose compute regions do nothing.
func (b *Builder) NegativeControl(source string) (string, error) {
	library := filepath.Join(b.programs, "libnegative-control.so")
	output, err := exec.Command(b.compilers[C], "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library, source).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compile %s: %w: %s", source, err, output)
	}
	return library, nil
}
