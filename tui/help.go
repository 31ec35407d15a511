package tui

// helpLines are all keys; the text's parts: live, replay and program are shown
// where they apply.
var helpLines = [][2]string{
	{"", "Views"},
	{"1 to 5", "queues, memory, kernels, events, program"},
	{"Tab, Shift-Tab", "next, previous view"},
	{"", "Rows"},
	{"up down j k", "choose a row"},
	{"PgUp PgDn", "a page up, down"},
	{"Home End", "first, last row"},
	{"Enter", "details: all fields and the source; any key closes them"},
	{"s", "sort by the next column (a click on its title does it too)"},
	{"S", "turn the order around"},
	{"/", "filter the rows by a text; Esc forgets it"},
	{"o", "kernels view: next panel (kernels, transfers, host time)"},
	{"", "Time"},
	{"+ -", "finer, coarser time scale"},
	{"left right h l", "back and forth in time"},
	{"space", "pause: the view stands, the program and the recording go on"},
	{"Esc", "back to now"},
	{"", "Replay of a trace"},
	{"space", "play, pause"},
	{"< >", "half, double speed (also , and .)"},
	{"[ ]", "back, forth by half of the time scale"},
	{"0 $", "to the start, to the end"},
	{"g", "go to a time; a click on the bar at the bottom does it too"},
	{"", "Program (run --tui)"},
	{"p", "keys go to the program; Ctrl-] brings them back"},
	{"", "Whole"},
	{"?", "this help"},
	{"Ctrl-L", "draw the screen anew"},
	{"q", "leave; the program runs on, or you are asked"},
	{"", "Lanes of the queues"},
	{"", ""},
}

func (a *app) drawHelp(c canvas) {
	height := min(len(helpLines)+7, c.h)
	width := min(78, c.w)
	in := c.part((c.w-width)/2, (c.h-height)/2, width, height).frame("Help")
	t := c.theme
	a.helpTop = max(min(a.helpTop, len(helpLines)+5-in.h), 0)
	y := -a.helpTop
	for _, l := range helpLines {
		switch {
		case l[0] == "" && l[1] == "":
		case l[0] == "":
			in.text(0, y, in.w, l[1], t.accent)
			y++
		default:
			in.text(1, y, 16, l[0], t.bold)
			in.text(18, y, in.w-18, l[1], t.plain)
			y++
		}
	}
	for _, l := range []struct {
		glyph rune
		what  activity
		text  string
	}{
		{t.glyph(kernel), kernel, "a kernel ran: measured device time"}, {t.glyph(upload), upload, "upload"}, {t.glyph(download), download, "download"},
		{t.glyph(mixed), mixed, "several operations between two frames"},
		{t.guess, kernel, "enqueued and not reported done: it runs, or its turn comes"},
		{t.unmeasured, bound, "not measured: between enqueue and wait, busy at most"}, {t.wait, waiting, "the host was blocked in a wait"}} {
		for i := range 3 {
			in.cell(1+i, y, l.glyph, t.activities[l.what])
		}
		in.text(18, y, in.w-18, l.text, t.plain)
		y++
	}
}

// glyph is what a full cell of an activity looks like.
func (t *theme) glyph(what activity) rune {
	switch {
	case what == waiting:
		return t.wait
	case what == bound:
		return t.unmeasured
	case !t.colours || t.ascii:
		return letters[what]
	}
	return '█'
}
