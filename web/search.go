package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// found is what a search found, by kind, name and place.
type found struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Source string `json:"source"`
	Count  int64  `json:"count"`
	Time   int64  `json:"time"` // ns
}

type searchAnswer struct {
	Text    string  `json:"text"`
	Events  int64   `json:"events"`
	Matches []found `json:"matches"` // most time first
	Omitted int     `json:"omitted"`
}

// matches says whether text, in small letters, is in what a site is called.
func matches(site *store.Site, text string) bool {
	return strings.Contains(strings.ToLower(site.Name), text) || strings.Contains(strings.ToLower(site.Symbol), text) ||
		strings.Contains(strings.ToLower(model.Readable(site.Symbol)), text) || strings.Contains(site.Kind, text) ||
		strings.Contains(strings.ToLower(place(site.File, site.Line)), text) || strings.Contains(strings.ToLower(site.Function), text)
}

func (r *request) searchText() (string, error) {
	text := strings.ToLower(strings.TrimSpace(r.values.text("text")))
	if text == "" {
		return "", badRequest("parameter text is empty: give a part of a kernel's, variable's, event's or source's name")
	}
	return text, nil
}

// search finds events by name, kind, function or place.
func search(r *request) (any, error) {
	text, err := r.searchText()
	limit := r.values.integer("limit", 100, 1, 5000)
	if err = cmp.Or(err, r.values.err); err != nil {
		return nil, err
	}
	totals, err := r.trace.Sums().Totals(store.Filter{})
	if err != nil {
		return nil, err
	}
	a := searchAnswer{Text: text, Matches: []found{}}
	groups := make(map[[4]string]*found)
	for i := range totals {
		t := &totals[i]
		if !matches(t.Site, text) {
			continue
		}
		key := [4]string{t.Site.Kind, t.Site.Symbol, place(t.Site.File, t.Site.Line), t.Site.Program}
		g := lookup.Make(groups, key, func() *found { return &found{Kind: key[0], Name: t.Site.Name, Source: key[2]} })
		g.Count += t.Count
		g.Time += t.Time
		a.Events += t.Count
	}
	for _, g := range groups {
		a.Matches = append(a.Matches, *g)
	}
	slices.SortFunc(a.Matches, func(x, y found) int {
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Source, y.Source))
	})
	if len(a.Matches) > int(limit) {
		a.Omitted = len(a.Matches) - int(limit)
		a.Matches = a.Matches[:limit]
	}
	return &a, nil
}

type nextAnswer struct {
	Record int64 `json:"record"` // 0: there is none
	Start  int64 `json:"start"`
	End    int64 `json:"end"`
}

// nextMatch finds the match that starts after a time, or the last one before it.
func nextMatch(r *request) (any, error) {
	text, err := r.searchText()
	backwards := r.values.text("before") != ""
	at := r.values.integer("after", -timeLimit, -timeLimit, timeLimit)
	if backwards {
		at = r.values.integer("before", 0, -timeLimit, timeLimit)
	}
	if err = cmp.Or(err, r.values.err); err != nil {
		return nil, err
	}
	totals, err := r.trace.Sums().Totals(store.Filter{})
	if err != nil {
		return nil, err
	}
	wanted := make(map[int64]bool)
	for i := range totals {
		if site := totals[i].Site; matches(site, text) {
			wanted[site.ID] = true
		}
	}
	var best nextAnswer
	found, err := r.trace.Next(wanted, at, backwards)
	if err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	if found != nil {
		best = nextAnswer{found.ID, found.Start, found.End()}
	}
	return &best, nil
}
