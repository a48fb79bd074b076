/** Creates a text of about this many characters. */
export type BodyShape = (characters: number) => string;

/**
 * HTML and text that parsers are known to be slow on: unterminated, nested, repeated and almost matching input. Each grows with the
 * requested size, so that time can be measured against size.
 */
export const HOSTILE_BODIES: Readonly<Record<string, BodyShape>> = {
  'less-than signs': repeat('<'),
  ampersands: repeat('&'),
  'unfinished references': repeat('&#'),
  'long reference': (n) => `<a href="https://a.example/?${fill('&', n)}">x</a>`,
  'numeric reference without end': (n) => `<a href="&#${fill('9', n)}">x</a>`,
  'named reference without end': (n) => `<p>&${fill('a', n)}</p>`,
  spaces: (n) => `x${fill(' ', n)}x`,
  'spaces in lines': repeat(' '.repeat(63).concat('\n')),
  'no-break spaces': repeat('\u00a0'),
  'line breaks': repeat('\n'),
  'carriage returns': repeat('\r'),
  'open tags': repeat('<a'),
  'open tags with spaces': repeat('<a '),
  'links without quotes': repeat('<a href=x>'),
  'unclosed double quotes': repeat('<a href="'),
  'unclosed single quotes': repeat("<a href='"),
  'quotes that alternate': repeat('<a href="\'">\''),
  'attributes in one tag': (n) => `<a ${fill('href=https://a.example/ ', n)}>x</a>`,
  'names without values': (n) => `<a ${fill('href ', n)}>x</a>`,
  'equals signs': (n) => `<a ${fill('=', n)}>x</a>`,
  'spaces before equals': (n) => `<a ${fill('href      ', n)}=x>`,
  'long tag name': (n) => `<a${fill('a', n)}`,
  links: repeat('<a href="https://a.example/p?q=1">x</a>'),
  'different links': (n) => numbered(n, (i) => `<a href="https://h${i}.example/p">x</a>`),
  'links to invalid hosts': (n) => numbered(n, (i) => `<a href="https://[${i}">x</a>`),
  'links in capitals': repeat('<A HREF=HTTP://X.EXAMPLE>'),
  'links within links': repeat('<a href="https://a.example">text '),
  'link with much text': (n) => `<a href="https://a.example">${fill('word ', n)}</a>`,
  'link with many elements': (n) => `<a href="https://a.example">${fill('<b>w</b> ', n)}</a>`,
  'long link': (n) => `<a href="https://a.example/${fill('p', n)}">x</a>`,
  'link of query parameters': (n) => `<a href="https://a.example/?${fill('a=1&amp;', n)}">x</a>`,
  'link of repeated parameters': (n) => `<a href="https://a.example/?${fill('utm_source=a&amp;', n)}">x</a>`,
  'link of line breaks': (n) => `<a href="${fill('\n', n)}https://a.example">x</a>`,
  'images in links': repeat('<a href="https://a.example"><img alt=""></a>'),
  'nested elements': (n) => fill('<div>', n / 2) + fill('</div>', n / 2),
  'nested tables': repeat('<table><tr><td>x'),
  'nested lists': (n) => fill('<ul><li>', n),
  'lists that close': (n) => fill('<ol><li>x', n / 2) + fill('</ol>', n / 2),
  'items without list': repeat('<li>'),
  'closing tags': repeat('</p>'),
  cells: repeat('<td>x</td>'),
  'preformatted blanks': (n) => `<pre>${fill(' \n', n)}x</pre>`,
  'preformatted spaces': (n) => `<pre>${fill(' ', n)}x</pre>`,
  'open preformatted': repeat('<pre> x'),
  comments: repeat('<!---->'),
  'open comments': repeat('<!--'),
  'dashes in a comment': (n) => `<!--${fill('-', n)}`,
  'almost closed comment': (n) => `<!--${fill('--!', n)}`,
  declarations: repeat('<!'),
  'processing instructions': repeat('<?'),
  'open styles': repeat('<style>'),
  'closed styles': repeat('<style></style>'),
  'end tags in a style': (n) => `<style>${fill('</', n)}`,
  'almost closed style': (n) => `<style>${fill('</style', n)}`,
  'open scripts': repeat('<script>'),
  'comments in a script': (n) => `<script>${fill('<!--<script>', n)}`,
  'almost closed script': (n) => `<script>${fill('</script', n)}`,
  titles: repeat('<title>'),
  'open svg': repeat('<svg>'),
  'elements in svg': (n) => `<svg>${fill('<g>', n / 2)}${fill('</g>', n / 2)}`,
  'unknown end tags in svg': (n) => `<svg>${fill('<g>', n / 2)}${fill('</x>', n / 2)}`,
  'svg that ends again and again': repeat('<svg><g><p>'),
  'different elements in svg': (n) => `<svg>${numbered(n / 2, (i) => `<g${i}>`)}${fill('</h>', n / 2)}`,
  'hidden elements': repeat('<p style="display:none">x'),
  'spaces in a style': (n) => `<p style="${fill(' ', n)}display">x</p>`,
  'semicolons in a style': (n) => `<p style="${fill(';', n)}display">x</p>`,
  'semicolons and spaces in a style': (n) => `<p style="${fill('; ', n)}display">x</p>`,
  'almost hidden': (n) => `<p style="${fill('display:', n)}">x</p>`,
  'style rules for every class': (n) =>
    `<style>${numbered(n / 2, (i) => `.a${i}{color:red}`)}</style>${numbered(n / 2, (i) => `<b class=a${i}>x`)}`,
  'style rules in doubt': (n) =>
    `<style>${numbered(n / 50, (i) => `*:nth-child(${i}){display:none}`)}</style>${fill('<b>x', n)}`,
  'class repeated in a selector': (n) => `<style>${fill('.a', n / 2)}{color:red}</style>${fill('<b class=a>x', n / 2)}`,
  'many selectors and declarations': (n) =>
    `<style>${numbered(n / 2, (i) => `.a${i},`)}b{color:red;${numbered(n / 2, (i) => `a${i}:b!important;`)}}</style>`,
  'nested style rules': (n) => `<style>${fill('@media x{a{', n)}`,
  'texts added by style rules': (n) => `<style>${numbered(n, (i) => `.a${i}::before{content:"${i}"}`)}</style>`,
  'imported style sheets': (n) => `<style>${fill('@import "', n)}`,
  'addresses in text': repeat('https://a.example '),
  'address without end': (n) => `https://${fill('a', n)}`,
  'address of brackets': (n) => `https://a.example/${fill('(', n)}`,
  'address of closing brackets': (n) => `https://a.example/${fill(')', n)}`,
  'address of punctuation': (n) => `https://a.example/${fill('.', n)}`,
  'address in markdown': repeat('[https://a.example]('),
  schemes: repeat('http://'),
  'scheme characters': repeat('a+'),
  letters: repeat('a'),
  dots: repeat('.'),
  'names with dots': repeat('a.b.'),
  hosts: (n) => numbered(n, (i) => `h${i}.example.com `),
  'mail addresses': repeat('a@b.example '),
  'at signs': repeat('@'),
  slashes: repeat('/'),
  'open braces': repeat('{{'),
  'braces and spaces': (n) => `{{${fill(' ', n)}unsubscribe_url`,
  'unsubscribe braces': repeat('{{ '),
  'unsubscribe placeholders': repeat('{{unsubscribe_url}}'),
  'almost placeholders': (n) => `unsubscribe_url${fill('{{ ', n)}`,
  'placeholder that never closes': (n) => `{{ unsubscribe_url${fill(' ', n)}`,
  'many placeholders that never close': repeat('{{                                unsubscribe_url'),
  'href without value': repeat(' href='),
  'href with quote': repeat(' href="'),
  'href with spaces': (n) => ` href${fill(' ', n)}=`,
  'nested hrefs': repeat(' href=\'# href="# '),
  'surrogate pairs': repeat('😀'),
  accents: repeat('é'),
  'combining marks': (n) => `a${fill('\u0301', n)}`,
  'equals and blanks': repeat('= '),
  'zero-width spaces': repeat('\u200b'),
  'soft hyphens in words': repeat('a\u00ad'),
  'alternating blanks': repeat('a  '),
};

/** Shapes of a single line, for subjects, names and header values. */
export const HOSTILE_LINES: Readonly<Record<string, BodyShape>> = {
  letters: repeat('a'),
  spaces: (n) => `x${fill(' ', n)}x`,
  'angle brackets': repeat('<'),
  'pairs of brackets': repeat('<>'),
  'encoded words': repeat('=?utf-8?Q?a?='),
  'almost encoded words': repeat('=?'),
  quotes: repeat('"'),
  backslashes: repeat('\\'),
  commas: repeat(','),
  addresses: repeat('a@b.example,'),
  dots: (n) => `${fill('a.', n)}@`,
  hyphens: repeat('a-'),
  references: repeat('<a@b> '),
  accents: repeat('é'),
  emoji: repeat('😀'),
  slashes: repeat('https://'),
  semicolons: repeat('a;b='),
  percents: repeat('%'),
};

function repeat(unit: string): BodyShape {
  return (characters) => fill(unit, characters);
}

function fill(unit: string, characters: number): string {
  return unit.repeat(Math.max(1, Math.floor(characters / unit.length)));
}

function numbered(characters: number, make: (index: number) => string): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < characters; index++) {
    const part = make(index);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}
