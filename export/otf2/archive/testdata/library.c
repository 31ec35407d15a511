// Writes, with libopen-trace-format2 3.0, the archive of library.txt: what TestBytesAreTheLibrarys
// writes. gcc library.c -lotf2 && ./a.out FOLDER; the file has the bytes of each of its files.
#include <otf2/otf2.h>

static OTF2_FlushType flush(void *user, OTF2_FileType file, OTF2_LocationRef location, void *caller, bool final)
{
	return OTF2_FLUSH;
}

int main(int argc, char **argv)
{
	OTF2_FlushCallbacks cb = {.otf2_pre_flush = flush};
	OTF2_Archive *a = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1<<20, 4<<20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(a, &cb, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	OTF2_Archive_SetCreator(a, "accscope");
	OTF2_Archive_SetMachineName(a, "node1, node2");
	OTF2_Archive_SetDescription(a, "./heat 64");
	OTF2_Archive_SetProperty(a, "ACCSCOPE::LOST", "3", true);
	OTF2_Archive_OpenEvtFiles(a);
	OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
	OTF2_EvtWriter *q = OTF2_Archive_GetEvtWriter(a, 1);
	OTF2_EvtWriter *m = OTF2_Archive_GetEvtWriter(a, 2);
	OTF2_AttributeList *l = OTF2_AttributeList_New();
	uint32_t args[1] = {14};
	uint64_t t = 0x1122334455667788;
	OTF2_EvtWriter_ProgramBegin(w, NULL, t, 13, 1, args);
	OTF2_AttributeList_AddUint64(l, 0, 4096);
	OTF2_AttributeList_AddInt64(l, 1, -5);
	OTF2_AttributeList_AddSourceCodeLocationRef(l, 2, 0);
	OTF2_AttributeList_AddStringRef(l, 3, 13);
	OTF2_EvtWriter_Enter(w, l, t+1, 0);
	OTF2_EvtWriter_Enter(w, NULL, t+1, 1);
	OTF2_AttributeList_AddUint64(l, 0, 0);
	OTF2_EvtWriter_ParameterString(w, l, t+2, 0, 13);
	OTF2_EvtWriter_Leave(w, NULL, t+2, 1);
	OTF2_EvtWriter_Leave(w, NULL, t+1000, 0);
	OTF2_EvtWriter_ProgramEnd(w, NULL, t+1000, OTF2_UNDEFINED_INT64);
	OTF2_EvtWriter_Enter(q, NULL, t+5, 1);
	OTF2_EvtWriter_RmaGet(q, NULL, t+5, 0, 0, 1ull<<33, 1);
	OTF2_EvtWriter_RmaOpCompleteBlocking(q, NULL, t+9, 0, 1);
	OTF2_EvtWriter_Leave(q, NULL, t+9, 1);
	OTF2_EvtWriter_Enter(q, NULL, t+10, 1);
	OTF2_EvtWriter_RmaPut(q, NULL, t+10, 0, 0, 255, 256);
	OTF2_EvtWriter_RmaOpCompleteBlocking(q, NULL, t+10, 0, 256);
	OTF2_EvtWriter_Leave(q, NULL, t+10, 1);
	OTF2_Type ty[1] = {OTF2_TYPE_INT64};
	OTF2_MetricValue mv[1];
	mv[0].signed_int=-1;
	OTF2_EvtWriter_Metric(m, NULL, t+3, 1, 1, ty, mv);
	mv[0].signed_int=65536;
	OTF2_EvtWriter_Metric(m, NULL, t+4, 1, 1, ty, mv);
	OTF2_Archive_CloseEvtWriter(a, w);
	OTF2_Archive_CloseEvtWriter(a, q);
	OTF2_Archive_CloseEvtWriter(a, m);
	OTF2_Archive_CloseEvtFiles(a);
	OTF2_Archive_OpenDefFiles(a);
	for (int i = 0; i < 3; i++) OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i));
	OTF2_Archive_CloseDefFiles(a);
	OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
	OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, t, 1000, 1700000000000000000ull);
	char big[301];
	for (int i = 0; i < 300; i++) big[i]='z';
	big[300]=0;
	const char*s[]={"OpenACC", "bytes", "size", "delta", "", "source", "label", "job", "machine", "node1", "node", "GPU 0", "GPU", "process", "PID", "device", "main", "queue", "memory", "a.c", "compute", "canonical", "in main", "upload", "alloc", "all", "some", "window", "used", "B", big};
	for (int i = 0; i < 31; i++) OTF2_GlobalDefWriter_WriteString(g, i, s[i]);
	OTF2_AttributeValue v;
	OTF2_GlobalDefWriter_WriteParadigm(g, OTF2_PARADIGM_OPENACC, 0, OTF2_PARADIGM_CLASS_ACCELERATOR);
	v.uint8=1;
	OTF2_GlobalDefWriter_WriteParadigmProperty(g, OTF2_PARADIGM_OPENACC, OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8, v);
	OTF2_GlobalDefWriter_WriteAttribute(g, 0, 1, 2, OTF2_TYPE_UINT64);
	OTF2_GlobalDefWriter_WriteAttribute(g, 1, 3, 4, OTF2_TYPE_INT64);
	OTF2_GlobalDefWriter_WriteAttribute(g, 2, 5, 4, OTF2_TYPE_SOURCE_CODE_LOCATION);
	OTF2_GlobalDefWriter_WriteAttribute(g, 3, 6, 4, OTF2_TYPE_STRING);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 7, 8, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 1, 9, 10, 0);
	OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 2, 11, 12, 1);
	OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, 2, OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE);
	OTF2_GlobalDefWriter_WriteLocationGroup(g, 0, 13, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP);
	v.stringRef=2;
	OTF2_GlobalDefWriter_WriteLocationGroupProperty(g, 0, 14, OTF2_TYPE_STRING, v);
	OTF2_GlobalDefWriter_WriteLocationGroup(g, 1, 15, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 0);
	OTF2_GlobalDefWriter_WriteLocation(g, 0, 16, OTF2_LOCATION_TYPE_CPU_THREAD, 7, 0);
	OTF2_GlobalDefWriter_WriteLocation(g, 1, 17, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 8, 1);
	OTF2_GlobalDefWriter_WriteLocation(g, 2, 18, OTF2_LOCATION_TYPE_METRIC, 2, 1);
	OTF2_GlobalDefWriter_WriteSourceCodeLocation(g, 0, 19, 300);
	OTF2_GlobalDefWriter_WriteRegion(g, 0, 20, 21, 22, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_OPENACC, OTF2_REGION_FLAG_NONE, 19, 10, 65536);
	OTF2_GlobalDefWriter_WriteRegion(g, 1, 23, 23, 4, OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_OPENACC, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
	OTF2_GlobalDefWriter_WriteRegion(g, 2, 30, 30, 4, OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENACC, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
	uint64_t all[2]={0, 1}, some[2]={0, 1};
	OTF2_GlobalDefWriter_WriteGroup(g, 0, 25, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENACC, OTF2_GROUP_FLAG_NONE, 2, all);
	OTF2_GlobalDefWriter_WriteGroup(g, 1, 26, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENACC, OTF2_GROUP_FLAG_NONE, 2, some);
	OTF2_GlobalDefWriter_WriteComm(g, 0, 26, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteRmaWin(g, 0, 27, 0, OTF2_RMA_WIN_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteMetricMember(g, 0, 28, 4, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, 29);
	OTF2_MetricMemberRef mm[1] = {0};
	OTF2_GlobalDefWriter_WriteMetricClass(g, 0, 1, mm, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
	OTF2_GlobalDefWriter_WriteMetricInstance(g, 1, 0, 2, OTF2_SCOPE_LOCATION_GROUP, 1);
	OTF2_GlobalDefWriter_WriteMetricInstance(g, 2, 0, 2, OTF2_SCOPE_SYSTEM_TREE_NODE, 2);
	OTF2_GlobalDefWriter_WriteParameter(g, 0, 24, OTF2_PARAMETER_TYPE_STRING);
	OTF2_Archive_Close(a);
	return 0;}
