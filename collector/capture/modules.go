package capture

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
)

// Module is a file that was mapped executable in the recorded process: what the
// addresses of call stacks lie in.
type Module struct {
	Start, End uint64 // addresses
	Offset     uint64 // of Start in the file
	BuildID    string // hexadecimal; "" where the file has none
	Path       string
}

// Modules reads the modules that are known by now.
func (p *Process) Modules() ([]Module, error) {
	data, err := p.readFile(modulesFile)
	if err != nil {
		return nil, err
	}
	var modules []Module
	offset := 0
	for {
		line, rest, complete := bytes.Cut(data[offset:], []byte{'\n'})
		if !complete { // the process was killed while it wrote
			return modules, nil
		}
		module, ok := parseModule(string(line))
		if !ok {
			return modules, &CorruptError{filepath.Join(p.Dir, modulesFile), int64(offset), "not a module: start, end, offset, build-id and path expected"}
		}
		modules = append(modules, module)
		offset = len(data) - len(rest)
	}
}

func parseModule(line string) (m Module, ok bool) {
	fields := strings.SplitN(line, " ", 5)
	if len(fields) != 5 {
		return m, false
	}
	for i, number := range []*uint64{&m.Start, &m.End, &m.Offset} {
		var err error
		if *number, err = strconv.ParseUint(fields[i], 16, 64); err != nil {
			return m, false
		}
	}
	m.BuildID, m.Path = strings.TrimPrefix(fields[3], "-"), fields[4]
	return m, m.Start < m.End
}
