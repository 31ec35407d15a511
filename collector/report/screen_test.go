package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// much is a summary with more of everything than there is room for.
func much() *Summary {
	s := &Summary{Wall: 12_345_678_901, Simulated: true,
		Device: DeviceTime{Devices: 4, Busy: 30e9, Kernels: 25e9, Transfer: 7e9},
		Host:   HostTime{Threads: 8, All: 96e9, Waits: 40e9, Calls: 6e9},
		Peak:   Peak{Device: "sim 0", Bytes: 12 << 30, Capacity: 16 << 30, Others: 3},
		Frames: []Frames{{"step \x1b[2J", 1001, 1000, 11e9, 25e6}, {Name: "checkpoint", Count: 1}},
		Kernels: []Cost{
			{Name: "Grid<double, Layout<3u>, std::allocator<double> >::scale(double, unsigned long)", Place: "a-long-name-of-a-source-file.cpp:1234", Time: 20e9, Timed: true, Share: 0.8, Count: 1_000_000},
			{Name: "main \x1b[2J", Place: "main.c:8", Time: 5e9, Timed: true, Share: 0.2, Count: 12},
			{Name: "untimed", Count: 1}},
		Variables: []Cost{{Name: "field", Place: "main.c:7", Bytes: 123 << 30, Time: 7e9, Timed: true, Share: 1, Count: 2_000_000}, {Name: "(unknown)", Bytes: 12, Count: 1}}}
	for i := range 9 {
		s.Findings = append(s.Findings, fmt.Sprintf("finding %d says at some length what was found, where, and what to do about it, on two lines of eighty columns", i+1))
	}
	return s
}

// advised is much, looked through for what could be better.
func advised() *Summary {
	s := much()
	s.Findings = s.Findings[:1]
	s.Gains = []Gain{{"main.c:8", "field was sent again 199 times, 243 MiB in all, and did not come back in between", "gains 10.5 ms"},
		{"", "work \x1b[2J", "61.0 MiB"}, {"main.c:9", "may be read before it is there", ""}, {"main.c:10", "is one too many", "gains 1 ms"}}
	return s
}

// little is a run on the host.
func little() *Summary {
	return &Summary{Wall: 1_230_000, Host: HostTime{Threads: 1, All: 1_230_000, Calls: 230_000},
		Constructs: []Cost{{Name: "parallel", Place: "main.c:8", Time: 230_000, Timed: true, Share: 1, Count: 50}}}
}

func TestScreens(t *testing.T) {
	advice := []Advice{{"accscope report", "program.accscope.db", "all tables"}, {"accscope serve", "program.accscope.db", "the timeline in a browser"}}
	for name, test := range map[string]struct {
		summary *Summary
		screen  Screen
	}{
		"much":    {much(), Screen{Width: 80, Lines: 24, Above: 1, Next: advice}},
		"wide":    {much(), Screen{Width: 120, Lines: 24, Above: 1, Next: advice}},
		"advised": {advised(), Screen{Width: 80, Lines: 24, Above: 1, Next: advice}},
		"little":  {little(), Screen{Width: 80, Lines: 24, Above: 1, Next: advice}},
		"colour":  {little(), Screen{Width: 80, Lines: 24, Above: 1, Next: advice, Colour: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var drawn bytes.Buffer
			if err := test.summary.Write(&drawn, test.screen); err != nil {
				t.Fatal(err)
			}
			golden := "testdata/summary-" + name + ".golden"
			if *update {
				if err := os.WriteFile(golden, drawn.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v; write it with -update", err)
			}
			if drawn.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", drawn.String(), want)
			}
		})
	}
}

// Whatever there is to say, the screen is not left.
func TestScreensFit(t *testing.T) {
	for _, width := range []int{1, 59, 60, 80, 132, 250} {
		for findings := range 10 {
			s := much()
			s.Findings = s.Findings[:findings]
			s.Gains = advised().Gains[:findings%5]
			s.Findings = append(s.Findings, strings.Repeat("x", 300))
			var drawn bytes.Buffer
			screen := Screen{Width: width, Lines: 24, Above: 1, Next: []Advice{{"accscope report", "t.db", "all tables"}, {"accscope serve", "t.db", "the timeline"}}}
			if err := s.Write(&drawn, screen); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(drawn.String(), "\n"), "\n")
			if len(lines)+1 > 24 {
				t.Errorf("%d columns, %d findings: %d lines\n%s", width, findings+1, len(lines)+1, drawn.String())
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > max(width, narrowest) {
					t.Errorf("%d columns: %d in %q", width, n, line)
				}
			}
			if strings.Contains(drawn.String(), "\x1b") {
				t.Error("a name steers the terminal")
			}
		}
	}
}

// The commands are whole at any width, for a shell to read: only a name that takes more
// than a line leaves the screen.
func TestNext(t *testing.T) {
	long := "/a/" + strings.Repeat("long/", 11) + "trace.db"
	for _, test := range []struct {
		width         int
		subject, want string
	}{
		{80, "t.db", "  next  accscope report t.db  all tables\n        accscope serve t.db   the timeline in a browser\n"},
		{80, long[:50], "  next  accscope report " + long[:50] + "\n        accscope serve " + long[:50] + "\n"},
		{80, long, "  next  accscope report \\\n" + long + "\n        accscope serve \\\n" + long + "\n"},
		{106, long, "  next  accscope report " + long + "  all tables\n        accscope serve " + long + "\n"},
	} {
		shows := []string{"all tables", "the timeline in a browser"}
		screen := Screen{Width: test.width, Lines: 24, Next: []Advice{{"accscope report", test.subject, shows[0]}, {"accscope serve", test.subject, shows[1]}}}
		var drawn bytes.Buffer
		if err := little().Write(&drawn, screen); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(drawn.String(), "\n\n"+test.want) {
			t.Errorf("%d columns: got\n%s\nwant\n%s", test.width, drawn.String(), test.want)
		}
	}
}

func TestCovered(t *testing.T) {
	for _, test := range []struct {
		intervals []Interval
		want      int64
	}{
		{nil, 0},
		{[]Interval{{5, 5}}, 0},
		{[]Interval{{10, 20}, {0, 5}}, 15},
		{[]Interval{{0, 10}, {2, 3}, {5, 15}}, 15},
		{[]Interval{{0, 10}, {10, 12}}, 12},
		{[]Interval{{-10, -5}, {-7, -1}}, 9},
	} {
		if got := Covered(test.intervals); got != test.want {
			t.Errorf("%v cover %d, want %d", test.intervals, got, test.want)
		}
	}
}
