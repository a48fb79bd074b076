/** 8,000 tokens for the text and the structured form of a result together, minus the note about approval pages that may be added. */
const RESULT_TOKENS_MAX = 7_800;
const CHARACTERS_A_TOKEN = 4;
/** The most of each message body that one result shows. */
export const BODY_CHARACTERS_MAX = 4_000;

/** Whether texts fit the limit of a result: four characters per token, or one if they are not ASCII, such as Chinese. */
export function fitsIntoResult(texts: readonly string[]): boolean {
  const characters = texts.reduce((sum, text) => sum + text.length + (CHARACTERS_A_TOKEN - 1) * countOther(text), 0);
  return characters <= RESULT_TOKENS_MAX * CHARACTERS_A_TOKEN;
}

function countOther(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) count += 1;
  return count;
}

/** How much of a record is shown. */
export interface Detail {
  readonly bodyCharacters: number;
  readonly fieldCharacters: number;
  readonly rows: number;
}

/** Tried in order until a result fits; the last one fits any record. */
export const DETAILS: readonly Detail[] = [
  { bodyCharacters: BODY_CHARACTERS_MAX, fieldCharacters: 1_000, rows: 100 },
  { bodyCharacters: BODY_CHARACTERS_MAX, fieldCharacters: 300, rows: 40 },
  { bodyCharacters: 2_000, fieldCharacters: 120, rows: 20 },
  { bodyCharacters: 1_000, fieldCharacters: 60, rows: 10 },
  { bodyCharacters: 500, fieldCharacters: 40, rows: 5 },
  { bodyCharacters: 300, fieldCharacters: 30, rows: 3 },
];

const BODIES: ReadonlySet<string> = new Set(['html', 'text']);
const MAPS: ReadonlySet<string> = new Set(['headers', 'metadata']);
/** Useless when cut: the value of a DNS record. Export lines are already limited. */
const NEVER_CUT: ReadonlySet<string> = new Set(['nextCursor', 'value', 'content']);
/** A secret that is shown once, and a signed receipt. The path distinguishes them from a caller's map field of the same name. */
const WHOLE_PATHS: ReadonlySet<string> = new Set(['key', 'receipt']);
/** For events, threads and daily series, the last rows matter most. */
const NEWEST_LAST: ReadonlySet<string> = new Set(['events', 'messages', 'days']);
/** The text of a thread message: can be as long as a mail body, and is shown like one. */
const THREAD_BODY = 'messages.body';
/** The bodies in a preview. */
const PREVIEWED_BODIES: ReadonlySet<string> = new Set(['message.html', 'message.text']);

/** A record cut to size, with notes about what is missing. */
export interface Shortened<T> {
  readonly record: T;
  readonly notes: readonly string[];
}

/**
 * Cuts a record to a level of detail: bodies from `bodyOffset` on, naming the tool that shows more; other strings with a final `…`; long
 * lists and maps to their first rows (events to their last). Rows of a page are all kept, because the cursor has moved past them.
 */
export function shorten<T extends object>(
  record: T,
  detail: Detail,
  bodyOffset = 0,
  bodyTool = 'get_email',
): Shortened<T> {
  const cut: Cut = { detail, bodyOffset, bodyTool, notes: [], fields: new Set() };
  const isPage = 'nextCursor' in record;
  const entries = Object.entries(record).map(([key, value]) => [
    key,
    isPage && Array.isArray(value) ? value.map((row) => cutValue(row, key, key, cut)) : cutTop(value, key, cut),
  ]);
  const notes = [...cut.notes];
  if (cut.fields.size > 0) {
    notes.push(`Cut at ${detail.fieldCharacters} characters, with "…": ${[...cut.fields].join(', ')}. ${WHOLE}`);
  }
  // Cutting preserves types: strings stay strings, lists stay lists, and maps stay maps.
  return { record: Object.fromEntries(entries) as T, notes };
}

const WHOLE = 'The REST API and the CLI return it in full.';

interface Cut {
  readonly detail: Detail;
  readonly bodyOffset: number;
  /** The tool that shows the rest of a body. */
  readonly bodyTool: string;
  readonly notes: string[];
  readonly fields: Set<string>;
}

function cutTop(value: unknown, key: string, cut: Cut): unknown {
  return typeof value === 'string' && BODIES.has(key) ? cutBody(value, key, cut) : cutValue(value, key, key, cut);
}

function cutBody(body: string, key: string, cut: Cut): string {
  const start = cut.bodyOffset;
  const shown = body.slice(start, start + cut.detail.bodyCharacters).toWellFormed();
  const end = Math.min(body.length, start + cut.detail.bodyCharacters);
  if (start >= body.length && start > 0) cut.notes.push(`${key}: ends at character ${body.length}; nothing follows.`);
  else if (start > 0 || end < body.length) {
    const rest =
      end < body.length ? ` For the rest call ${cut.bodyTool} with body_offset ${end}.` : ' This is the end.';
    cut.notes.push(`${key}: characters ${start + 1} to ${end} of ${body.length}.${rest}`);
  }
  return shown;
}

function cutValue(value: unknown, key: string, path: string, cut: Cut): unknown {
  if (typeof value === 'string') return cutField(value, key, path, cut);
  if (Array.isArray(value)) {
    return limitRows(value, key, path, cut).map((item) => cutValue(item, key, path, cut));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = MAPS.has(key) ? limitRows(Object.entries(value), key, path, cut) : Object.entries(value);
  const inner = MAPS.has(key) ? () => path : (name: string) => `${path}.${name}`;
  return Object.fromEntries(entries.map(([name, item]) => [name, cutValue(item, name, inner(name), cut)]));
}

function limitRows<T>(rows: readonly T[], key: string, path: string, cut: Cut): readonly T[] {
  const { rows: most } = cut.detail;
  if (rows.length <= most) return rows;
  const newest = NEWEST_LAST.has(key);
  cut.notes.push(`${path}: the ${newest ? 'newest' : 'first'} ${most} of ${rows.length}. ${WHOLE}`);
  return newest ? rows.slice(-most) : rows.slice(0, most);
}

/** One note for the whole thread: `body_offset` applies to each of its messages. */
function cutThreadBody(body: string, cut: Cut): string {
  const start = cut.bodyOffset;
  const end = start + cut.detail.bodyCharacters;
  if (start > 0) noteOnce(cut, `Messages are shown from character ${start + 1} on; shorter ones are empty.`);
  if (body.length > end) {
    noteOnce(
      cut,
      `Messages are shown up to character ${end}. For the rest call ${cut.bodyTool} with body_offset ${end}.`,
    );
  }
  return body.slice(start, end).toWellFormed();
}

function noteOnce({ notes }: Cut, note: string): void {
  if (!notes.includes(note)) notes.push(note);
}

function cutField(text: string, key: string, path: string, cut: Cut): string {
  if (path === THREAD_BODY) return cutThreadBody(text, cut);
  if (PREVIEWED_BODIES.has(path)) return cutBody(text, path, cut);
  const most = cut.detail.fieldCharacters;
  if (text.length <= most || NEVER_CUT.has(key) || WHOLE_PATHS.has(path)) return text;
  cut.fields.add(path);
  return `${text.slice(0, most - 1).toWellFormed()}…`;
}
