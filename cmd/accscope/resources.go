package main

// Before Go starts, resources.c sees whether there is room for it.

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -Werror
import "C"
