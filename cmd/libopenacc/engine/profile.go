//go:build profile

package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

// Built with the tag profile, the library notes where its first second goes, for
// runtime/bench/profile, in the file that ACCSCOPE_ENGINE_PROFILE names.
func init() {
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
		time.Sleep(time.Second)
		pprof.StopCPUProfile()
	}()
}
