import type { ServerEntry } from './mcp-clients.ts';

/** The tables of one server, as TOML. */
export function toTomlTables(section: string, name: string, { command, args, env }: ServerEntry): string {
  const table = `${section}.${key(name)}`;
  return [
    `[${table}]`,
    `command = ${quote(command)}`,
    `args = [${args.map(quote).join(', ')}]`,
    '',
    `[${table}.env]`,
    ...Object.entries(env).map(([variable, value]) => `${variable} = ${quote(value)}`),
    '',
  ].join('\n');
}

/**
 * Puts the tables of one server into a TOML text, in the place of those that stand there; every other line stays as it is. Null where the
 * server stands there in another form, which could not be taken out without reading all of TOML.
 */
export function putIntoToml(text: string, section: string, name: string, entry: ServerEntry): string | null {
  const tables = toTomlTables(section, name, entry);
  const lines = text.split('\n');
  const kept: string[] = [];
  let place: number | null = null;
  let isOwn = false;
  let isSection = false;
  for (const line of lines) {
    const header = headerOf(line);
    if (header !== null) {
      isOwn = isUnder(header, [section, name]);
      isSection = header.length === 1 && header[0] === section;
    } else if (isInline(line, section, name, isSection)) return null;
    if (isOwn) place ??= kept.length;
    else kept.push(line);
  }
  if (place === null) {
    const before = text.trimEnd();
    return before === '' ? tables : `${before}\n\n${tables}`;
  }
  const rest = kept.slice(place).join('\n').trimStart();
  const before = kept.slice(0, place).join('\n').trimEnd();
  return [before, tables, rest]
    .filter((part) => part.trim() !== '')
    .join(before === '' ? '\n' : '\n\n')
    .replace(/\n{3,}$/, '\n');
}

/** The names in `[a.b."c"]`; null for every other line. */
function headerOf(line: string): readonly string[] | null {
  const [, inside] = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/.exec(line) ?? [];
  if (inside === undefined) return /^\s*\[\[/.test(line) ? [] : null;
  return [...inside.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g)].map(([, basic, literal, bare]) => {
    return bare ?? literal ?? basic ?? '';
  });
}

function isUnder(header: readonly string[], path: readonly string[]): boolean {
  return path.every((part, index) => header[index] === part);
}

/** `section.name = {…}`, `section = {…}`, or `name = {…}` under `[section]`. */
function isInline(line: string, section: string, name: string, isSection: boolean): boolean {
  const [, left = ''] = /^\s*([\w."'-]+)\s*=/.exec(line) ?? [];
  const path = left.replace(/["']/g, '');
  return (
    path === section || path === `${section}.${name}` || (isSection && (path === name || path.startsWith(`${name}.`)))
  );
}

function key(name: string): string {
  return /^[\w-]+$/.test(name) ? name : quote(name);
}

/** A basic string of TOML has the escapes of JSON, for all that can stand in these values. */
function quote(value: string): string {
  return JSON.stringify(value);
}
