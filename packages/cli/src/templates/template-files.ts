import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure, usageFailure } from '../failure.ts';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';

/** A template as read from its files. */
export interface LocalTemplate {
  readonly slug: string;
  /** Null if no file sets it. */
  readonly name: string | null;
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
}

const ENDINGS = ['.html', '.txt', '.json'] as const;
const SETTINGS: readonly string[] = ['name', 'subject'];

/**
 * The templates of a folder, or the one that a file belongs to, by slug.
 * @throws CliFailure if there is none, or a file is invalid.
 */
export async function readTemplateFiles(path: string, cwd: string): Promise<readonly LocalTemplate[]> {
  const place = resolve(cwd, path);
  const folder = (await isFolder(place, path)) ? place : dirname(place);
  const names = new Set((await readdir(folder)).filter((name) => ENDINGS.some((ending) => extname(name) === ending)));
  const stems = folder === place ? [...names].map(stemOf) : [stemOf(basename(place))];
  const slugs = [...new Set(stems)].sort().filter((slug) => names.has(`${slug}.html`) || names.has(`${slug}.txt`));
  if (slugs.length === 0) {
    throw usageFailure(
      `${path} contains no template`,
      'Pass a folder with <slug>.html or <slug>.txt files, or one such file.',
    );
  }
  return await Promise.all(slugs.map((slug) => readTemplate(folder, slug, names)));
}

/** Writes a template in the form that `readTemplateFiles` reads, and returns the names of the files. */
export async function writeTemplateFiles(folder: string, template: JsonRecord): Promise<readonly string[]> {
  const slug = textOf(template['slug']);
  // The server restricts slugs to these characters, but a file name must not depend on that.
  if (!/^[a-z0-9_-]+$/.test(slug)) throw new Error(`${JSON.stringify(slug)} is no name for a file`);
  const { name, subject, html, text } = template;
  const files = [
    [`${slug}.json`, `${JSON.stringify({ name, subject }, null, 2)}\n`],
    ...(typeof html === 'string' ? [[`${slug}.html`, html] as const] : []),
    ...(typeof text === 'string' ? [[`${slug}.txt`, text] as const] : []),
  ] as const;
  await mkdir(folder, { recursive: true });
  for (const [file, content] of files) await writeFile(join(folder, file), content);
  return files.map(([file]) => file);
}

async function isFolder(place: string, path: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure(`${path} cannot be read (${reason})`, 'Check the path.');
  }
}

function stemOf(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}

async function readTemplate(folder: string, slug: string, names: ReadonlySet<string>): Promise<LocalTemplate> {
  const [settings, html, text] = await Promise.all(
    ['.json', '.html', '.txt'].map(async (ending) => {
      const name = `${slug}${ending}`;
      return names.has(name) ? await readText(folder, name) : null;
    }),
  );
  const known = settings === null || settings === undefined ? {} : readSettings(`${slug}.json`, settings);
  return { slug, name: known.name ?? null, subject: known.subject ?? null, html: html ?? null, text: text ?? null };
}

async function readText(folder: string, name: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(join(folder, name)));
  } catch {
    throw fileFailure(name, 'is not UTF-8 text', 'Convert it to UTF-8.');
  }
}

function readSettings(file: string, source: string): { readonly name?: string; readonly subject?: string | null } {
  const settings = parse(file, source);
  const unknown = Object.keys(settings).filter((key) => !SETTINGS.includes(key));
  if (unknown.length > 0)
    throw fileFailure(file, `unknown fields ${unknown.join(', ')}`, 'Use only `name` and `subject`.');
  const { name, subject = null } = settings;
  if (name !== undefined && typeof name !== 'string')
    throw fileFailure(file, '`name` is not a string', 'Use a string.');
  if (subject !== null && typeof subject !== 'string') {
    throw fileFailure(file, '`subject` is not a string', 'Use a string, or omit it.');
  }
  return { ...(name === undefined ? {} : { name }), subject };
}

function parse(file: string, source: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(source);
    if (isRecord(value)) return value;
  } catch {
    // Reported like JSON that is not an object.
  }
  throw fileFailure(file, 'is not a JSON object', 'Write it as {"name": "…", "subject": "…"}.');
}

function fileFailure(file: string, what: string, fix: string): Error {
  return ownFailure(EXIT_CODES.usage, 'usage', 'Invalid template file', `${file}: ${what}`, fix);
}
