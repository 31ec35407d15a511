// Command licences writes what the packages say of the software of others that is linked into
// the command and the library's engine, and of the fonts of the page: the texts of their
// licences, and a bill of materials (SPDX 2.3, JSON). It ends with an error where the licence
// of a module is not found or not known.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// linked are the packages whose modules are in what is installed.
var linked = []string{"./cmd/accscope", "./cmd/libopenacc/engine"}

// component is software of others.
type component struct {
	name, version, home string
	purl                string   // as package managers call it; "" for none
	licence             string   // an SPDX expression
	texts               []string // of its licences and notices
}

func main() {
	folder := flag.String("o", "", "folder to write accscope.spdx.json and third-party-licences.txt to")
	version := flag.String("version", "", "version of the packages")
	flag.Parse()
	if *folder == "" || *version == "" {
		fmt.Fprintln(os.Stderr, "licences: -o FOLDER and -version VERSION are needed")
		os.Exit(2)
	}
	if err := write(*folder, *version); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func write(folder, version string) error {
	list, err := components()
	if err != nil {
		return err
	}
	created, err := createdAt()
	if err != nil {
		return err
	}
	bill, err := json.MarshalIndent(billOf(list, version, created), "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, "accscope.spdx.json"), append(bill, '\n'), 0o644),
		os.WriteFile(filepath.Join(folder, "third-party-licences.txt"), []byte(textsOf(list)), 0o644))
}

// createdAt is when what is packed was committed (SOURCE_DATE_EPOCH): the same sources give the
// same bytes.
func createdAt() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: want seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// components are the modules that are linked, Go's own library, and the page's fonts, by name.
func components() ([]component, error) {
	command := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Module,Standard"}, linked...)...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	type module struct{ Path, Version, Dir string }
	of, folders := map[string]module{}, map[string]map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); decoder.More(); {
		var p struct {
			Dir    string
			Module *struct {
				module
				Main    bool
				Replace *module
			}
		}
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := p.Module.module
		if p.Module.Replace != nil {
			m = *p.Module.Replace
		}
		if of[m.Path] = m; folders[m.Path] == nil {
			folders[m.Path] = map[string]bool{}
		}
		for dir := p.Dir; strings.HasPrefix(dir, m.Dir); dir = filepath.Dir(dir) {
			folders[m.Path][dir] = true
		}
	}
	var list []component
	add := func(c component, folders ...string) error {
		if c.texts, err = licencesIn(folders); err != nil {
			return err
		}
		if c.licence, err = expression(c.texts); err != nil {
			return fmt.Errorf("%s %s: %w", c.name, c.version, err)
		}
		list = append(list, c)
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(of)) {
		m := of[path]
		c := component{name: m.Path, version: m.Version, home: "https://" + m.Path, purl: "pkg:golang/" + m.Path + "@" + m.Version}
		if err := add(c, slices.Sorted(maps.Keys(folders[path]))...); err != nil {
			return nil, err
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	root, release, _ := strings.Cut(strings.TrimSpace(string(goroot)), "\n")
	release = strings.TrimPrefix(release, "go")
	if err := add(component{name: "Go", version: release, home: "https://go.dev", purl: "pkg:generic/go@" + release}, root); err != nil {
		return nil, err
	}
	fonts, err := os.ReadFile("web/dist/fonts.txt")
	if err != nil {
		return nil, err
	}
	list = append(list, component{name: "Inter and JetBrains Mono", home: "https://fontsource.org", licence: "OFL-1.1", texts: []string{string(fonts)}})
	return list, nil
}

var named = regexp.MustCompile(`(?i)^(un|sqlite-)?(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// licencesIn are the texts of licences and notices in folders, each once.
func licencesIn(folders []string) (texts []string, err error) {
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !named.MatchString(e.Name()) || e.IsDir() || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := fs.ReadFile(os.DirFS(folder), e.Name())
			if err != nil {
				return nil, err
			}
			if t := strings.TrimSpace(string(text)); !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	return texts, nil
}

// known are licences by what only their texts say, in small letters, spaces as one.
var known = []struct{ licence, says, not string }{
	{"Apache-2.0", "apache license version 2.0", ""},
	{"Apache-2.0", "licensed under the apache license, version 2.0", ""},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy", ""},
	{"BSD-3-Clause", "neither the name of", ""},
	{"BSD-3-Clause", "neither the names of the authors nor", ""},
	{"BSD-3-Clause", "the names of its contributors may not be used to endorse", ""},
	{"BSD-2-Clause", "redistributions in binary form must reproduce", "endorse or promote"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose", ""},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose", ""},
	{"MPL-2.0", "mozilla public license version 2.0", ""},
	{"Unlicense", "this is free and unencumbered software released into the public domain", ""},
	{"blessing", "the author disclaims copyright to this source code", ""},
}

// expression is what the texts of a component amount to.
func expression(texts []string) (string, error) {
	found := map[string]bool{}
	for _, text := range texts {
		words := strings.Join(strings.Fields(strings.ToLower(strings.Map(func(r rune) rune {
			if strings.ContainsRune("*#>`\"", r) {
				return ' '
			}
			return r
		}, text))), " ")
		for _, k := range known {
			if strings.Contains(words, k.says) && (k.not == "" || !strings.Contains(words, k.not)) {
				found[k.licence] = true
			}
		}
	}
	switch {
	case len(texts) == 0:
		return "", errors.New("it has no text of a licence")
	case len(found) == 0:
		return "", errors.New("its licence is not among the known ones of cmd/licences: look whether it may be packed, and add it")
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND "), nil
}

// textsOf are all texts, each once, with whose it is.
func textsOf(list []component) string {
	var order []string
	of := map[string][]string{}
	for _, c := range list {
		for _, text := range c.texts {
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], strings.TrimSpace(c.name+" "+c.version)+" ("+c.licence+")")
		}
	}
	var out strings.Builder
	out.WriteString("Software of others that is linked into accscope, and the fonts of its page, with the texts of their licences.\n")
	for _, text := range order {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 79), strings.Join(of[text], "\n"), text)
	}
	return out.String()
}
