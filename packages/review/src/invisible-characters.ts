import type { Remark } from './finding.ts';

/** They reverse the order of the characters after them: `photo_exe.jpg` can read as `photo_gpj.exe`. */
const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/;
/** Invisible copies of ASCII: a program reads them as text. Flags of regions contain them after a black flag. */
const TAGS = /[\u{e0001}-\u{e007f}]/u;
const FLAGS = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,10}\u{e007f}/gu;
/** Zero-width characters. Scripts and emoji need some of them; beside ASCII letters and digits none is needed. */
const ZERO_WIDTH =
  /(?:\u034f|\u17b4|\u17b5|[\u00ad\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0])+/g;

/** What is invisible in a text that people decide by; null if nothing is. */
export function findInvisible(text: string): Remark | null {
  if (/^[\x20-\x7e\s]*$/.test(text)) return null;
  const kind = 'invisible-characters';
  if (OVERRIDES.test(text)) {
    const message =
      'Invisible characters change the order in which the text is shown. It may read differently from what it is.';
    return { kind, level: 'danger', message };
  }
  if (TAGS.test(text.replaceAll(FLAGS, ''))) {
    return { kind, level: 'danger', message: 'It contains invisible text, which programs can read and people cannot.' };
  }
  if (splitsWord(text)) {
    return {
      kind,
      level: 'warn',
      message: 'Invisible characters split a word, so that a search or a filter does not find it.',
    };
  }
  return null;
}

/** The text without the characters that show as nothing in Latin text. Joiners of other scripts and of emoji stay. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(/[\u00ad\u200b\u2060\ufeff]|(?<![^\0-\x7f])[\u200c\u200d]/g, '');
}

function splitsWord(text: string): boolean {
  for (const { 0: run, index } of text.matchAll(ZERO_WIDTH)) {
    if (isWordPart(text[index - 1]) && isWordPart(text[index + run.length])) return true;
  }
  return false;
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[a-z0-9.@]/i.test(character);
}
