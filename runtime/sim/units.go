package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var byteUnits = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

var timeUnits = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
}

// split takes "16 GiB" apart into 16 and "gib".
func split(s string) (float64, string, bool) {
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	return n, strings.ToLower(strings.TrimSpace(s[end:])), err == nil
}

// parseBytes reads a size such as "16GiB", "512 MB" or "4096".
func parseBytes(s string) (uint64, bool) {
	n, unit, ok := split(s)
	scale, known := byteUnits[unit]
	if n *= scale; !ok || !known || n >= 1<<62 {
		return 0, false
	}
	return uint64(math.Round(n)), true
}

// parseBandwidth reads a rate such as "25GB/s"; bytes a second.
func parseBandwidth(s string) (uint64, bool) {
	s, ok := strings.CutSuffix(strings.TrimSpace(s), "/s")
	if !ok {
		return 0, false
	}
	n, ok := parseBytes(s)
	return n, ok && n > 0
}

// parseTime reads a duration such as "5us" or "0".
func parseTime(s string) (time.Duration, bool) {
	n, unit, ok := split(s)
	if ok && n == 0 && unit == "" {
		return 0, true
	}
	scale, known := timeUnits[unit]
	if n *= float64(scale); !ok || !known || n >= 1<<62 {
		return 0, false
	}
	return time.Duration(math.Round(n)), true
}

func parseCount(s string, least, most int) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil && n >= least && n <= most
}

func parseSwitch(s string) (bool, bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "on", "true", "yes":
		return true, true
	case "0", "off", "false", "no":
		return false, true
	}
	return false, false
}

func formatBytes(n uint64) string {
	for _, u := range []struct {
		scale uint64
		name  string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.scale && n%u.scale == 0 {
			return fmt.Sprintf("%d%s", n/u.scale, u.name)
		}
	}
	return fmt.Sprintf("%dB", n)
}
