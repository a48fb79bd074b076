/** An MTA-STS policy (RFC 8461): which servers accept a domain's mail, and whether a sender must insist on them. */
export interface StsPolicy {
  readonly mode: 'enforce' | 'testing' | 'none';
  /** Host names in lowercase, or `*.` and a name. */
  readonly mx: readonly string[];
  readonly maxAgeSeconds: number;
}

/** RFC 8461, section 3.2. */
const MAX_AGE_SECONDS = 31_557_600;
/** More servers than any real domain has. It bounds the stored size of a policy. */
const MAX_PATTERNS = 100;
const MODES = ['enforce', 'testing', 'none'] as const;

/**
 * The id of the policy that the TXT records at `_mta-sts.<domain>` announce, or null if they announce none (RFC 8461,
 * section 3.1). A name with two such records has no policy.
 */
export function readStsRecord(records: readonly string[]): string | null {
  const announcements = records.filter((record) => /^v=STSv1[ \t]*(;|$)/.test(record));
  const [only] = announcements;
  if (only === undefined || announcements.length > 1) return null;
  const fields = only.split(';').map((field) => field.trim());
  const id = fields.find((field) => /^id[ \t]*=/.test(field))?.replace(/^id[ \t]*=[ \t]*/, '');
  return id !== undefined && /^[A-Za-z0-9]{1,32}$/.test(id) ? id : null;
}

/**
 * Parses the text of a policy. Returns null if it is invalid. If a field is repeated, the first one counts, except for
 * `mx` (section 3.2).
 */
export function readStsPolicy(text: string): StsPolicy | null {
  const fields = text
    .split(/\r?\n/)
    .map((line) => /^([A-Za-z0-9][A-Za-z0-9_.-]{0,31})[ \t]*:(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = '', value = '']) => ({ name, value: value.trim() }));
  const first = (wanted: string) => fields.find(({ name }) => name === wanted)?.value;
  const mode = MODES.find((known) => known === first('mode'));
  const maxAge = first('max_age') ?? '';
  const mx = fields.filter(({ name }) => name === 'mx').map(({ value }) => value.toLowerCase().replace(/\.$/, ''));
  if (first('version') !== 'STSv1' || mode === undefined || !/^\d{1,10}$/.test(maxAge)) return null;
  if (mode !== 'none' && (mx.length === 0 || mx.length > MAX_PATTERNS || !mx.every(isPattern))) return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS) };
}

/** Whether the policy lists this server. A wildcard matches exactly one label (section 4.1). */
export function isHostInPolicy({ mx }: StsPolicy, host: string): boolean {
  const parent = host.slice(host.indexOf('.') + 1);
  return mx.some((pattern) => pattern === host || (pattern.startsWith('*.') && pattern.slice(2) === parent));
}

function isPattern(text: string): boolean {
  return text.length <= 253 && /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}
