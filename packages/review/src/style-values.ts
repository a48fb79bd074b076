import { readCssText, splitCss, unescapeCss } from './css-text.ts';
import { judgeDeclaration } from './known-properties.ts';

export type Declarations = ReadonlyMap<string, string>;

/** The declarations of a rule or an attribute that can hide text, in order. Names that begin with `?` are those that cannot be judged. */
export interface Style {
  readonly normal: Declarations;
  /** They win over all that are not important. */
  readonly important: Declarations;
}

/** More say nothing new. */
const UNCLEAR_MAX = 8;

/** Only what can hide or cover text, and what is not known, so that little is left of a long style. */
export function readStyle(style: string): Style {
  const [normal, important] = [new Map<string, string>(), new Map<string, string>()];
  let unclear = 0;
  for (const { property, value, isImportant } of parseDeclarations(style)) {
    const judged = judgeDeclaration(property, value);
    if (judged === null) continue;
    if (judged.property.startsWith('?')) unclear += 1;
    if (judged.property.startsWith('?') && unclear > UNCLEAR_MAX) continue;
    const kept = isImportant ? important : normal;
    // The last one of a name is also behind all others.
    kept.delete(judged.property);
    kept.set(judged.property, judged.value);
  }
  return { normal, important };
}

/** All properties and values in lower case; of two with one name the last counts. */
export function readDeclarations(style: string): Declarations {
  return new Map(parseDeclarations(style).map(({ property, value }) => [property, unescapeCss(value)]));
}

interface Declaration {
  readonly property: string;
  /** With its escapes. */
  readonly value: string;
  readonly isImportant: boolean;
}

function parseDeclarations(style: string): readonly Declaration[] {
  return splitCss(readCssText(style).toLowerCase(), ';').flatMap((part) => {
    const colon = part.indexOf(':');
    if (colon < 0) return [];
    const [name, given] = [part.slice(0, colon).trim(), part.slice(colon + 1).trim()];
    const important = /!\s{0,9}important$/.exec(given);
    const value = (important === null ? given : given.slice(0, important.index)).trim();
    return [{ property: unescapeCss(name), value, isImportant: important !== null }];
  });
}
