package store

import (
	"cmp"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// kernel is what tells kernels apart: the linker's names are those of one program.
type kernel struct{ program, symbol string }

// programSQL is the program of a process p: the executable's path; for ranks of a job its
// name, as each node may have a copy elsewhere.
const programSQL = `CASE WHEN p.rank IS NULL THEN p.program ELSE replace(p.program, rtrim(p.program, replace(p.program, '/', '')), '') END`

// ProgramOf is the program of a process, as it tells kernels of several programs apart; "" of a
// process that the trace lacks.
func (t *Trace) ProgramOf(process model.ProcessID) (program string, err error) {
	err = t.program(process, &program)
	return program, err
}

// program looks up the program of a process.
func (t *Trace) program(of model.ProcessID, program *string) error {
	known := false
	if *program, known = t.programs[of]; known {
		return nil
	}
	if err := t.each("SELECT p.id, "+programSQL+" FROM process p", nil, func(r *sqlite.Stmt) error {
		t.programs[model.ProcessID(r.ColumnInt64(0))] = r.ColumnText(1)
		return nil
	}); err != nil {
		return err
	}
	*program = t.programs[of]
	t.programs[of] = *program // also of one that the trace lacks
	return nil
}

// entitle has a kernel called by its place, unless there is none, or several places of its
// program launch it.
func (t *Trace) entitle(s *Description, constructs map[string]string) {
	if s.KindCode != model.EnqueueLaunchStart || s.Symbol == "" {
		return
	}
	of := kernel{s.Program, s.Symbol}
	before := t.titles[of]
	if s.File == "" || s.Line <= 0 {
		t.titles[of] = before
		return
	}
	construct := constructs[PlaceText(s.File, s.Line)]
	if construct == "" {
		construct = s.Construct
	}
	title := model.KernelTitle(s.File, s.Line, construct, s.Function)
	if before != "" && before != title {
		title = t.readable(s.Symbol)
	}
	t.titles[of] = title
}

// share notes which programs have kernels that are called the same.
func (t *Trace) share() {
	clear(t.called)
	for of, title := range t.titles {
		title = cmp.Or(title, t.readable(of.symbol))
		if t.called[title] == nil {
			t.called[title] = map[string]bool{}
		}
		t.called[title][of.program] = true
	}
}

// Title is a kernel's name as people are to see it, by the linker's: the name of its
// place, or where that is not known, or not the only one, the linker's demangled.
// Where several programs have kernels of that name it says which.
func (t *Trace) Title(program, symbol string) (string, error) {
	err := t.learnNames()
	_, name := t.title(program, symbol)
	return name, err
}

// title is a kernel's title in its program, and the name that Title gives, by what has been learnt.
func (t *Trace) title(program, symbol string) (title, name string) {
	title = cmp.Or(t.titles[kernel{program, symbol}], t.readable(symbol))
	programs := t.called[title]
	if len(programs) < 2 || !programs[program] {
		return title, title
	}
	return title, title + " (" + Apart(program, programs) + ")"
}

// Apart is a program by as much of its path's end as tells it from others.
func Apart(program string, others map[string]bool) string {
	at := strings.LastIndexByte(program, '/')
	for other := range others {
		for at > 0 && other != program && strings.HasSuffix("/"+other, "/"+program[at+1:]) {
			at = strings.LastIndexByte(program[:at], '/')
		}
	}
	return program[at+1:]
}

// readable is model.Readable, remembered: many sites have the same names.
func (t *Trace) readable(text string) string {
	readable, known := t.readables[text]
	if !known {
		readable = model.Readable(text)
		t.readables[text] = readable
	}
	return readable
}

// learnNames learns what names of kernels and of data depend on: on what all processes say,
// whichever are read.
func (t *Trace) learnNames() error {
	newest, err := schema.Integer(t.conn, "SELECT coalesce(max(site), 0) FROM site_detail")
	if err != nil {
		return schema.Explain(t.path, err)
	}
	if newest > t.newestSite {
		meta, err := t.Facts()
		if err != nil {
			return err
		}
		if err := t.each(`SELECT DISTINCT d.kind_code, d.source_file, d.function, d.line, d.name, d.parent_construct, `+programSQL+`
			FROM site_detail d LEFT JOIN process p ON p.id = d.process WHERE d.site > ? AND d.kind_code BETWEEN ? AND ?`,
			[]any{t.newestSite, model.EnqueueLaunchStart, model.EnqueueDownloadEnd}, func(r *sqlite.Stmt) error {
				s := &Description{KindCode: r.ColumnInt32(0), File: r.ColumnText(1), Function: t.readable(r.ColumnText(2)), Line: r.ColumnInt32(3),
					Name: t.readable(r.ColumnText(4)), Symbol: r.ColumnText(4), Construct: model.ConstructName(r.ColumnInt32(5)), Program: r.ColumnText(6)}
				t.entitle(s, meta.Constructs)
				moves := s.KindCode >= model.EnqueueUploadStart && s.KindCode <= model.EnqueueDownloadEnd
				t.namesData = t.namesData || moves && s.File != "" && !nameless(s.Name)
				return nil
			}); err != nil {
			return err
		}
		t.share()
		t.newestSite = newest
	}
	if t.titled == t.newestSite {
		return nil
	}
	for _, d := range t.descriptions {
		if d.launches() {
			d.Title, d.Name = t.title(d.Program, d.Symbol)
		}
	}
	for _, w := range t.works {
		if w.Kind == "kernel" {
			w.Title, w.Name = t.title(w.Program, w.Symbol)
		}
	}
	t.titled = t.newestSite
	return nil
}
