package web

import (
	"fmt"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// A launch's details say who gave its geometry, from the host's side and from the device's,
// and so does the table of kernels.
func TestGeometryGivers(t *testing.T) {
	path := tracetest.File(t, 500, 1)
	tracetest.Change(t, path, `INSERT INTO work_detail SELECT DISTINCT a.work, 0, 1, 0, 'clause', 'environment', 'chosen' FROM activity a JOIN record r ON r.link = a.id
		JOIN site_detail d ON d.site = r.site WHERE d.kind_code = 18`)
	s := serve(t, Options{Traces: []string{path}})
	const by = "clause x environment x chosen"
	record := sums(t, s, "SELECT min(record) FROM kernels WHERE gangs_by = 'clause'")[0]
	launch := answer[detail](t, s, fmt.Sprint("/api/record?id=", record))
	for side, d := range map[string]detail{"host": launch, "device": answer[detail](t, s, fmt.Sprint("/api/activity?id=", launch.Activity))} {
		found := ""
		for _, f := range d.Fields {
			if f.Name == "geometry by" {
				found = fmt.Sprint(f.Value)
			}
		}
		if found != by {
			t.Errorf("on the %s's side the geometry is given by %q, want %q", side, found, by)
		}
	}
	if got := sums(t, s, "SELECT count(*) FROM kernels WHERE gangs_by || ' x ' || workers_by || ' x ' || vector_by = '"+by+"'")[0]; got == 0 {
		t.Error("no kernel has it")
	}
}
