/**
 * Normalizes the text of a reply for the patterns: lowercase letters without accents, single spaces, one form for every
 * negation, and `@` in place of the name of a user or a host.
 *
 * Names are removed because they are not the server's own words: a mailbox may be called "spam", and a domain "blocked".
 */
export function readWords(text: string): { readonly words: string; readonly named: string } {
  const separate = plainLetters(text).replace(ADDRESS, ' @ ').replace(JOINED_WORDS, ' ').toLowerCase();
  const named = SPELLINGS.reduce((words, [pattern, spelling]) => words.replace(pattern, spelling), separate);
  return { words: named.replace(LINK_OR_HOST, ' @ ').replace(/ +/g, ' ').trim(), named };
}

const ADDRESS = /[^\s<>()"',;:]{1,64}@[^\s<>()"',;:]{1,255}/g;

// Many condition names are written as one word: UserUnknown, and mailbox_full below.
const JOINED_WORDS = /(?<=[a-z])(?=[A-Z][a-z])/g;

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\((?:in reply to|while) [^()]{1,40}\)/g, ' '],
  [/\b(?:resolver|storedrv)\.(?:[a-z]{2,10}\.){0,3}(?=[a-z])/g, ' '],
  [/\bsmtpsend\.dns\.non ?existent ?domain/g, 'no such domain'],
  [/[_<>"`«»]+/g, ' '],
  [/ +/g, ' '],
  [/\be-mail/g, 'email'],
  [/\bmailaddress/g, 'mail address'],
  [/\bnosuchuser\b/g, 'no such user'],
  [/\bmail (box|drop)/g, 'mail$1'],
  [/\b(?:does|dos|did|do|is|are|was|were|has|have|had|could|can|ca|will|would) ?(?:not|n'?t)\b/g, 'not'],
  [/\bdo(?:es)? no\b(?! longer)/g, 'not'],
  [/\b(?:cannot|unable to|failed to)\b/g, 'not'],
];

const LINK_OR_HOST = /\b(?:https?:|www\.)\S{1,400}|\b(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24}\b(?:\/\S{0,400})?/g;

// Only the marks of Latin letters are removed: in Cyrillic and Japanese a mark makes a different letter.
function plainLetters(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}{1,4}/gu, '$1')
    .normalize('NFC')
    .replace(/[\u2018\u2019\u00b4]/g, "'")
    .replace(/[łßøæıё]/gi, (letter) => LETTERS[letter.toLowerCase()] ?? letter)
    .replace(/[^\x20-\x7e\p{L}\p{N}]+/gu, ' ');
}

const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ß: 'ss', ø: 'o', æ: 'ae', ı: 'i', ё: 'е' };
