/**
 * Letters of other alphabets and digits that look like Latin letters, from Unicode's confusables (UTS 39): those that can be in host names. The
 * letters after each colon all look like the one before it.
 */
const CONFUSABLES = [
  'a:аαɑ',
  'b:Ьвβ8',
  'c:сϲ',
  'd:ԁɗ',
  'e:еєҽ3ε',
  'f:ϝſ',
  'g:ɡց9',
  'h:һհ',
  'j:јϳ',
  'k:кκ',
  'l:1|iіıӏιϊїɩ!',
  'm:мⅿ',
  'n:пո',
  'o:0оοσօдӧ',
  'p:рρ',
  'q:ԛգ',
  'r:гᴦ',
  's:ѕ5ꜱ',
  't:тτ7',
  'u:υսцʋ',
  'v:νѵ',
  'w:ԝшωա',
  'x:хχ',
  'y:уүγ',
  'z:ᴢ2',
];
const LOOKS_LIKE = new Map(
  CONFUSABLES.flatMap((line) => [...line.slice(2)].map((letter) => [letter, line.charAt(0)] as const)),
);

/**
 * What a host name looks like: names with equal skeletons are hard to tell apart. Accents are dropped, and `rn`, `vv` and `cl` become the letter that
 * they resemble.
 */
export function skeletonOf(name: string): string {
  const plain = name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  const letters = [...plain].map((letter) => LOOKS_LIKE.get(letter) ?? letter).join('');
  return letters.replaceAll('rn', 'm').replaceAll('vv', 'w').replaceAll('cl', 'd');
}

const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];

/** Whether a word mixes alphabets that no language mixes. Japanese and Korean mix theirs, and Latin letters with them. */
export function mixesAlphabets(word: string): boolean {
  return !isAscii(word) && ALPHABETS.filter((alphabet) => alphabet.test(word)).length > 1;
}

export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
