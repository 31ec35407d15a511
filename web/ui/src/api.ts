// The server's JSON API (openapi.yaml).
import type { Unit } from "./format";
import { state } from "./state";

export interface Lane {
  id: number; type: "spans" | "instants" | "queue"; process: number; thread: number; queue: number; device: number;
  depth: number; first: number; last: number; count: number; busy: number; bytes: number;
}
export interface Process { id: number; host: string; pid: number; program: string; rank: number }
export interface Thread { id: number; process: number; tid: number; number: number; name: string }
export interface Device { id: number; process: number; title: string; peak: number; requested: boolean }
export interface Queue { id: number; device: number; number: number; name: string }
export interface Overview {
  name: string; damage: string; running: boolean; warnings: string[]; clocks: string;
  meta: { complete: boolean; first: number; last: number };
  ranks: { total: number; about: string }; // which ranks the lists are of
  processes: Process[]; threads: Thread[]; devices: Device[]; queues: Queue[]; lanes: Lane[]; figures: Figure[];
  annotations: { kind: string; name: string }[]; call_stacks: boolean; sampled: SampledThread[]; counted: boolean;
}
// SampledThread is a track of samples of processors; thread 0: of those without events.
export interface SampledThread { track: number; process: number; thread: number }
export interface Label { text: string; kind: string; name: string; source: string }
export interface LaneBlocks {
  lane: number; start: number[]; end: number[]; count: number[]; busy: number[]; bytes: number[]; id: number[]; label: number[]; open: number[];
  gaps: Gaps;
}
// Gaps are times of which the trace has not all that happened.
export interface Gaps { start: number[]; end: number[]; why: string[] }
export interface Timeline { from: number; to: number; labels: Label[]; lanes: LaneBlocks[] }
export interface Series { time: number[]; end: number[]; low: number[]; high: number[]; last: number[] }
export interface Figure { counter: number; host: number; process: number; gpu: number; name: string; unit: string; title: string }
export interface Sampled { figures: { counter: number; values: Series }[] }
// Samples are processor times by part of the window, by what threads were in, ns.
export interface SampleTrack { track: number; part: number[]; openacc: number[]; waiting: number[]; mpi: number[]; else: number[]; function: number[]; of: number[] }
export interface Samples { begin: number; step: number; functions: string[]; tracks: SampleTrack[] }
export interface Counters {
  device: number;
  memory: Series;
  rates: { begin: number; step: number; upload: number[]; download: number[]; mixed: number[]; measured: boolean };
}
export interface Detail {
  record: number; activity: number; title: string; kind: string; name: string; start: number; end: number; thread: number; depth: number;
  queue: number; file: string; line: number;
  fields: { name: string; value: string | number | boolean; unit: Unit; raw: boolean }[];
  parents: { record: number; title: string; start: number; end: number }[];
  stack: { address: string; function: string; file: string; line: number; module: string }[];
  device: { id: number; kind: string; name: string; start: number; end: number; bytes: number; queue: number } | null;
}
export interface Arrow { record: number; activity: number; thread: number; depth: number; from: number; queue: number; to: number }
export interface Sum { group: string; kind: string; name: string; count: number; time: number; inner: number; shortest: number; longest: number; bytes: number }
export interface Statistics { from: number; to: number; rows: Sum[]; omitted: number }
export interface QueueUse { queue: number; device: number; name: string; measured: boolean; operations: number; busy: number; bytes: number; use: number[] }
export interface Queues { from: number; to: number; queues: QueueUse[]; exact: boolean; busy_least: number; busy_most: number; at_least: number[]; overlap: number; kernels: number; transfers: number }
export interface RankUse { rank: number; host: string; busy: number; use: number[] }
export interface RankMap { from: number; to: number; ranks: number; device: boolean; rows: RankUse[]; folded: boolean; median: number[]; sampled: number; median_busy: number }
export interface Variables { from: number; to: number; variables: { name: string; peak: number; used: number[] }[]; peak: number; peak_time: number; peak_end: number; until: number }
export interface Mapping { record: number; kind: string; name: string; device: number; source: string; host: string; address: string; bytes: number; start: number; end: number }
export interface Mappings { at: number; mappings: Mapping[]; omitted: number; bytes: number; until: number }
export interface Leaks { mappings: Mapping[]; omitted: number; empty: string; open: Mapping[]; open_omitted: number; until: number }
export interface Table { key: string; title: string; note: string; empty: string; columns: { key: string; title: string; unit: Unit }[]; rows: (string | number | null)[][]; omitted: number }
export interface Report { warnings: string[]; facts: { name: string; value: string }[]; tables: Table[] }
export interface Cost { line: number; count: number; exclusive: number; device: number; bytes: number; sampled: number }
// Values are by columns of the views kernel_counters and kernel_lines; what is not known is not there.
export type Values = Record<string, number>;
export interface CountedLine { file: string; line: number; says: string; values: Values }
export interface CountedKernel { symbol: string; name: string; file: string; line: number; time: number; timed: number; card: string; values: Values }
export interface Card { card: string; modelled: boolean; operations32_rate: number; operations64_rate: number; first_level_bandwidth: number; second_level_bandwidth: number; memory_bandwidth: number }
export interface CountedKernels { kernels: CountedKernel[]; cards: Card[]; missing: string }
export interface CountedLines { symbol: string; lines: CountedLine[] }
export interface SourceFile { file: string; readable: boolean; exclusive: number; device: number; bytes: number; sampled: number; lines: Cost[]; counted: CountedLine[] }
export interface Source { file: string; first: number; lines: string[]; total: number; newer: boolean }
export interface Search { text: string; events: number; matches: { kind: string; name: string; source: string; count: number; time: number }[]; omitted: number }
export interface Next { record: number; start: number; end: number }
export interface Difference { name: string; count: number; other_count: number; host: number; other_host: number; device: number; other_device: number; bytes: number; other_bytes: number }
export interface Compare { by: string; trace: string; other: string; rows: Difference[]; omitted: number; summaries: Summary[]; totals: { metric: string; value: number; other: number }[]; cautions: string[] }
export interface CostRow { name: string; place: string; time: number; timed: boolean; share: number; bytes: number; count: number }
export interface Summary {
  wall: number; simulated: boolean; devices: number; busy: number; at_least: boolean; kernels: number; transfers: number;
  threads: number; host: number; waits: number; calls: number; mpi_ranks: number; mpi_whole: number; mpi_time: number; mpi_waited: number; mpi_waiting: boolean; peak_device: string; peak: number; capacity: number;
  cost_kernels: CostRow[]; cost_variables: CostRow[]; cost_between: CostRow[]; cost_constructs: CostRow[]; remarks: string[];
}
// Findings are yet to come while not all of the rules have been looked by.
export interface Findings { rules: number; read: number; findings: Finding[] }
export interface Finding {
  rule: string; gain_ns: number; bytes: number; count: number; subject: string; variable: string; kernel: string; file: string; line: number; function: string;
  what: string; why: string; directive: string; instead: string; confidence: string; sql: string; place: string; cost: string;
}
export interface FlameNode { name: string; file: string; line: number; count: number; host: number; device: number; bytes: number; children: FlameNode[] }
export interface Frames { frames: { record: number; kind: string; name: string; number: number; start: number; end: number }[]; omitted: number; from: number; to: number }
export interface Durations { kernel: string; count: number; total: number; shortest: number; median: number; p95: number; longest: number; slowest: number; buckets: { from: number; to: number; count: number }[] }
export interface ViewInfo { name: string; columns: string[] }
export interface Sql { columns: string[]; rows: (string | number | null)[][]; limit: string; seconds: number }
export interface TraceInfo { number: number; name: string; growing: boolean }
export interface LiveView { events: number; lost: number; errors: number; behind: number; used: number }

export type Query = Record<string, string | number | undefined>;

export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, String(value));
  const text = search.toString();
  return `/api/${path}${text ? `?${text}` : ""}`;
}

let gone = "The server does not answer: accscope serve has ended, or the connection was lost.";

// endsWithProgram tells what to say once the server has ended, as it was to.
export function endsWithProgram(then: string): string {
  gone = `The program has ended, and this page with it: ${then} shows the trace.`;
  return gone;
}

// What is limited to the ranges or frames that were chosen for all views.
const limited = ["summary", "report", "flame", "durations"];

// And to the ranks that were.
const ofRanks = ["overview", "timeline", "queues"];

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  if (limited.includes(path) && state.inside !== "") query = { inside: state.inside, ...query };
  if (ofRanks.includes(path) && state.ranks !== "") query = { ranks: state.ranks, ...query };
  return await ask<T>(address(path, query), { signal });
}

// send brings a file.
export async function send(path: string, name: string, body: Blob): Promise<void> {
  await ask(address(path, { name }), { method: "POST", body });
}

async function ask<T>(url: string, how: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, how);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error(gone);
  }
  const body = await response.json();
  if (!response.ok) throw new Error((body as { error?: string }).error ?? `the server answered ${response.status}`);
  return body as T;
}
