package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldestGCC is the first major version whose programs run.
const oldestGCC = 12

// gnuCompiler is an installed compiler of GCC.
type gnuCompiler struct {
	name    string // gcc, gcc-14
	version string // 14.2.0
	major   int
}

func compilerFindings() []finding {
	tried, err := triedCompilers()
	if err != nil {
		return []finding{{"compilers", false, err.Error(), "build accscope anew"}}
	}
	tried = onThisMachine(tried)
	var findings []finding
	newest := 0
	for _, language := range []struct{ title, name, translator string }{{"C", "gcc", "cc1"}, {"C++", "g++", "cc1plus"}, {"Fortran", "gfortran", "f951"}} {
		installed := gnuCompilers(language.name, language.translator)
		findings = append(findings, compilerFinding(language.title, language.name, installed, tried))
		for _, c := range installed {
			newest = max(newest, c.major)
		}
	}
	return append(findings, offloadCompiler(newest))
}

// gnuCompilers are those in PATH by a plain name or one with a version, the plain one
// first. Several names of one compiler, be they links, copies or wrappers as ccache's, are
// there once: they have a version, and the program that translates, in common.
func gnuCompilers(name, translator string) []gnuCompiler {
	var found []gnuCompiler
	known := map[string]bool{}
	folders := pathFolders()
	for _, pattern := range []string{name, name + "-[0-9]*"} {
		var matching []string
		for _, folder := range folders {
			matches, _ := filepath.Glob(filepath.Join(folder, pattern)) // the pattern is a constant
			matching = append(matching, matches...)
		}
		slices.SortStableFunc(matching, func(a, b string) int { return cmp.Compare(filepath.Base(a), filepath.Base(b)) })
		for _, file := range matching {
			c, identity, ok := askCompiler(file, translator)
			if ok && !known[identity] {
				known[identity] = true
				found = append(found, c)
			}
		}
	}
	return found
}

// pathFolders are the folders of PATH, each once, whatever it is called there: /bin may be
// a link to /usr/bin. Compilers are asked by starting them, so twice is too often.
func pathFolders() []string {
	var folders []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		target, err := filepath.EvalSymlinks(folder)
		if err == nil && !slices.Contains(folders, target) {
			folders = append(folders, target)
		}
	}
	return folders
}

// askCompiler asks a file what compiler of GCC it is, and where its translator lies, which
// names the compiler itself; one without is the file.
func askCompiler(file, translator string) (c gnuCompiler, identity string, ok bool) {
	output, err := exec.Command(file, "-dumpfullversion").Output()
	version := strings.TrimSpace(string(output))
	first, _, dotted := strings.Cut(version, ".")
	major, number := strconv.Atoi(first)
	if err != nil || !dotted || number != nil {
		return c, "", false // no compiler of GCC: Clang knows no such option
	}
	output, _ = exec.Command(file, "-print-prog-name="+translator).Output() // one that fails says nothing
	for _, path := range []string{strings.TrimSpace(string(output)), file} {
		if target, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) {
			return gnuCompiler{filepath.Base(file), version, major}, version + " " + target, true
		}
	}
	return gnuCompiler{filepath.Base(file), version, major}, version + " " + file, true
}

func compilerFinding(title, name string, installed []gnuCompiler, tried []triedCompiler) finding {
	remedy := fmt.Sprintf("install %s, version %d or later", name, oldestGCC)
	if len(installed) == 0 {
		return finding{title, false, name + " not found", remedy}
	}
	works := false
	var texts []string
	for _, c := range installed {
		text := c.name + " " + c.version
		if note := c.note(tried); note != "" {
			text += " (" + note + ")"
		}
		works = works || c.major >= oldestGCC
		texts = append(texts, text)
	}
	return finding{title, works, strings.Join(texts, ", "), remedy}
}

// note is what trying its version has shown (docs/compilers.md); empty where it was this
// very one, and all passed.
func (c gnuCompiler) note(tried []triedCompiler) string {
	if c.major < oldestGCC {
		return fmt.Sprintf("too old: from %d on", oldestGCC)
	}
	var majors, versions []string
	for _, t := range tried {
		if t.major != c.major {
			majors = append(majors, strconv.Itoa(t.major))
			continue
		}
		failed := ""
		if names := t.failed(); len(names) > 0 {
			failed = "tests failed: " + strings.Join(names, ", ")
		}
		if t.version == c.version {
			return failed
		}
		version := t.version
		if failed != "" {
			version += " (" + failed + ")"
		}
		versions = append(versions, version)
	}
	if len(versions) > 0 {
		return "tested: " + strings.Join(versions, ", ")
	}
	return "untested: tested are " + strings.Join(slices.Compact(majors), ", ")
}

// offloadCompiler looks for GCC's compiler for NVIDIA GPUs, of any version.
func offloadCompiler(newest int) finding {
	matches, _ := filepath.Glob("/usr/lib/gcc/*/*/accel/nvptx-none") // the pattern is a constant
	if len(matches) > 0 {
		return finding{"offload to NVIDIA", true, strings.Join(matches, ", "), ""}
	}
	return finding{"offload to NVIDIA", false, "GCC's nvptx compiler not found",
		fmt.Sprintf("install gcc-%d-offload-nvptx (only for programs that shall run on NVIDIA GPUs)", max(newest, oldestGCC))}
}
