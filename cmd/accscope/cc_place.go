package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/runtime/source/rewrite"
)

// byteOrderMark may begin a source, and nothing else.
const byteOrderMark = "\uFEFF"

// textOf reads a file as text.
func textOf(file string) (string, error) {
	content, err := os.ReadFile(file)
	return string(content), err
}

// copyIncluded writes copies of the files that a source includes whose directives GCC refuses.
// The notes are on what became of these.
func (c *compilation) copyIncluded(source string, p *rewrite.Preprocessed, options rewrite.Options) (copies map[string]string, notes []rewrite.Note, err error) {
	files, err := p.Included(source, textOf, options)
	if err != nil || len(files) == 0 {
		return nil, nil, err
	}
	copies = map[string]string{}
	for _, file := range files {
		folder, err := os.MkdirTemp(c.folder, "")
		if err != nil {
			return nil, nil, err
		}
		copies[file] = filepath.Join(folder, filepath.Base(file))
	}
	for _, file := range files {
		text, err := textOf(file)
		if err != nil {
			return nil, nil, err
		}
		result := rewrite.C(text, file, p, nil, copies, options)
		notes = append(notes, result.Notes...)
		if err := os.WriteFile(copies[file], []byte(prologue(file)+strings.TrimPrefix(result.Text, byteOrderMark)), 0o600); err != nil {
			return nil, nil, err
		}
	}
	return copies, notes, nil
}

// included finds what a source of Fortran includes: beside it, and in the folders of -I.
func (c *compilation) included(input *compilerInput) rewrite.Include {
	folders := []string{filepath.Dir(input.path)}
	for i, arg := range c.line.args {
		if arg == "-I" && i+1 < len(c.line.args) {
			folders = append(folders, c.line.args[i+1])
		} else if folder, ok := strings.CutPrefix(arg, "-I"); ok {
			folders = append(folders, folder)
		}
	}
	return func(name string, found bool) (string, string, bool) {
		for _, folder := range folders {
			path := name
			if !filepath.IsAbs(name) && !found {
				path = filepath.Join(folder, name)
			}
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > sourceLimit {
				continue
			}
			text, err := textOf(path)
			return path, text, err == nil
		}
		return "", "", false
	}
}

// place is where the compiler reads a rewritten source: by standard input one of the current
// folder, which has the same folder for includes; another one from a file of the same name,
// with the source's folder named for includes. It gives the text, and the options with which
// all that GCC writes is of the source itself.
func (c *compilation) place(r *rewritten) (path, text string, options []string, err error) {
	input := r.input
	if input.path == "-" {
		return "-", r.text, nil, nil
	}
	base := filepath.Base(input.path)
	options = c.line.dumpOptions(input)
	for included, copied := range r.copies {
		options = append(options, "-iquote", filepath.Dir(included), "-ffile-prefix-map="+copied+"="+included)
	}
	plain := strings.TrimPrefix(r.text, byteOrderMark)
	text = prologue(input.path) + plain
	if input.isFortran() {
		text = fmt.Sprintf("# 1 %q\n", input.path) + plain
	} else if !strings.Contains(input.path, "/") {
		return "-", text, append(options, "-ffile-prefix-map=<stdin>="+input.path), nil
	}
	folder, err := os.MkdirTemp(c.folder, "")
	if err != nil {
		return "", "", nil, err
	}
	path = filepath.Join(folder, base)
	options = append(options, "-ffile-prefix-map="+path+"="+input.path)
	if input.isFortran() {
		options = append(options, "-I", filepath.Dir(input.path))
	} else {
		options = append(options, "-iquote", filepath.Dir(input.path))
	}
	return path, "", options, os.WriteFile(path, []byte(text), 0o600)
}
