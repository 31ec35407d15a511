package web

import (
	"fmt"
	"strconv"
)

// place is file:line as tables show it, "" where the runtime told no file.
func place(file string, line int32) string {
	if file == "" {
		return ""
	}
	if line < 0 {
		return file
	}
	return file + ":" + strconv.Itoa(int(line))
}

// address is an address as people read it; numbers of 64 bits would lose digits
// in JSON.
func address(a uint64) string { return fmt.Sprintf("0x%x", a) }

// byteCount keeps sizes within what JSON numbers hold exactly; -1 is unknown.
func byteCount(n uint64) int64 {
	if n > 1<<53 {
		return -1
	}
	return int64(n)
}
