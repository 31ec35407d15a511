package main

import (
	"fmt"
	"path/filepath"

	"github.com/accscope/accscope/runtime/source"
)

// slowDebugInfo is the size from which the first look-up is noticed where debug
// information must be decompressed or searched.
const slowDebugInfo = 8 << 20

// programFindings says what accscope will know of a program's source.
func programFindings(path string) findingGroup {
	group := findingGroup{title: "program " + path}
	image, err := source.Open(path)
	if err != nil {
		group.needed = true
		group.findings = []finding{{"debug information", false, err.Error(), "give an ELF program or shared library"}}
		return group
	}
	defer image.Close()
	info := image.DebugInfo()
	if info.Path == "" {
		group.findings = []finding{{"debug information", false, "none: events have no lines and few variables", "compile with -g"}}
		return group
	}
	where := ""
	if filepath.Clean(info.Path) != filepath.Clean(path) {
		where = " in " + info.Path
	}
	text := fmt.Sprintf("%.1f KiB%s", float64(info.Bytes)/(1<<10), where)
	if info.Bytes >= 1<<20 {
		text = fmt.Sprintf("%.1f MiB%s", float64(info.Bytes)/(1<<20), where)
	}
	group.findings = append(group.findings, finding{"debug information", true, text, ""})
	switch {
	case info.Bytes < slowDebugInfo:
	case info.Compressed:
		group.findings = append(group.findings, finding{"first look-up", false, "slow, up to a second: the sections are compressed",
			"link with -gz=none"})
	case !info.Indexed:
		group.findings = append(group.findings, finding{"first look-up", false, "slow, up to a second: there is no .debug_aranges",
			"compile with -gdwarf-aranges or with GCC"})
	}
	return group
}
