package advice

import (
	"fmt"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// What a finding's SQL takes for the end of a process by itself, and for data that a program is to
// delete, is what the rules do.
func TestEndingsInSQL(t *testing.T) {
	path := tracetest.File(t, 300, 1)
	id := 100
	for _, ended := range []string{"'exited'", "'quick_exit'", "'_exit'", "'exec'", "'killed'", "'unknown'", "NULL"} {
		for _, exit := range []string{"status 0", "status 3", "signal 9 (killed)", ""} {
			for _, failed := range []bool{false, true} {
				id++
				changes := []string{fmt.Sprintf("INSERT INTO process SELECT %d, host, %d, 1, program, arguments, NULL, NULL, start, %s, %s, runtime, 0, NULL FROM process WHERE id = 1", id, id, map[bool]string{true: "NULL", false: "end"}[ended == "NULL"], ended)}
				if exit != "" {
					changes = append(changes, fmt.Sprintf("INSERT INTO meta VALUES ('process_exit_%d', '%s')", id, exit))
				}
				if failed {
					changes = append(changes, fmt.Sprintf("INSERT INTO thread SELECT %d, %d, tid, number, name FROM thread LIMIT 1", id, id),
						fmt.Sprintf("CREATE TABLE copied AS SELECT * FROM site_detail WHERE site = 1; UPDATE copied SET site = %d, process = %d; INSERT INTO site_detail SELECT * FROM copied; DROP TABLE copied", 1000+id, id),
						fmt.Sprintf("INSERT INTO record (id, site, time, sequence) SELECT 1000000 + %d, %d, time, 0 FROM record WHERE id = 1", id, 1000+id),
						fmt.Sprintf("INSERT INTO landmark (kind, record) VALUES (100, 1000000 + %d)", id))
				}
				tracetest.Change(t, path, changes...)
			}
		}
	}
	trace := tracetest.Open(t, path)
	_, want, err := trace.Endings()
	if err != nil {
		t.Fatal(err)
	}
	got, n := map[model.ProcessID]bool{}, 0
	for s, err := range trace.Rows("reading processes", "SELECT p.process, "+byItself+" FROM processes p") {
		if err != nil {
			t.Fatal(err)
		}
		got[model.ProcessID(s.ColumnInt64(0))] = s.ColumnInt64(1) == 1
	}
	for process, own := range want {
		if got[process] != own {
			t.Errorf("process %d: %v in SQL, %v by the rules", process, got[process], own)
		}
		if own {
			n++
		}
	}
	if n < 16 || n == len(want) || len(want) < 56 {
		t.Errorf("%d of %d processes ended by themselves", n, len(want))
	}
	for c := callbacks.Construct(0); c < 40; c++ {
		name := model.ConstructName(int32(c))
		if name == "" {
			continue
		}
		for s, err := range trace.Rows("asking", "SELECT "+deletable+" FROM (SELECT ? AS construct)", name) {
			if err != nil {
				t.Fatal(err)
			}
			if in := s.ColumnInt64(0) == 1; in != model.Deletable(int32(c)) {
				t.Errorf("%s: %v in SQL", name, in)
			}
		}
	}
}
