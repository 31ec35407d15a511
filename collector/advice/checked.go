package advice

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// Checked are the findings of a trace of accscope check (package check), as findings of rules
// that are called as their kinds.
func Checked(trace *store.Trace) ([]*Finding, error) {
	found, _, err := check.Find(trace)
	if err != nil {
		return nil, err
	}
	return Mended(trace, found)
}

// Mended are findings of accscope check as those of rules, with the changes of the sources that mend
// them.
func Mended(trace *store.Trace, found []*check.Finding) ([]*Finding, error) {
	if len(found) == 0 {
		return nil, nil
	}
	sources, err := report.SourcesOf(trace)
	if err != nil {
		return nil, err
	}
	var list []*Finding
	for _, f := range found {
		made := ofCheck(f)
		mend(made, f, sources)
		list = append(list, made)
	}
	// What a kernel does not reach since its index is wrong is not to be brought from elsewhere.
	for i, f := range found {
		if f.Kind != check.OutOfBounds && slices.ContainsFunc(found, func(other *check.Finding) bool {
			return other.Kind == check.OutOfBounds && other.Variable == f.Variable && other.Function == f.Function && len(list[slices.Index(found, other)].Edits) == 0
		}) {
			list[i].refuse("mend first where the kernel leaves " + f.Variable)
		}
	}
	return list, nil
}

func ofCheck(f *check.Finding) *Finding {
	made := &Finding{
		Rule: f.Kind, Count: int64(f.Count), Variable: f.Variable, Kernel: f.Kernel, File: f.File, Line: f.Line, Function: f.Function,
		Subject: cmp.Or(f.Variable, model.Readable(f.Kernel), "-"), What: f.What, Directive: f.Directive, Instead: f.Change, Confidence: Certain,
		Why: "what comes of it may be another result each time, and on another device", Called: f.Name(), Places: []Place{}, wrong: !f.Unsure,
		SQL: "SELECT * FROM meta WHERE key LIKE '" + store.FindingKey + "%'",
	}
	if f.Unsure {
		made.Confidence = Possible
	}
	if f.Other != nil {
		made.Places = []Place{{f.File, f.Function, f.Line}, {f.Other.File, "", f.Other.Line}}
	}
	return made
}

// names are those of all rules and of the kinds that accscope check has.
func names() []string {
	list := Rules()
	for _, k := range check.Kinds {
		if !slices.Contains(list, k.Name) {
			list = append(list, k.Name)
		}
	}
	return list
}

// CoversCheck says whether a pattern covers a finding of accscope check.
func CoversCheck(patterns []Pattern, f *check.Finding) bool {
	of := ofCheck(f)
	return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.Covers(of) })
}
