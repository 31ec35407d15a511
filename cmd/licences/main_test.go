package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Each module that the built files say they hold is in the bill, at its version, with a licence,
// and has its text; and so have Go's library and the fonts.
func TestNothingIsLeftOut(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("SOURCE_DATE_EPOCH", "1764400000")
	folder := t.TempDir()
	if err := write(folder, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var b bill
	content, err := os.ReadFile(filepath.Join(folder, "accscope.spdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &b); err != nil {
		t.Fatal(err)
	}
	content, err = os.ReadFile(filepath.Join(folder, "third-party-licences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	texts, entries, contained := string(content), map[string]entry{}, map[string]bool{}
	for _, r := range b.Relations {
		contained[r.Related] = true
	}
	for _, e := range b.Packages {
		if e.Declared == "" || !contained[e.ID] || e.Name != "accscope" && !strings.Contains(texts, strings.TrimSpace(e.Name+" "+e.Version)+" ("+e.Declared+")") {
			t.Errorf("%+v", e)
		}
		entries[e.Name] = e
	}
	for _, file := range []string{"bin/accscope", "lib/libopenacc-engine.so"} {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			t.Fatalf("%s: %v; make builds it", file, err)
		}
		if len(info.Deps) < 3 {
			t.Errorf("%s has %d modules", file, len(info.Deps))
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			if e := entries[m.Path]; e.Version != m.Version {
				t.Errorf("%s holds %s %s, the bill has %q", file, m.Path, m.Version, e.Version)
			}
		}
	}
	if entries["Go"].Version == "" || entries["Inter and JetBrains Mono"].Declared != "OFL-1.1" || entries["accscope"].Version != "1.2.3" || b.Created.Created != time.Unix(1764400000, 0).UTC().Format(time.RFC3339) {
		t.Errorf("%+v", b)
	}
}

// A licence is known by what its text says, and one that is not known is an error.
func TestExpression(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted,\n  free of charge, to any person\nobtaining a copy":                            "MIT",
		"* Redistributions in binary form must reproduce …":                                                           "BSD-2-Clause",
		"* Redistributions in binary form must reproduce …\n# Neither the name of the …\n used to endorse or promote": "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                                        "",
	} {
		if got, err := expression([]string{text}); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	if _, err := expression(nil); err == nil || !strings.Contains(err.Error(), "no text") {
		t.Errorf("without a text: %v", err)
	}
}
