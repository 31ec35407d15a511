package tui

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// fieldName is the width of the names beside a detail's fields.
const fieldName = 18

// detail is everything about one thing, shown over the view.
type detail struct {
	title  string
	fields [][2]string
	source state.Source
	top    int
	code   []codeLine // around the source's line
	noCode error      // why there is none

	table *table // of the row it is about
	id    string // of that row
}

// follow takes what the row says in the frame that was drawn. Of a row that is
// not in the table any more, what it said last stays.
func (d *detail) follow() {
	for i := range d.table.visible {
		if r := &d.table.visible[i]; r.id == d.id && r.detail != nil {
			fresh := r.detail()
			if fresh.source != d.source {
				d.source = fresh.source
				d.code, d.noCode = excerpt(d.source, 4)
			}
			d.title, d.fields = fresh.title, fresh.fields
			return
		}
	}
}

// told are the fields that have a text.
func told(fields [][2]string) [][2]string {
	return slices.DeleteFunc(fields, func(f [2]string) bool { return f[1] == "" })
}

func sourceText(s state.Source) string {
	return cmp.Or(report.ShowPlace(s.File, int64(s.Line), ""), "-")
}

// draw shows the detail in the middle of the screen.
func (d *detail) draw(c canvas) {
	const around = fieldName + 1 + 4 // beside a field's text: its name and the frame
	lines := d.lines(c.theme, min(c.w-2-around, widestText))
	width := 40
	for _, l := range lines {
		width = max(width, textWidth(l.name)+textWidth(l.text)+20)
	}
	width = min(width+4, c.w-2)
	height := min(len(lines)+2, c.h-2)
	inside := c.part((c.w-width)/2, (c.h-height)/2, width, height).frame(d.title)
	d.top = max(min(d.top, len(lines)-inside.h), 0)
	for y := 0; y < inside.h && d.top+y < len(lines); y++ {
		l := lines[d.top+y]
		if l.code {
			inside.text(0, y, inside.w, l.text, l.style)
			continue
		}
		inside.text(0, y, fieldName, l.name, c.theme.dim)
		inside.text(fieldName+1, y, inside.w-fieldName-1, l.text, l.style)
	}
}

type detailLine struct {
	name, text string
	style      tcell.Style
	code       bool
}

// widestText is where the text of a field is broken at the latest: longer lines are hard
// to read.
const widestText = 100

// lines are the fields, their texts broken at a width, and the source.
func (d *detail) lines(t *theme, width int) []detailLine {
	var lines []detailLine
	for _, f := range d.fields {
		name := f[0]
		for _, text := range wrapped(f[1], width) {
			lines = append(lines, detailLine{name: name, text: text, style: t.plain})
			name = ""
		}
	}
	if d.source.File == "" {
		return lines
	}
	place := d.source.File
	if d.source.Line > 0 {
		place = fmt.Sprintf("%s:%d", d.source.File, d.source.Line)
	}
	lines = append(lines, detailLine{name: "source", text: place, style: t.plain})
	if d.source.Function != "" {
		lines = append(lines, detailLine{name: "function", text: d.source.Function, style: t.plain})
	}
	if d.noCode != nil {
		// The place has been said.
		why := d.noCode
		var at *fs.PathError
		if errors.As(why, &at) {
			why = at.Err
		}
		return append(lines, detailLine{name: "excerpt", text: "none: " + why.Error(), style: t.dim})
	}
	lines = append(lines, detailLine{})
	for _, l := range d.code {
		style, mark := t.dim, ' '
		if l.number == int(d.source.Line) {
			style, mark = t.bold, t.marker
		}
		lines = append(lines, detailLine{text: fmt.Sprintf("%c%5d  %s", mark, l.number, l.text), style: style, code: true})
	}
	return lines
}

type codeLine struct {
	number int
	text   string
}

// excerpt reads the lines around a place of the source, if the file is here. A
// trace may name anything as a source: of a pipe nothing is read.
func excerpt(s state.Source, around int) ([]codeLine, error) {
	if s.Line <= 0 {
		return nil, nil
	}
	file, err := os.OpenFile(s.File, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe does not wait for its writer
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", s.File)
	}
	var lines []codeLine
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan() && number <= int(s.Line)+around; number++ {
		if number >= int(s.Line)-around {
			lines = append(lines, codeLine{number, strings.ReplaceAll(scanner.Text(), "\t", "    ")})
		}
	}
	return lines, scanner.Err()
}

func (d *detail) key(key *tcell.EventKey) (done bool) {
	by := steps(key, 10, 0)
	d.top += by
	return by == 0
}

// wrapped breaks text at line ends, and at blanks where a line is wider than so many
// cells. A word that is wider stays whole.
func wrapped(text string, width int) []string {
	var lines []string
	for part := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.SplitSeq(part, " ") {
			if line != "" && textWidth(line)+1+textWidth(word) > width {
				lines = append(lines, line)
				line = word
				continue
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		lines = append(lines, line)
	}
	return lines
}
