//go:build profile

package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

// Built with the tag profile, the library notes where its time goes, for runtime/bench/profile,
// in the file that ACCSCOPE_ENGINE_PROFILE names: its first second, or what
// ACCSCOPE_ENGINE_PROFILE_TIME says (10s).
func init() {
	length := time.Second
	if text := os.Getenv("ACCSCOPE_ENGINE_PROFILE_TIME"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			fmt.Fprintln(os.Stderr, "accscope: ACCSCOPE_ENGINE_PROFILE_TIME:", err)
			os.Exit(1)
		}
	}
	file, err := os.Create(os.Getenv("ACCSCOPE_ENGINE_PROFILE"))
	if err == nil {
		runtime.SetCPUProfileRate(1000) // StartCPUProfile says that it leaves this as it is
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "accscope: ACCSCOPE_ENGINE_PROFILE:", err)
		os.Exit(1)
	}
	go func() {
		time.Sleep(length)
		pprof.StopCPUProfile()
	}()
}
