package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/escape"
)

// Screen is how a summary is drawn.
type Screen struct {
	Width  int  // columns
	Lines  int  // at most, with those of Above
	Above  int  // lines that stand above it already
	Colour bool // with the terminal's own sixteen colours
	Next   []Advice
	// HostCode says that the program carries GPU code, and that the simulated device, if
	// it ran on that, ran its host code.
	HostCode bool
}

// Advice is a command to run next, its last word, and what it shows.
type Advice struct{ Command, Subject, Shows string }

// codeNotRun is said of a run on the simulated device that left out the program's GPU code.
const codeNotRun = "Its GPU code was not run; --device sim --code gpu executes it"

// SimulatedTimes is what to know of a run on the simulated device.
const SimulatedTimes = "simulated device: times are not your GPU's"

// simulation is what to know of one whose device times are those of a card, "" for none.
func simulation(card string) string {
	if card == "" {
		return SimulatedTimes
	}
	return "device times are modelled for " + card + "; the host's are this machine's, which takes longer over a kernel"
}

// narrowest is the fewest columns that hold the figures of a table.
const narrowest = 60

// Styles of a terminal (ECMA-48 §8.3.117).
const (
	bold   = "1"
	dim    = "2"
	yellow = "33"
)

// screen is a summary that is being drawn.
type screen struct {
	Screen
	lines []string
}

// Write draws the summary. What programs say in it cannot steer the terminal.
func (s *Summary) Write(w io.Writer, how Screen) error {
	how.Width = max(how.Width, narrowest)
	d := &screen{Screen: how}
	d.figures(s)
	d.costs("kernel", "launches", s.Kernels, false)
	d.costs("variable", "copies", s.Variables, true)
	d.costs("between devices", "copies", s.Between, true)
	d.costs("construct", "count", s.Constructs, false)
	d.costs("host code outside of OpenACC", "samples", s.Code, false)
	next := d.next()
	findings := slices.Concat(s.Findings, s.Hints)
	// A blank line, and two for the first finding.
	room := d.Lines - d.Above - len(d.lines) - len(next) - 1
	gains := s.Gains[:max(min(len(s.Gains), mostGains, room-2*min(len(findings), 1)), 0)]
	d.findings(findings, room-len(gains))
	for _, g := range gains {
		d.gain(g)
	}
	if len(findings)+len(gains) > 0 && d.Above+len(d.lines)+len(next) < d.Lines {
		d.lines = append(d.lines, "")
	}
	d.lines = append(d.lines, next...)
	_, err := io.WriteString(w, strings.Join(d.lines, "\n")+"\n")
	return err
}

// next are the commands to run next, whole: what they show is left out where there is no
// room for it, and a command that takes more than a line goes on in another one, as a shell
// reads it.
func (d *screen) next() (lines []string) {
	width := 0
	for _, a := range d.Next {
		width = max(width, utf8.RuneCountInString(a.Command+" "+a.Subject))
	}
	for i, a := range d.Next {
		label := "        "
		if i == 0 {
			label = "  " + d.style(bold, "next") + "  "
		}
		whole := a.Command + " " + a.Subject
		switch room := d.Width - 8; {
		case width+2+utf8.RuneCountInString(a.Shows) <= room:
			lines = append(lines, label+fmt.Sprintf("%-*s  ", width, whole)+d.style(dim, a.Shows))
		case utf8.RuneCountInString(whole) <= room:
			lines = append(lines, label+whole)
		default:
			lines = append(lines, label+a.Command+" \\", a.Subject)
		}
	}
	return lines
}

