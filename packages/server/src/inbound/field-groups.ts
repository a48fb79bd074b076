/** Fields by lowercase name. Each name has all its values, unfolded and trimmed. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** The largest reports of real mail have about a hundred recipients. These limits bound the work for one. */
const MAX_BYTES = 256 * 1024;
const MAX_GROUPS = 200;
const MAX_FIELDS = 200;
const FIELD = /^([!-9;-~]+)[ \t]*:(.*)$/s;

/**
 * Parses groups of header-like fields, separated by empty lines (RFC 3464, section 2.1). Lines that are not fields are
 * skipped: third-party programs wrote this, and each caller validates the fields it needs.
 */
export function readFieldGroups(content: Buffer): readonly Fields[] {
  const text = content.subarray(0, MAX_BYTES).toString('utf8');
  const groups: Fields[] = [];
  for (const block of text.split(/(?:\r?\n){2,}/, MAX_GROUPS)) {
    const fields = readFields(block);
    if (fields.size > 0) groups.push(fields);
  }
  return groups;
}

/** The header of a returned message, or as much of it as was returned. */
export function readReturnedHeader(content: Buffer): Fields {
  const text = content.subarray(0, MAX_BYTES).toString('utf8').trimStart();
  return readFields(text.split(/\r?\n\r?\n/, 1)[0] ?? '');
}

/** The first value of a name; null if absent. */
export function firstOf(fields: Fields, name: string): string | null {
  return fields.get(name)?.[0] ?? null;
}

function readFields(block: string): Fields {
  const fields = new Map<string, string[]>();
  const unfolded = block.replace(/\r?\n[ \t]+/g, ' ');
  for (const line of unfolded.split(/\r?\n/, MAX_FIELDS)) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = name.toLowerCase();
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [value.trim()]);
    else values.push(value.trim());
  }
  return fields;
}
