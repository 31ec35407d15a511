package html

import (
	"bytes"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Times of which the trace has not all that happened are drawn in the lanes that they are of, and
// in the legend; a whole trace has none.
func TestGaps(t *testing.T) {
	path, gaps := tracetest.Toggled(t, 500)
	var page bytes.Buffer
	if err := Write(&page, tracetest.Open(t, path), export.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, g := range gaps {
		if !strings.Contains(page.String(), "<title>"+export.GapTitle+": "+g.Why()+", ") {
			t.Errorf("the page does not say %q", g.Why())
		}
	}
	const legend = "</svg>" + export.GapTitle
	if whole := written(t); !strings.Contains(page.String(), legend) || strings.Contains(whole, legend) || strings.Contains(whole, `class="gap"`) {
		t.Error("the legend is not of what is drawn")
	}
}
