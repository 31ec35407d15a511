package advice

import "testing"

// What is joined goes by a place that does not hang on how long something took by chance.
func TestJoinedPlace(t *testing.T) {
	at := func(file string, line, bytes, gain int64) *group {
		return &group{groupKey: groupKey{file: file, line: line}, bytes: bytes, gain: gain}
	}
	for name, test := range map[string]struct {
		parts []*group
		file  string
		line  int64
	}{
		"as many bytes, and gains by chance": {[]*group{at("a.c", 7, 80, 900), at("a.c", 5, 80, 1)}, "a.c", 5},
		"most bytes":                         {[]*group{at("a.c", 5, 80, 900), at("a.c", 7, 81, 1)}, "a.c", 7},
		"of several files":                   {[]*group{at("b.c", 1, 80, 900), at("a.c", 7, 80, 1), at("a.c", 9, 80, 5)}, "a.c", 7},
		"no bytes":                           {[]*group{at("a.c", 5, 0, 1), at("a.c", 7, 0, 900)}, "a.c", 7},
		"no bytes, and about the same gain":  {[]*group{at("a.c", 7, 0, 900), at("a.c", 5, 0, 500)}, "a.c", 5},
		"neither":                            {[]*group{at("a.c", 7, 0, 0), at("a.c", 5, 0, 0)}, "a.c", 5},
		"one alone":                          {[]*group{at("a.c", 7, 0, 3)}, "a.c", 7},
	} {
		got := joined(test.parts)
		var bytes, gain int64
		for _, part := range test.parts {
			bytes, gain = bytes+part.bytes, gain+part.gain
		}
		if got.file != test.file || got.line != test.line || got.bytes != bytes || got.gain != gain {
			t.Errorf("%s: at %s:%d with %d bytes and a gain of %d, want %s:%d, %d and %d", name, got.file, got.line, got.bytes, got.gain, test.file, test.line, bytes, gain)
		}
	}
}
