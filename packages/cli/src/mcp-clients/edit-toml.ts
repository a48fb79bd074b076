import type { ServerEntry } from './mcp-clients.ts';

/** The tables of one server, as TOML. */
export function toTomlTables(section: string, name: string, entry: ServerEntry): string {
  return [...mainTable(section, name, entry), '', ...envTable(section, name, entry), ''].join('\n');
}

/**
 * Puts one server into a TOML text: in the place of its tables where they stand there, of which keys that are not ours stay, as every other
 * line does. Null where the server stands there in another form, which could not be changed without reading all of TOML.
 */
export function putIntoToml(text: string, section: string, name: string, entry: ServerEntry): string | null {
  const { blocks, tail } = readBlocks(text);
  if (isElsewhere(blocks, section, name)) return null;
  const own = blocks.find(({ header }) => isTable(header, [section, name]));
  const env = blocks.filter(({ header }) => isTable(header, [section, name, 'env']));
  const fresh = [...mainTable(section, name, entry), ...(own?.lines.slice(1).filter(isForeign()) ?? []), ''];
  const tables = [...fresh, ...envTable(section, name, entry)];
  const place = own ?? env[0];
  if (place === undefined) {
    const before = text.trimEnd();
    return `${before}${before === '' ? '' : '\n\n'}${tables.join('\n')}\n`;
  }
  const isOurs = (block: Block | undefined) => block !== undefined && (block === own || env.includes(block));
  const lines = blocks.flatMap((block, index) => {
    if (block === place) return [...block.lead, ...tables];
    if (isOurs(block)) return comments(block);
    // A table that follows one of ours is set apart from it.
    const lead = block.lead.length === 0 && isOurs(blocks[index - 1]) ? [''] : block.lead;
    return [...lead, ...block.lines];
  });
  return [...lines, ...(tail.length === 0 ? [''] : tail)].join('\n');
}

/** Takes all tables of one server out of a TOML text; the text itself where it has none, and null as above. */
export function takeFromToml(text: string, section: string, name: string): string | null {
  const { blocks, tail } = readBlocks(text);
  if (isElsewhere(blocks, section, name)) return null;
  const isOwn = ({ header }: Block) => isTable(header?.slice(0, 2) ?? null, [section, name]);
  if (!blocks.some(isOwn)) return text;
  const lines = blocks.flatMap((block) => (isOwn(block) ? comments(block) : [...block.lead, ...block.lines]));
  const kept = [...lines, ...tail].join('\n').trim();
  return kept === '' ? '' : `${kept}\n`;
}

/** A table with its lines, the header being the first, and what stands above it: comments there are mostly about it. */
interface Block {
  /** Null of what stands before the first table, and of a header that is none of ours. */
  readonly header: readonly string[] | null;
  readonly lead: readonly string[];
  readonly lines: string[];
}

function readBlocks(text: string): { readonly blocks: readonly Block[]; readonly tail: readonly string[] } {
  const blocks: Block[] = [{ header: null, lead: [], lines: [] }];
  let open: OpenString = '';
  for (const line of text.split('\n')) {
    // What looks like a header in a string of several lines is a line of that.
    const header = open === '' ? headerOf(line) : null;
    open = openAfter(line, open);
    if (header !== null) blocks.push({ header, lead: takeLead(blocks), lines: [line] });
    else blocks.at(-1)?.lines.push(line);
  }
  return { blocks, tail: takeLead(blocks) };
}

/** By what a string of several lines that is open ends; empty where none is. */
type OpenString = '' | '"""' | "'''";

/** What can open or close one, and what hides that: strings of one line, comments and escapes. */
const DELIMITERS: Readonly<Record<OpenString, RegExp>> = {
  '': /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*/g,
  '"""': /\\.|"""/g,
  "'''": /'''/g,
};

function openAfter(line: string, before: OpenString): OpenString {
  let open = before;
  for (let at = 0; ; ) {
    const pattern = DELIMITERS[open];
    pattern.lastIndex = at;
    const [found] = pattern.exec(line) ?? [];
    if (found === undefined) return open;
    at = pattern.lastIndex;
    if (found === '"""' || found === "'''") open = open === '' ? found : '';
  }
}

/** Blank lines and comments at the end of what was read last. */
function takeLead(blocks: readonly Block[]): readonly string[] {
  const lines = blocks.at(-1)?.lines ?? [];
  const last = lines.findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line));
  return lines.splice(last + 1);
}

function comments({ lead }: Block): readonly string[] {
  return lead.filter((line) => line.trim() !== '');
}

/** The names in `[a.b."c"]`; null for a line that is no header. */
function headerOf(line: string): readonly string[] | null {
  const [, inside] = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/.exec(line) ?? [];
  if (inside === undefined) return /^\s*\[\[/.test(line) ? [] : null;
  return [...inside.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g)].map(([, basic, literal, bare]) => {
    return bare ?? literal ?? basic ?? '';
  });
}

function isTable(header: readonly string[] | null, path: readonly string[]): boolean {
  return header !== null && header.length === path.length && path.every((part, index) => header[index] === part);
}

/** Whether the server stands in a text as something else than tables of its own. */
function isElsewhere(blocks: readonly Block[], section: string, name: string): boolean {
  return blocks.some(({ header, lines }) =>
    lines.some((line) => isInline(line, section, name, isTable(header, [section]))),
  );
}

/** `section.name = {…}`, `section.name.field = …`, `section = {…}`, or `name = {…}` under `[section]`. */
function isInline(line: string, section: string, name: string, isSection: boolean): boolean {
  const [, left = ''] = /^\s*([\w."'-]+)\s*=/.exec(line) ?? [];
  const path = left.replace(/["']/g, '');
  const isAt = (place: string) => path === place || path.startsWith(`${place}.`);
  return path === section || isAt(`${section}.${name}`) || (isSection && isAt(name));
}

/** What says how the program is reached: ours now, or that of another way to it. */
const REPLACED = /^\s*(?:command|args|env|url|bearer_token_env_var|http_headers|env_http_headers)\s*=/;

/** Tells lines of our own table that are somebody's settings or comments from those that are replaced, lists of several lines included. */
function isForeign(): (line: string) => boolean {
  let depth = 0;
  return (line) => {
    const isOurs = depth > 0 || REPLACED.test(line);
    if (isOurs) {
      const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*/g, '');
      depth += bare.split(/[[{]/).length - bare.split(/[\]}]/).length;
    }
    return !isOurs && line.trim() !== '';
  };
}

function mainTable(section: string, name: string, { command, args }: ServerEntry): string[] {
  return [`[${section}.${key(name)}]`, `command = ${quote(command)}`, `args = [${args.map(quote).join(', ')}]`];
}

function envTable(section: string, name: string, { env }: ServerEntry): string[] {
  const variables = Object.entries(env).map(([variable, value]) => `${variable} = ${quote(value)}`);
  return [`[${section}.${key(name)}.env]`, ...variables];
}

function key(name: string): string {
  return /^[\w-]+$/.test(name) ? name : quote(name);
}

/** A basic string of TOML has the escapes of JSON, for all that can stand in these values. */
function quote(value: string): string {
  return JSON.stringify(value);
}
