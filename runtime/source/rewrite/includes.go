package rewrite

import (
	"fmt"
	"strings"
)

// Included are the files that a source includes and that need another form: those whose
// directives GCC refuses, and those that include them. Text reads a file.
func (p *Preprocessed) Included(source string, text func(file string) (string, error), options Options) (files []string, err error) {
	needed := map[string]bool{}
	for _, file := range p.files {
		if file == source || !p.refusedIn(file, options) {
			continue
		}
		content, err := text(file)
		if err != nil {
			return nil, fmt.Errorf("%s has directives that GCC refuses, and cannot be read: %w", file, err)
		}
		if result := C(content, file, p, nil, nil, options); result.Changed || len(result.Notes) > 0 {
			needed[file] = true
		}
	}
	for grown := len(needed) > 0; grown; {
		grown = false
		for at, file := range p.included {
			if needed[file] && at.file != source && !needed[at.file] && p.times[at.file] > 0 {
				needed[at.file], grown = true, true
			}
		}
	}
	for file := range needed {
		files = append(files, file)
	}
	return files, nil
}

// includes says whether a file includes one of those that are copied.
func (p *Preprocessed) includes(file string, copies map[string]string) bool {
	for at, included := range p.included {
		if at.file == file && copies[included] != "" {
			return true
		}
	}
	return false
}

// include has the text include copies in place of files, and says whether it did.
func (t *text) include(p *Preprocessed, copies map[string]string) (changed bool) {
	for i, at := range t.places {
		copied := copies[p.included[at]]
		if copied == "" || !strings.Contains(t.line(i), "include") {
			continue
		}
		t.replace(t.starts[i], t.end(i), fmt.Sprintf("#include \"%s\"", copied))
		changed = true
	}
	return changed
}
