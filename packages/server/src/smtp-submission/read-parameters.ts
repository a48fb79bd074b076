import { decodeWords } from 'postal-mime';

/** A header value such as `text/plain; charset=utf-8`, parsed. */
export interface ParameterizedValue {
  /** In lowercase. */
  readonly value: string;
  /** By name in lowercase. The first value of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A token ends at white space, separators and comments. Quoted strings may contain anything. */
const PARAMETER = /;\s*([^\s;="()]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/g;
/** RFC 2231 §3 and §4: `name*`, `name*0`, `name*0*`. */
const EXTENDED_NAME = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/;

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/** Parses a structured value (RFC 2045 §5.1), and joins and decodes RFC 2231 parameters. */
export function readParameters(text: string): ParameterizedValue {
  const semicolon = text.indexOf(';');
  if (semicolon === -1) return { value: readValue(text), parameters: NO_PARAMETERS };
  return { value: readValue(text.slice(0, semicolon)), parameters: readList(text) };
}

function readValue(text: string): string {
  const bare = text.includes('(') ? text.replace(/\([^()]*\)/g, '') : text;
  return bare.trim().toLowerCase();
}

function readList(text: string): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  const extended = new Map<string, Section[]>();
  for (const [, given = '', quoted, token = ''] of text.matchAll(PARAMETER)) {
    const content = quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1');
    const [, name = '', number, star] = EXTENDED_NAME.exec(given.toLowerCase()) ?? [];
    if (number === undefined && star === undefined) {
      if (!plain.has(given.toLowerCase())) plain.set(given.toLowerCase(), decodeWords(content));
    } else {
      const sections = extended.get(name) ?? [];
      sections.push({ number: Number(number ?? 0), isEncoded: star !== undefined, content });
      extended.set(name, sections);
    }
  }
  for (const [name, sections] of extended) plain.set(name, joinSections(sections));
  return plain;
}

interface Section {
  readonly number: number;
  readonly isEncoded: boolean;
  readonly content: string;
}

/** The charset is before the first section, ended by an apostrophe, and applies to all sections. */
function joinSections(sections: readonly Section[]): string {
  const ordered = [...sections].sort((a, b) => a.number - b.number);
  const charset = ordered[0]?.isEncoded === true ? (/^([^']*)'[^']*'/.exec(ordered[0].content)?.[1] ?? '') : '';
  const bytes = ordered.map(({ isEncoded, content }, index) => {
    if (!isEncoded) return Buffer.from(content);
    return decodePercent(index === 0 ? content.replace(/^[^']*'[^']*'/, '') : content);
  });
  return decodeBytes(Buffer.concat(bytes), charset);
}

function decodePercent(text: string): Buffer {
  return Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** A file name in an unknown charset is decoded as well as possible: it is only a label, and the content is intact. */
function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset === '' ? 'utf-8' : charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