func (d *screen) style(style, text string) string {
	if !d.Colour {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// fact is a line of a name and what there is to say.
func (d *screen) fact(name, text string) {
	d.lines = append(d.lines, "  "+d.style(bold, fmt.Sprintf("%-12s", name))+" "+cut(escape.Line(text), d.Width-15))
}

func (d *screen) figures(s *Summary) {
	d.lines = append(d.lines, "")
	if s.Simulated {
		note := simulation(s.Modelled)
		d.lines = append(d.lines, "  "+d.style(yellow, strings.ToUpper(note[:1])+note[1:]))
		if d.HostCode {
			d.lines = append(d.lines, "  "+codeNotRun)
		}
	}
	d.fact("wall time", ShowDuration(float64(s.Wall))+peak(s.Peak))
	if t := s.Device; t.Devices > 0 {
		of := func(part int64) string { return percent(part, s.Wall*int64(t.Devices)) }
		text := of(t.Busy)
		if t.AtLeast {
			text = "at least " + text
		} else {
			text += ": kernels " + of(t.Kernels) + ", transfers " + of(t.Transfer)
		}
		if t.Devices > 1 {
			text = fmt.Sprintf("%d devices: %s", t.Devices, text)
		}
		d.fact("device busy", text)
	} else if len(s.Kernels)+len(s.Variables) > 0 {
		d.fact("device busy", "not measured")
	} else if s.Idle != "" {
		d.fact("device", s.Idle+": no kernel and no transfer was recorded")
	} else {
		d.fact("device", "none was used: constructs on the host are what is measured")
	}
	if h := s.Host; h.Threads > 0 {
		of := func(part int64) string { return percent(part, h.All) }
		text := fmt.Sprintf("waiting %s, other OpenACC %s, outside %s", of(h.Waits), of(h.Calls), of(h.Outside()))
		if len(s.Constructs) > 0 {
			text = fmt.Sprintf("in OpenACC %s, outside %s", of(h.Calls+h.Waits), of(h.Outside()))
		}
		if h.Threads > 1 {
			text = fmt.Sprintf("%d threads: %s", h.Threads, text)
		}
		d.fact("host", text)
	}
	if m := s.MPI; m.Processes > 0 {
		of := func(part int64) string { return percent(part, m.Whole) }
		parts := ""
		if m.Waiting {
			parts = fmt.Sprintf(": late ranks %s, transfer %s", of(m.Waited), of(m.Time-m.Waited))
		}
		d.fact("MPI", fmt.Sprintf("calls %s%s; computation %s", of(m.Time), parts, of(max(m.Whole-m.Time, 0))))
	}
	if len(s.Frames) > 0 {
		d.fact("frames", frames(s.Frames))
	}
}

// frames says how long frames of the name took that took most, and how many names there
// are beside.
func frames(list []Frames) string {
	f := &list[0]
	text := fmt.Sprintf("%d of %s", f.Count, f.Name)
	if f.Ended > 0 {
		text += fmt.Sprintf(", on average %s, at most %s", ShowDuration(float64(f.Time)/float64(f.Ended)), ShowDuration(float64(f.Longest)))
	}
	if n := len(list) - 1; n > 0 {
		text += fmt.Sprintf("; others: %d", n)
	}
	return text
}

// peak says how much memory the device had in use that had most.
func peak(p Peak) string {
	if p.Device == "" {
		return ""
	}
	text := ", peak memory " + ShowBytes(float64(p.Bytes))
	if p.Capacity > 0 {
		text += " of " + ShowBytes(float64(p.Capacity))
	}
	if p.Others > 0 {
		return text + fmt.Sprintf(" (%s, most of %d)", p.Device, p.Others+1)
	}
	return text + " (" + p.Device + ")"
}

func percent(part, whole int64) string {
	if whole <= 0 {
		return "-"
	}
	return Show(float64(part)/float64(whole), Fraction)
}

// costs draws a small table: names left, figures right.
func (d *screen) costs(title, counted string, list []Cost, bytes bool) {
	if len(list) == 0 {
		return
	}
	names, figures := []string{title}, [][]string{{"time", "share", counted}}
	if bytes {
		figures[0] = append([]string{"bytes"}, figures[0]...)
	}
	for _, c := range list {
		name := c.Name
		if !strings.HasPrefix(name, c.Place) { // kernels are called by theirs
			name = c.Place + "  " + c.Name
		}
		if bytes {
			name = strings.TrimSpace(c.Name + "  " + c.Place)
		}
		names = append(names, escape.Line(name))
		time, share := "-", "-"
		if c.Timed {
			time, share = ShowDuration(float64(c.Time)), Show(c.Share, Fraction)
		}
		row := []string{time, share, fmt.Sprint(c.Count)}
		if bytes {
			row = append([]string{ShowBytes(float64(c.Bytes))}, row...)
		}
		figures = append(figures, row)
	}
	d.lines = append(d.lines, "")
	for i, row := range figures {
		text := ""
		for _, cell := range row {
			text += fmt.Sprintf("  %9s", cell)
		}
		room := d.Width - 2 - utf8.RuneCountInString(text)
		line := fmt.Sprintf("  %-*s%s", room, cutTitle(Shortened(names[i], room), room), text)
		if i == 0 {
			line = d.style(bold, line)
		}
		d.lines = append(d.lines, line)
	}
}

// mostGains is how much of what could be better a screen names.
const mostGains = 3

// gain draws what could be better, on one line, with what that gains at its end.
func (d *screen) gain(g Gain) {
	text := g.What
	if g.Place != "" {
		text = g.Place + "  " + text
	}
	room := d.Width - 4
	if g.Cost != "" {
		room -= utf8.RuneCountInString(g.Cost) + 2
	}
	d.finding([]string{strings.TrimRight(fmt.Sprintf("%-*s  %s", room, cut(escape.Line(text), room), g.Cost), " ")})
}

// findings draws as many as there is room for, below a blank line: the first, and
// whole, if not all.
func (d *screen) findings(list []string, room int) {
	d.lines = append(d.lines, "")
	for i, finding := range list {
		lines, allowed := wrap(escape.Line(finding), d.Width-4), room
		if i < len(list)-1 {
			allowed-- // a line for those that follow
		}
		if len(lines) > allowed && i > 0 {
			d.finding([]string{cut(fmt.Sprintf("%d more: accscope report has them", len(list)-i), d.Width-4)})
			return
		}
		if allowed = max(allowed, 1); len(lines) > allowed {
			lines = lines[:allowed]
			lines[allowed-1] = cut(lines[allowed-1]+" ...", d.Width-4)
		}
		d.finding(lines)
		room -= len(lines)
	}
}

func (d *screen) finding(lines []string) {
	for i, line := range lines {
		mark := " "
		if i == 0 {
			mark = d.style(yellow, "!")
		}
		d.lines = append(d.lines, "  "+mark+" "+line)
	}
}

// Wrap breaks a text into lines of at most width characters, at spaces alone; those after
// the first are indented.
func Wrap(text string, width int, indent string) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), indent+word
			continue
		}
		if line != "" {
			word = line + " " + word
		}
		line = word
	}
	return append(lines, line)
}

// leastProse is the fewest columns that prose is broken into.
const leastProse = 20

// Prose is a text behind what its line begins with, and a line's end: one that is wider than
// width, 0 for any, goes on below itself. Commands and what else is copied are none.
func Prose(begin, text string, width int) string {
	before := utf8.RuneCountInString(begin)
	if width == 0 || before+utf8.RuneCountInString(text) <= width {
		return begin + text + "\n"
	}
	indent := "\n" + strings.Repeat(" ", before)
	return begin + strings.Join(Wrap(text, max(width-before, leastProse), ""), indent) + "\n"
}

// wrap breaks a text into lines of at most width characters, at spaces where it
// can.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
