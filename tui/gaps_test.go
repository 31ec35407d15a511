package tui

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// A time of which not all is known is told from its begin on, while it lasts and after it, each
// reason in a line; what was lost has its number.
func TestGapsAreTold(t *testing.T) {
	s := newScript(t)
	s.did(s.writer.SetMeta(store.GapsNoted, 1))
	for _, g := range []store.Gap{
		{Process: 1, Start: origin + 10*ms, End: origin + 14*ms, Reason: store.GapToggled},
		{Process: 1, Start: origin + 20*ms, End: origin + 30*ms, Reason: store.GapToggled},
		{Process: 1, Start: origin + 12*ms, End: origin + 14*ms, Reason: store.GapLost},
		{Process: 1, Start: origin + 26*ms, Open: true, Reason: store.GapOff},
	} {
		s.did(s.writer.SetGap(g))
	}
	s.span(model.WaitStart, 1*ms, 2*ms, -2, "", 3, nil)
	s.span(model.WaitStart, 40*ms, 41*ms, -2, "", 3, nil)
	s.did(s.writer.Commit())
	for at, want := range map[int64][]string{
		5:  nil,
		15: {"callbacks were switched off for 4 ms from 1.01 s on: what happened then is not known"},
		27: {"callbacks were switched off 2 times, for 11 ms from 1.01 s on, not over since 1.02 s: what happened then is not known",
			"capture was switched off for 1 ms from 1.03 s on, not over since 1.03 s: what happened then is not known"},
		60: {"callbacks were switched off 2 times, for 14 ms from 1.01 s on: what happened then is not known",
			"capture was switched off for 34 ms from 1.03 s on, not over since 1.03 s: what happened then is not known"},
	} {
		v, err := s.reader.At(origin + at*ms)
		if err != nil {
			t.Fatal(err)
		}
		if got := unseen(v); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("at %d ms:\n%s\nwant\n%s", at, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
