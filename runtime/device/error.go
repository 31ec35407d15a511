package device

import "fmt"

// Code is an acc_error_t value (OpenACC 3.3 §5.2.2, error events).
type Code int32

// The error codes a device can report.
const (
	Other           Code = 1
	System          Code = 2
	Execution       Code = 3
	DeviceInit      Code = 4
	DeviceShutdown  Code = 5
	Unavailable     Code = 6
	TypeUnavailable Code = 7
	WrongType       Code = 8
	OutOfMemory     Code = 9
	InvalidArgument Code = 13
)

// Error is a failure of a device or its driver.
type Error struct {
	Code    Code
	Message string // what failed and what to do about it
	// Driver is the driver's own error number (acc_error_event_info.runtime_info),
	// 0 where there is none.
	Driver uint64
	// Address and Bytes are the device memory that a kernel used and that nobody had
	// allocated, Bytes 0 where the failure is another one.
	Address Address
	Bytes   uint64
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, driver uint64, format string, args ...any) *Error {
	return &Error{Code: code, Driver: driver, Message: fmt.Sprintf(format, args...)}
}

// Also is first, an error, which says as well what went wrong then, if anything did.
func Also(first, then error) error {
	if then == nil {
		return first
	}
	if failure, ok := first.(*Error); ok {
		return Errorf(failure.Code, failure.Driver, "%s; and then: %v", failure.Message, then)
	}
	return fmt.Errorf("%w; and then: %w", first, then)
}
