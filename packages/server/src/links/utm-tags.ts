import { maskVariables } from './web-link.ts';

/** The parameters to add to a link, in order. */
export interface UtmTags {
  readonly parameters: readonly UtmParameter[];
  /** Whether to replace parameters with these names that a link already has. Otherwise they stay. */
  readonly overrideExisting: boolean;
}

export interface UtmParameter {
  readonly name: string;
  /** In URL form, `utm_source=news%20letter`: encoded once, instead of for every link. */
  readonly text: string;
}

/** The UTM object of a request. */
export interface UtmFields {
  readonly source: string;
  readonly medium: string;
  readonly campaign: string;
  readonly term?: string | undefined;
  readonly content?: string | undefined;
  readonly override_existing: boolean;
}

/** Replaces the characters from `start` to `end` of a URL. */
export interface UrlEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function toUtmTags({ override_existing: overrideExisting, ...fields }: UtmFields): UtmTags {
  const { source, medium, campaign, term, content } = fields;
  const parameters = Object.entries({ source, medium, campaign, term, content }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name: `utm_${name}`, text: `utm_${name}=${encode(value)}` }],
  );
  return { parameters, overrideExisting };
}

/** The URL with its tags. All other characters are unchanged. */
export function tagUrl(url: string, tags: UtmTags): string {
  let tagged = '';
  let from = 0;
  for (const { start, end, text } of planUrlEdits(url, tags)) {
    tagged += url.slice(from, start) + text;
    from = end;
  }
  return tagged + url.slice(from);
}

/**
 * The edits that tag an absolute URL, in order: parameters are added after the existing query and before the fragment.
 * An existing parameter stays, or is replaced in place and its repetitions are removed.
 */
export function planUrlEdits(given: string, { parameters, overrideExisting }: UtmTags): readonly UrlEdit[] {
  const url = maskVariables(given);
  const end = indexOr(url, '#', url.length);
  const queryStart = indexOr(url.slice(0, end), '?', -1);
  const present = queryStart === -1 ? [] : parametersOf(url, queryStart + 1, end);
  const edits: UrlEdit[] = [];
  const missing: string[] = [];
  for (const { name, text } of parameters) {
    const [first, ...repetitions] = present.filter((parameter) => parameter.name === name);
    if (first === undefined) missing.push(text);
    else if (overrideExisting) {
      edits.push({ start: first.start, end: first.end, text });
      // Together with the "&" before it. The first occurrence precedes every repetition.
      for (const again of repetitions) edits.push({ start: again.start - 1, end: again.end, text: '' });
    }
  }
  if (missing.length > 0) edits.push({ start: end, end, text: joinTo(url, queryStart, end) + missing.join('&') });
  return edits.sort((a, b) => a.start - b.start || a.end - b.end);
}

interface Parameter {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function parametersOf(url: string, from: number, to: number): readonly Parameter[] {
  const parameters: Parameter[] = [];
  for (let start = from; start <= to; ) {
    const end = Math.min(to, indexOr(url, '&', to, start));
    const [name = ''] = url.slice(start, end).split('=', 1);
    parameters.push({ name: decode(name), start, end });
    start = end + 1;
  }
  return parameters;
}

/** The separator between the URL and the added parameters: browsers add a path if there is none. */
function joinTo(url: string, queryStart: number, end: number): string {
  if (queryStart === -1) return /^https?:\/\/[^/\\]*$/i.test(url.slice(0, end)) ? '/?' : '?';
  return end === queryStart + 1 || url[end - 1] === '&' ? '' : '&';
}

/** Percent-encoded, including the apostrophe, which would end an attribute. */
function encode(value: string): string {
  return encodeURIComponent(value).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decode(name: string): string {
  if (!/[%+]/.test(name)) return name;
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name; // Not valid percent-encoding, so it is not one of ours.
  }
}

function indexOr(text: string, what: string, otherwise: number, from = 0): number {
  const at = text.indexOf(what, from);
  return at === -1 ? otherwise : at;
}
