package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/advice"
)

// notPlanted are rules whose mistakes the corpus cannot have.
var notPlanted = map[string]string{
	"pageable-memory": "only a GPU's transfers tell what was pinned: its programs have traces in collector/advice/testdata/gpu",
}

// TestAdvicePlanted: each rule has a mistake, and a program in which it is to find nothing, in each
// language: a mended one and one that looks alike. Those of the rules of changes are the change kept
// and the companions.
func TestAdvicePlanted(t *testing.T) {
	type kind struct{ rule, language, what string }
	has := map[kind]bool{}
	for _, p := range slices.Concat(generated(), planned()) {
		language := filepath.Ext(p.name)
		has[kind{p.plants, language, "mistake"}] = true
		has[kind{p.silent, language, "right program"}] = true
	}
	for _, rule := range advice.Rules() {
		changed := slices.ContainsFunc(changes, func(c change) bool { return c.plants == rule })
		for _, language := range []string{".c", ".cpp", ".f90"} {
			for _, what := range []string{"mistake", "right program"} {
				if !has[kind{rule, language, what}] && notPlanted[rule] == "" && (what == "mistake" || !changed) {
					t.Errorf("%s has no %s in %s: plant one, or say why not", rule, what, language)
				}
			}
		}
		if notPlanted[rule] != "" && has[kind{rule, ".c", "mistake"}] {
			t.Errorf("%s is planted", rule)
		}
	}
}
