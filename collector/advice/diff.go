package advice

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/patch"
)

// Patch is the changes of findings that can be written together.
type Patch struct {
	Findings []int    // indexes of those in it
	Left     []string // of the others, by index: why; "" of those in it
	edits    map[string][]patch.Edit
	texts    map[string]string
}

// PatchOf writes the changes of those findings that are chosen by their indexes; of two that
// change the same lines the first.
func PatchOf(findings []*Finding, chosen []int) *Patch {
	p := &Patch{Left: make([]string, len(findings)), edits: map[string][]patch.Edit{}, texts: map[string]string{}}
	for _, i := range chosen {
		f := findings[i]
		if len(f.Edits) == 0 {
			p.Left[i] = f.NoPatch
			continue
		}
		if other := p.overlapping(findings, f); other >= 0 {
			if p.Left[i] = fmt.Sprintf("finding %d changes the same lines: apply that, and record again", other+1); same(findings[other], f) {
				p.Left[i] = fmt.Sprintf("finding %d makes the same change", other+1)
			}
			continue
		}
		p.Findings = append(p.Findings, i)
		for _, e := range f.Edits {
			p.edits[e.File] = append(p.edits[e.File], e)
			p.texts[e.File] = f.texts[e.File]
		}
	}
	return p
}

func (p *Patch) overlapping(findings []*Finding, f *Finding) int {
	for _, i := range p.Findings {
		for a := range findings[i].Edits {
			for b := range f.Edits {
				if findings[i].Edits[a].Overlap(&f.Edits[b]) {
					return i
				}
			}
		}
		if findings[i].changes(f.rests) || f.changes(findings[i].rests) {
			return i
		}
	}
	return -1
}

// changes says whether a finding's patch changes one of some lines.
func (f *Finding) changes(lines []patch.Edit) bool {
	return slices.ContainsFunc(f.Edits, func(e patch.Edit) bool {
		return slices.ContainsFunc(lines, func(line patch.Edit) bool { return e.Overlap(&line) })
	})
}

func same(a, b *Finding) bool {
	return slices.EqualFunc(a.Edits, b.Edits, func(a, b patch.Edit) bool {
		return a.File == b.File && a.First == b.First && a.Last == b.Last && slices.Equal(a.Text, b.Text)
	})
}

// Files are the paths of the files that it changes, in order.
func (p *Patch) Files() []string { return slices.Sorted(maps.Keys(p.edits)) }

// Before and After are a file's text without and with the changes.
func (p *Patch) Before(file string) string { return p.texts[file] }
func (p *Patch) After(file string) (string, error) {
	return patch.Apply(p.texts[file], p.edits[file])
}

// Unified is the unified diff of it, with files' names relative to a folder; outside: files
// that are not below it, which no such name can reach.
func (p *Patch) Unified(findings []*Finding, folder string) (text string, outside []string, err error) {
	var b strings.Builder
	for _, i := range p.Findings {
		fmt.Fprintf(&b, "# %s\n", findings[i].Headline(i+1))
		for line := range strings.SplitSeq(findings[i].Instead, "\n") {
			fmt.Fprintf(&b, "#   %s\n", escape.Line(line))
		}
	}
	for _, file := range p.Files() {
		name := Below(folder, file)
		if name == "" {
			outside = append(outside, file)
			continue
		}
		// patch -p0 takes the name as it is, and git apply without its first part.
		diff, err := patch.Unified("./"+filepath.ToSlash(name), p.texts[file], p.edits[file])
		if err != nil {
			return "", nil, err
		}
		b.WriteString(diff)
	}
	return b.String(), outside, nil
}

// Below is a file's name relative to a folder that holds it, by whatever links; "" where it does
// not.
func Below(folder, file string) string {
	for _, resolve := range []func(string) (string, error){func(path string) (string, error) { return path, nil }, filepath.EvalSymlinks} {
		in, err := resolve(folder)
		if err != nil {
			return ""
		}
		path, err := resolve(file)
		if err != nil {
			return ""
		}
		if name, err := filepath.Rel(in, path); err == nil && filepath.IsLocal(name) {
			return name
		}
	}
	return ""
}
