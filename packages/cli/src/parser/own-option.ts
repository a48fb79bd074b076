import { Argument, InvalidArgumentError, Option } from 'commander';
import type { OwnArgument, OwnFlag, OwnValue } from '../own-flag.ts';

/** The flag of a command that its operation does not have. */
export function toOwnOption({ flags, description, value, conflicts, implies, ...rest }: OwnFlag): Option {
  const option = new Option(flags, description);
  if (value.kind === 'choice') option.choices([...value.choices]);
  else if (value.kind !== 'switch' && value.kind !== 'text') option.argParser(parserOf(value));
  if (conflicts !== undefined) option.conflicts(conflicts);
  if (implies !== undefined) option.implies({ [implies]: true });
  return rest.default === undefined ? option : option.default(rest.default);
}

export function toOwnArgument({ name, description, value }: OwnArgument): Argument {
  return new Argument(`<${name}>`, description).argParser(parserOf(value));
}

function parserOf(value: OwnValue): (text: string, previous: unknown) => unknown {
  switch (value.kind) {
    case 'texts':
      return (text, previous) => [...(Array.isArray(previous) ? previous : []), text];
    case 'number':
      return (text) => parseNumber(text, value);
    case 'form':
      return (text) => parseForm(text, value);
    case 'url':
      return parseUrl;
    default:
      return (text) => text;
  }
}

function parseNumber(text: string, { min, max, fix }: Extract<OwnValue, { kind: 'number' }>): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(fix);
}

function parseForm(text: string, { pattern, letters, fix }: Extract<OwnValue, { kind: 'form' }>): string {
  const changed = letters === 'upper' ? text.toUpperCase() : letters === 'lower' ? text.toLowerCase() : text;
  if (new RegExp(pattern).test(changed)) return changed;
  throw new InvalidArgumentError(fix);
}

function parseUrl(text: string): string {
  // A URL parser reads `localhost:` as a scheme.
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href;
  throw new InvalidArgumentError('Use a URL such as http://localhost:3000/webhooks.');
}
