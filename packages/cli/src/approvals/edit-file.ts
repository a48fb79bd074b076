import { contentOf, type HeldContent } from './held-content.ts';
import type { Hold } from './hold.ts';

/** A held send as a file for an editor: one header per line, then the bodies, each below its own marker line. */
export function writeEditFile(hold: Hold): string {
  const content = contentOf(hold);
  const marks = marksFor(content);
  return [
    `# The held send ${hold.id}, revision ${hold.revision}, from ${hold.from}`,
    '# Change what is wrong, save, and close the editor. You see the changes, and nothing is sent until you confirm.',
    '# One address per line. Add lines such as "Cc: a@b.c" or remove lines.',
    '# Scheduled-At is a time with an offset, or a duration such as PT2H. Leave it empty to send at once.',
    ...content.to.map((address) => `To: ${address}`),
    ...linesFor('Cc', content.cc),
    ...linesFor('Bcc', content.bcc),
    `Subject: ${content.subject}`,
    `Scheduled-At: ${content.scheduledAt}`,
    '',
    marks.text,
    content.text,
    marks.html,
    content.html,
    '',
  ].join('\n');
}

/** Without addresses, an empty header shows where to add one. */
function linesFor(name: string, addresses: readonly string[]): readonly string[] {
  return addresses.length === 0 ? [`${name}: `] : addresses.map((address) => `${name}: ${address}`);
}

export type EditFileVerdict =
  | { readonly ok: true; readonly content: HeldContent }
  /** The problem with the file, as a sentence. */
  | { readonly ok: false; readonly message: string };

/** Parses the edited file; the hold determines the marker lines. */
export function readEditFile(file: string, hold: Hold): EditFileVerdict {
  const marks = marksFor(contentOf(hold));
  const lines = file
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
  const textAt = lines.indexOf(marks.text);
  const htmlAt = lines.indexOf(marks.html, textAt + 1);
  if (textAt < 0 || htmlAt < 0)
    return { ok: false, message: `The line "${textAt < 0 ? marks.text : marks.html}" is missing.` };
  const headers = readHeaders(lines.slice(0, textAt));
  if (typeof headers === 'string') return { ok: false, message: headers };
  // Editors add a final line feed if there was none.
  const html = lines.slice(htmlAt + 1, lines.at(-1) === '' ? -1 : undefined);
  const all = (name: string) =>
    headers.filter(([given, value]) => given === name && value !== '').map(([, value]) => value);
  const one = (name: string) => all(name).at(-1) ?? '';
  return {
    ok: true,
    content: {
      ...{ to: all('to'), cc: all('cc'), bcc: all('bcc'), subject: one('subject'), scheduledAt: one('scheduled-at') },
      ...{ text: lines.slice(textAt + 1, htmlAt).join('\n'), html: html.join('\n') },
    },
  };
}

const NAMES = ['to', 'cc', 'bcc', 'subject', 'scheduled-at'];

/** The name and value of each line; a string is the error for an invalid line. */
function readHeaders(lines: readonly string[]): readonly (readonly [string, string])[] | string {
  const headers: [string, string][] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const [, name = '', value = ''] = /^([A-Za-z-]+):(.*)$/.exec(line) ?? [];
    if (!NAMES.includes(name.toLowerCase())) {
      return `Line ${index + 1} is not a To, Cc, Bcc, Subject or Scheduled-At line: ${line.slice(0, 60)}`;
    }
    headers.push([name.toLowerCase(), value.trim()]);
  }
  return headers;
}

/** Marker lines that no body contains: longer ones if a body contains the usual ones. */
function marksFor({ text, html }: HeldContent): { readonly text: string; readonly html: string } {
  const lines = new Set([...text.split('\n'), ...html.split('\n')]);
  for (let bar = '====='; ; bar += '=') {
    const marks = { text: `${bar} text ${bar}`, html: `${bar} html ${bar}` };
    if (!lines.has(marks.text) && !lines.has(marks.html)) return marks;
  }
}
