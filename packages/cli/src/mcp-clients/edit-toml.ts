import type { ServerEntry } from './mcp-clients.ts';

/** The tables of one server, as TOML. */
export function toTomlTables(section: string, name: string, entry: ServerEntry): string {
  return [...mainTable(section, name, entry), ...envTable(section, name, entry), ''].join('\n');
}

/**
 * Puts one server into a TOML text, or replaces our keys in its existing tables. Every other line stays. Null if the server is present in
 * another form, which would need a full TOML parser.
 */
export function putIntoToml(text: string, section: string, name: string, entry: ServerEntry): string | null {
  const { blocks, tail } = readBlocks(text);
  if (isElsewhere(blocks, section, name)) return null;
  const own = blocks.find(({ header }) => isTable(header, [section, name]));
  const inner = blocks.filter(({ header }) => INNER_TABLES.some((table) => isTable(header, [section, name, table])));
  const kept = own?.lines.slice(1).filter(isForeign(REPLACED[entry.kind])) ?? [];
  const tables = [...mainTable(section, name, entry), ...kept, ...envTable(section, name, entry)];
  const place = own ?? inner[0];
  if (place === undefined) {
    const before = text.trimEnd();
    return `${before}${before === '' ? '' : '\n\n'}${tables.join('\n')}\n`;
  }
  const isOurs = (block: Block | undefined) => block !== undefined && (block === own || inner.includes(block));
  const lines = blocks.flatMap((block, index) => {
    if (block === place) return [...block.lead, ...tables];
    if (isOurs(block)) return comments(block);
    // A blank line separates our table from the next one.
    const lead = block.lead.length === 0 && isOurs(blocks[index - 1]) ? [''] : block.lead;
    return [...lead, ...block.lines];
  });
  return [...lines, ...(tail.length === 0 ? [''] : tail)].join('\n');
}

/** Removes all tables of one server from a TOML text. Without tables the text is unchanged; null as above. */
export function removeFromToml(text: string, section: string, name: string): string | null {
  const { blocks, tail } = readBlocks(text);
  if (isElsewhere(blocks, section, name)) return null;
  const isOwn = ({ header }: Block) => isTable(header?.slice(0, 2) ?? null, [section, name]);
  if (!blocks.some(isOwn)) return text;
  const lines = blocks.flatMap((block) => (isOwn(block) ? comments(block) : [...block.lead, ...block.lines]));
  const kept = [...lines, ...tail].join('\n').trim();
  return kept === '' ? '' : `${kept}\n`;
}

/** A table with its lines, the header first, and the comments above it, which are usually about it. */
interface Block {
  /** Null for the lines before the first table. */
  readonly header: readonly string[] | null;
  readonly lead: readonly string[];
  readonly lines: string[];
}

function readBlocks(text: string): { readonly blocks: readonly Block[]; readonly tail: readonly string[] } {
  const blocks: Block[] = [{ header: null, lead: [], lines: [] }];
  let open: OpenString = '';
  for (const line of text.split('\n')) {
    // Inside a multi-line string, a line that looks like a header is text.
    const header = open === '' ? headerOf(line) : null;
    open = openAfter(line, open);
    if (header !== null) blocks.push({ header, lead: splitLead(blocks), lines: [line] });
    else blocks.at(-1)?.lines.push(line);
  }
  return { blocks, tail: splitLead(blocks) };
}

/** The delimiter of an open multi-line string; empty if none is open. */
type OpenString = '' | '"""' | "'''";

/** Matches these delimiters, and the strings, comments and escapes that can hide one. */
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

/** The blank lines and comments at the end of the last block. */
function splitLead(blocks: readonly Block[]): readonly string[] {
  const lines = blocks.at(-1)?.lines ?? [];
  const last = lines.findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line));
  return lines.splice(last + 1);
}

function comments({ lead }: Block): readonly string[] {
  return lead.filter((line) => line.trim() !== '');
}

/** The names in `[a.b."c"]`; null if the line is not a header. */
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

/** Whether the server is present in another form than tables. */
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

/** The keys that are replaced: how the server is started or reached. Those of the other kind would conflict. */
const REPLACED: Readonly<Record<ServerEntry['kind'], RegExp>> = {
  program: /^\s*(?:command|args|env|url|bearer_token_env_var|http_headers|env_http_headers)\s*=/,
  remote: /^\s*(?:command|args|env|env_vars|cwd|url|bearer_token_env_var|http_headers|env_http_headers)\s*=/,
};

/** The same as tables. */
const INNER_TABLES = ['env', 'http_headers', 'env_http_headers'] as const;

/** Finds the lines of our table to keep, such as the user's settings and comments. Multi-line lists of replaced keys are dropped whole. */
function isForeign(replaced: RegExp): (line: string) => boolean {
  let depth = 0;
  return (line) => {
    const isOurs = depth > 0 || replaced.test(line);
    if (isOurs) {
      const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*/g, '');
      depth += bare.split(/[[{]/).length - bare.split(/[\]}]/).length;
    }
    return !isOurs && line.trim() !== '';
  };
}

function mainTable(section: string, name: string, entry: ServerEntry): string[] {
  const header = `[${section}.${key(name)}]`;
  if (entry.kind === 'remote') return [header, `url = ${quote(entry.url)}`];
  return [header, `command = ${quote(entry.command)}`, `args = [${entry.args.map(quote).join(', ')}]`];
}

/** With the blank line before it; nothing for a remote server. */
function envTable(section: string, name: string, entry: ServerEntry): string[] {
  if (entry.kind === 'remote') return [];
  const variables = Object.entries(entry.env).map(([variable, value]) => `${variable} = ${quote(value)}`);
  return ['', `[${section}.${key(name)}.env]`, ...variables];
}

function key(name: string): string {
  return /^[\w-]+$/.test(name) ? name : quote(name);
}

/** For these values, a basic string of TOML has the same escapes as JSON. */
function quote(value: string): string {
  return JSON.stringify(value);
}
