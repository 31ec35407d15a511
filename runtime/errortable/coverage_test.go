package errortable

import (
	"strings"
	"testing"
)

// listed are the errors that OpenACC 3.3 lists for the routines of chapter 3
// (the "Errors" of each section), by the routine's name in C. What Fortran alone
// can run into is in listedInFortran.
var listed = map[string]string{
	"acc_set_device_type":          "device_type_unavailable",                                            // 3.2.2
	"acc_set_device_num":           "device_type_unavailable device_unavailable",                         // 3.2.4
	"acc_init":                     "device_type_unavailable device_init",                                // 3.2.7
	"acc_init_device":              "device_type_unavailable device_unavailable device_init",             // 3.2.7
	"acc_shutdown":                 "device_type_unavailable device_shutdown",                            // 3.2.8
	"acc_shutdown_device":          "device_type_unavailable device_unavailable",                         // 3.2.8
	"acc_async_test":               "invalid_async",                                                      // 3.2.9
	"acc_async_test_device":        "invalid_async device_unavailable",                                   // 3.2.9
	"acc_wait":                     "invalid_async",                                                      // 3.2.10
	"acc_wait_device":              "invalid_async device_unavailable",                                   // 3.2.10
	"acc_wait_all_device":          "device_unavailable",                                                 // 3.2.10
	"acc_wait_async":               "invalid_async",                                                      // 3.2.11
	"acc_wait_device_async":        "invalid_async device_unavailable",                                   // 3.2.11
	"acc_wait_all_async":           "invalid_async",                                                      // 3.2.11
	"acc_wait_any":                 "invalid_argument invalid_async invalid_null_pointer",                // 3.2.12
	"acc_wait_any_device":          "invalid_argument invalid_async device_unavailable",                  // 3.2.12
	"acc_set_default_async":        "invalid_async",                                                      // 3.2.14
	"acc_copyin":                   "invalid_null_pointer partly_present out_of_memory",                  // 3.2.18
	"acc_create":                   "invalid_null_pointer partly_present out_of_memory",                  // 3.2.18
	"acc_copyin_async":             "invalid_null_pointer partly_present out_of_memory invalid_async",    // 3.2.18
	"acc_create_async":             "partly_present out_of_memory invalid_async",                         // 3.2.18
	"acc_copyout":                  "invalid_null_pointer not_present partly_present",                    // 3.2.19
	"acc_copyout_async":            "not_present partly_present invalid_async",                           // 3.2.19
	"acc_copyout_finalize":         "not_present partly_present",                                         // 3.2.19
	"acc_copyout_finalize_async":   "not_present invalid_async",                                          // 3.2.19
	"acc_delete":                   "invalid_null_pointer not_present partly_present",                    // 3.2.19
	"acc_delete_async":             "not_present invalid_async",                                          // 3.2.19
	"acc_delete_finalize":          "not_present partly_present",                                         // 3.2.19
	"acc_delete_finalize_async":    "not_present invalid_async",                                          // 3.2.19
	"acc_update_device":            "invalid_null_pointer not_present partly_present",                    // 3.2.20
	"acc_update_self":              "invalid_null_pointer not_present partly_present",                    // 3.2.20
	"acc_update_device_async":      "not_present invalid_async",                                          // 3.2.20
	"acc_update_self_async":        "not_present partly_present invalid_async",                           // 3.2.20
	"acc_map_data":                 "invalid_null_pointer present",                                       // 3.2.21
	"acc_unmap_data":               "invalid_null_pointer present",                                       // 3.2.22
	"acc_memcpy_to_device":         "invalid_null_pointer",                                               // 3.2.26
	"acc_memcpy_from_device":       "invalid_null_pointer",                                               // 3.2.27
	"acc_memcpy_device":            "invalid_null_pointer",                                               // 3.2.28
	"acc_attach":                   "invalid_null_pointer",                                               // 3.2.29
	"acc_detach":                   "invalid_null_pointer",                                               // 3.2.29
	"acc_attach_async":             "invalid_async",                                                      // 3.2.29
	"acc_detach_async":             "invalid_async",                                                      // 3.2.29
	"acc_memcpy_d2d":               "device_unavailable invalid_null_pointer not_present partly_present", // 3.2.30
	"acc_memcpy_d2d_async":         "invalid_async",                                                      // 3.2.30
	"acc_memcpy_device_async":      "invalid_async",                                                      // 3.2.28
	"acc_memcpy_to_device_async":   "invalid_async",                                                      // 3.2.26
	"acc_memcpy_from_device_async": "invalid_async",                                                      // 3.2.27
}

var listedInFortran = map[string]string{
	"acc_copyin":          "invalid_data_section",                  // 3.2.18
	"acc_create":          "invalid_data_section",                  // 3.2.18
	"acc_copyout":         "invalid_data_section",                  // 3.2.19
	"acc_delete_finalize": "invalid_data_section",                  // 3.2.19
	"acc_update_device":   "invalid_data_section",                  // 3.2.20
	"acc_is_present":      "invalid_argument invalid_data_section", // 3.2.25
}

// TestEveryListedErrorHasARow looks only at the table; TestConditions and
// TestFortranConditions run it.
func TestEveryListedErrorHasARow(t *testing.T) {
	for _, table := range []struct {
		language   string
		listed     map[string]string
		conditions []condition
	}{{"C", listed, routineConditions}, {"Fortran", listedInFortran, fortranConditions}} {
		rows := map[string]bool{}
		for _, c := range table.conditions {
			name, _, _ := strings.Cut(c.name, " ")
			rows[strings.TrimSuffix(name, ",")+" "+c.error] = true
		}
		for routine, errors := range table.listed {
			for _, code := range strings.Fields(errors) {
				if !rows[routine+" "+code] {
					t.Errorf("%s: no condition of %s raises acc_error_%s", table.language, routine, code)
				}
			}
		}
	}
}
