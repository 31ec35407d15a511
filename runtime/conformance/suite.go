package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Language is the language a test is compiled as.
type Language string

// The languages of the suite. A file of libgomp.oacc-c-c++-common is two
// tests, one in C and one in C++.
const (
	C       Language = "c"
	CXX     Language = "c++"
	Fortran Language = "fortran"
)

var languages = []Language{C, CXX, Fortran}

func (l Language) valid() bool { return l == C || l == CXX || l == Fortran }

// Test is one file of the suite in one language.
type Test struct {
	Language Language
	File     string // base name
	Path     string // where it lies
}

// Name is the test's name in lists and on the command line, e.g. "c++/abort-1.c".
func (t Test) Name() string { return string(t.Language) + "/" + t.File }

// Suite is the unpacked suite: libgomp/testsuite, whose sibling
// gcc/testsuite holds the few files that tests include from there.
type Suite struct {
	Folder string
}

const commonFolder = "libgomp.oacc-c-c++-common"

var foldersOf = map[Language][]string{
	C:       {"libgomp.oacc-c", commonFolder},
	CXX:     {"libgomp.oacc-c++", commonFolder},
	Fortran: {"libgomp.oacc-fortran"},
}

var fileNamesOf = map[Language]*regexp.Regexp{
	C:       regexp.MustCompile(`\.c$`),
	CXX:     regexp.MustCompile(`\.(c|C)$`),
	Fortran: regexp.MustCompile(`\.[fF](|90|95|03|08)$`),
}

// unpackPatterns name what is taken from the source archive: test sources,
// and nothing of the library they were written for.
var unpackPatterns = []string{
	"*/libgomp/testsuite/libgomp.oacc-*",
	// Tests of OpenMP that a few of these include.
	"*/libgomp/testsuite/libgomp.c++/*.C",
	"*/libgomp/testsuite/libgomp.fortran/*.f90",
	"*/gcc/testsuite/c-c++-common/goacc/*",
	"*/gcc/testsuite/g++.dg/goacc/*",
	"*/gcc/testsuite/gfortran.dg/goacc/*",
	"*/gcc/testsuite/gfortran.fortran-torture/execute/math.f90",
}

// openSuite returns the suite in folder, or, where folder is empty, unpacks
// the tests of the archive into the cache (once). Where no archive is named, it
// is the one of the compiler's version.
func openSuite(folder, archivePattern, cache string, compiler version) (*Suite, error) {
	if folder == "" {
		source := "gcc-" + compiler.major()
		if archivePattern == "" {
			archivePattern = "/usr/src/" + source + "/" + source + "*.tar.xz"
		}
		archives, err := filepath.Glob(archivePattern)
		if err != nil {
			return nil, fmt.Errorf("-tarball %s: %w", archivePattern, err)
		}
		if len(archives) == 0 {
			return nil, fmt.Errorf("no file %s: install Debian's package %s-source (apt-get install %[2]s-source), or name the archive with -tarball", archivePattern, source)
		}
		archive := archives[len(archives)-1]
		folder = filepath.Join(cache, "suite", strings.TrimSuffix(filepath.Base(archive), ".tar.xz"))
		if err := unpack(archive, folder); err != nil {
			return nil, err
		}
	}
	found, err := filepath.Glob(filepath.Join(folder, "libgomp", "testsuite"))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s holds no libgomp/testsuite: name the folder of GCC's sources with -tests", folder)
	}
	absolute, err := filepath.Abs(found[0])
	if err != nil {
		return nil, err
	}
	return &Suite{Folder: absolute}, nil
}

// unpacked says whether folder has something of each pattern.
func unpacked(folder string) bool {
	for _, pattern := range unpackPatterns {
		if found, err := filepath.Glob(folder + strings.TrimPrefix(pattern, "*")); err != nil || len(found) == 0 {
			return false
		}
	}
	return true
}

// unpack fills folder from the archive unless that is done already. The
// folder appears only when whole.
func unpack(archive, folder string) error {
	if unpacked(folder) {
		return nil
	}
	// One of before lacks what patterns of today name.
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), "unpacking-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	arguments := append([]string{"--extract", "--xz", "--file", archive, "--directory", partial,
		"--strip-components=1", "--no-same-owner", "--wildcards"}, unpackPatterns...)
	if output, err := exec.Command("tar", arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("unpack %s: %w: %s", archive, err, strings.TrimSpace(string(output)))
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	if err := os.Rename(partial, folder); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// Tests lists the suite's tests in the order of their names.
func (s *Suite) Tests() ([]Test, error) {
	var tests []Test
	for _, language := range languages {
		for _, folder := range foldersOf[language] {
			entries, err := os.ReadDir(filepath.Join(s.Folder, folder))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if fileNamesOf[language].MatchString(e.Name()) {
					tests = append(tests, Test{language, e.Name(), filepath.Join(s.Folder, folder, e.Name())})
				}
			}
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s holds no tests (libgomp.oacc-c, -c++, -c-c++-common, -fortran)", s.Folder)
	}
	sort.Slice(tests, func(i, j int) bool { return tests[i].Name() < tests[j].Name() })
	return tests, nil
}

// Common is the folder of the files shared by C and C++, among them headers.
func (s *Suite) Common() string { return filepath.Join(s.Folder, commonFolder) }
