package advice

import (
	"fmt"
	"path/filepath"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/store"
)

// Reverted are downloads that have brought what was transferred before, where the host had something
// else by then, as the hashes of a trace say (run --hash): what it had written is lost, and kernels in
// between have not seen it. They are unsure: the host may have used its copy for something else.
func Reverted(trace *store.Trace) ([]*check.Finding, error) {
	var list []*check.Finding
	for row, err := range trace.Rows("finding what downloads revert", `SELECT source_file, line, function, variable, bytes, async_queue, count(*) FROM (
		SELECT *, lag(content) OVER (PARTITION BY process, device, device_address, host_address, bytes ORDER BY record) AS before
		FROM host_transfers WHERE `+trace.ChosenSQL("process")+`)
		WHERE direction = 'download' AND before = content AND overwritten <> content GROUP BY source_file, line, function, variable ORDER BY source_file, line, variable`) {
		if err != nil {
			return nil, err
		}
		f := &check.Finding{
			Kind: check.LostWrite, File: row.ColumnText(0), Line: row.ColumnInt64(1), Function: row.ColumnText(2), Variable: row.ColumnText(3), Count: uint64(row.ColumnInt64(6)), Unsure: true,
		}
		at := fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		f.Instance = check.Instance{Access: "download", File: f.File, Line: f.Line, Queue: row.ColumnInt64(5), Gang: -1, Worker: -1, Lane: -1}
		f.What = fmt.Sprintf("%s is changed by the host, and the download at %s brings what the device had before that: nothing has sent the change", f.Variable, at)
		f.Change = fmt.Sprintf("send what the host has written before the kernels: update device(%s), or leave the download out", f.Variable)
		f.Called = f.Name()
		list = append(list, f)
	}
	return list, nil
}
