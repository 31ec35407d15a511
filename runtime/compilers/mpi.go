package compilers

// MPI is the environment, values by name, in which Open MPI's launcher starts ranks as
// root and on fewer cores than ranks, as in containers, and its compiler is that of C.
func MPI() map[string]string {
	return map[string]string{
		"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
		"OMPI_MCA_rmaps_base_oversubscribe":     "1",              // version 4
		"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", // version 5
		"OMPI_CC":                               C(),
	}
}
