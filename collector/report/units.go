package report

import (
	"fmt"
	"strconv"

	"github.com/accscope/accscope/collector/model"
)

// Show renders a value for people: 12.3 ms, 4.0 MiB, 37.5%. Unknown values show
// as a dash.
func Show(value any, unit Unit) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case string:
		if unit == Variables {
			return model.Few(v)
		}
		return v
	case int64:
		return showNumber(float64(v), v, unit)
	case float64:
		return showNumber(v, int64(v), unit)
	}
	return fmt.Sprint(value)
}

func showNumber(value float64, whole int64, unit Unit) string {
	switch unit {
	case Nanoseconds:
		return ShowDuration(value)
	case Bytes:
		return ShowBytes(value)
	case BytesPerSecond:
		return showDecimal(value, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
	case Fraction:
		return fmt.Sprintf("%.1f%%", value*100)
	case Address:
		return "0x" + strconv.FormatUint(uint64(whole), 16)
	case Count:
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

// ShowDuration renders nanoseconds with three significant digits.
func ShowDuration(nanoseconds float64) string {
	magnitude := nanoseconds
	if magnitude < 0 {
		magnitude = -magnitude
	}
	switch {
	case magnitude < 1e3:
		return digits(nanoseconds) + " ns"
	case magnitude < 1e6:
		return digits(nanoseconds/1e3) + " us"
	case magnitude < 1e9:
		return digits(nanoseconds/1e6) + " ms"
	case magnitude < 60e9:
		return digits(nanoseconds/1e9) + " s"
	}
	seconds := int64(nanoseconds / 1e9)
	if seconds < 3600 {
		return fmt.Sprintf("%d min %02d s", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d h %02d min", seconds/3600, seconds/60%60)
}

// SizeUnits are the units in which people may give sizes, in bytes.
var SizeUnits = map[string]int64{"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// ShowBytes renders a size in binary units.
func ShowBytes(bytes float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for (bytes >= 1024 || bytes <= -1024) && i < len(units)-1 {
		bytes /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", bytes)
	}
	return digits(bytes) + " " + units[i]
}

func showDecimal(value float64, units ...string) string {
	i := 0
	for value >= 1000 && i < len(units)-1 {
		value /= 1000
		i++
	}
	return digits(value) + " " + units[i]
}

// digits renders a number with about three significant digits.
func digits(value float64) string {
	magnitude := value
	if magnitude < 0 {
		magnitude = -magnitude
	}
	switch {
	case magnitude >= 100 || magnitude == 0 || value == float64(int64(value)) && magnitude < 10:
		return strconv.FormatFloat(value, 'f', 0, 64)
	case magnitude >= 10:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 2, 64)
}
