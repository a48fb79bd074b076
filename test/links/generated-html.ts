import type { SeededRandom } from '../harness/seeded-random.ts';

type Choices = readonly [string, ...string[]];

const URLS: Choices = [
  'https://shop.test/a',
  'http://shop.test/?q=1&amp;r=2',
  'https://shop.test/?a=1&b=2#top',
  'HTTPS://shop.test?utm_source=x&utm_source=y',
  ' https://shop.test/space ',
  'https://shop.test/&#x26;x&#61;1',
  'https://shop.test/?copy=1&copy=2&not=3&notin;=4',
  'https://shop.test/{{name}}',
  'mailto:a@b.test',
  'tel:+4912345',
  '#top',
  '/relative',
  'https://shop.test/über?ä=ö',
  'https://shop.test/a\nb',
  '',
  'https://',
];
const NAMES: Choices = ['a', 'A', 'area', 'a', 'a'];
const OTHER_TAGS: Choices = [
  'p',
  'div',
  'td',
  'table',
  'tr',
  'b',
  'span',
  'abbr',
  'article',
  'ul',
  'li',
  'br',
  'img',
  'h1',
  'template',
  'body',
  'html',
  'noscript',
  'form',
];
const RAW_TEXT: Choices = ['style', 'script', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'STYLE'];
const ATTRIBUTES: Choices = [
  'class="b"',
  "title='a > b'",
  'alt="<a href=\'https://no.test\'>"',
  'disabled',
  'href-lang=x',
  'data-href="https://no.test"',
  '"',
  '=',
  '=href',
  "'",
  '/',
  'x=y/',
  'data-no-track',
  'DATA-UNSUBSCRIBE=""',
  'style = "a"',
  '<b',
];
const TEXTS: Choices = [
  'Hello ',
  ' a < b ',
  '&amp;',
  '<',
  '< a href="https://no.test">',
  '</',
  '</ a>',
  '</>',
  ' > ',
  '"',
  "'",
  '-->',
  '\n',
  ']]>',
  '<3',
];
const COMMENTS: Choices = [
  '<!-- <a href="https://no.test"> -->',
  '<!-->',
  '<!--->',
  '<!---->',
  '<!--!><a href="https://no.test">-->',
  '<!---!><a href="https://no.test">-->',
  '<!-- a --!>',
  '<!-- a -- > <a href="https://no.test"> -->',
  '<!--[if mso]><a href="https://no.test">x</a><![endif]-->',
  '<!--[if !mso]><!-->',
  '<!--<![endif]-->',
  '<![if !mso]>',
  '<![endif]>',
  '<!DOCTYPE html "a>',
  '<?xml version="1.0"?>',
  '<!a href="https://no.test">',
  '<![CDATA[<a href="https://no.test">]]>',
  '<!--<!-- <a href="https://no.test"> -->',
];
const SCRIPTS: Choices = [
  'var a = "<a href=\'https://no.test\'>";',
  '<!-- <script> </script> <a href="https://no.test"> -->',
  '<!-- </script',
  '<!--> <script>',
  '</scripty>',
  '</ script>',
];
const SVG: Choices = [
  '<g>',
  '<g><rect/></g>',
  '<path d="M0"/>',
  '<a href="https://no.test">',
  '<a href="https://no.test">x</a>',
  'text',
  '<style>a > b </style>',
  '<![CDATA[ <a href="https://no.test"> ]]>',
  '<!-- </svg> -->',
];

/** A page of markup as users and editors write it, valid and invalid. */
export function generateHtml(random: SeededRandom): string {
  return Array.from({ length: random.integer(1, 25) }, () => generatePiece(random)).join('');
}

function generatePiece(random: SeededRandom): string {
  const kind = random.integer(0, 99);
  if (kind < 35) return generateLink(random);
  if (kind < 50) return random.pick(TEXTS);
  if (kind < 70) return generateTag(random);
  if (kind < 82) return random.pick(COMMENTS);
  if (kind < 92) return generateRawText(random);
  if (kind < 98) return generateSvg(random);
  return random.pick([
    '<a href="https://shop.test/',
    '<!-- never',
    '<title>never',
    '<plaintext>',
    '<a ',
    '<',
    '</body>',
    '</a title="',
  ]);
}

function generateLink(random: SeededRandom): string {
  const before = generateAttributes(random);
  const after = generateAttributes(random);
  return `<${random.pick(NAMES)}${before}${generateHref(random)}${after}${random.pick(['>', ' >', '/>', ' />'])}text${random.pick(['</a>', '</A >', ''])}`;
}

function generateHref(random: SeededRandom): string {
  const name = random.pick([' href', ' HREF', ' Href', '\nhref', ' href href']);
  const equals = random.pick(['=', ' = ', '=\n']);
  const url = random.pick(URLS);
  const form = random.integer(0, 9);
  if (form < 6) return `${name}${equals}"${url}"`;
  if (form < 8) return `${name}${equals}'${url}'`;
  return /[\s"'>]/.test(url) || url === '' ? name : `${name}${equals}${url}`;
}

function generateAttributes(random: SeededRandom): string {
  return Array.from(
    { length: random.integer(0, 3) },
    () => random.pick([' ', '\n', '  ']) + random.pick(ATTRIBUTES),
  ).join('');
}

function generateTag(random: SeededRandom): string {
  const name = random.pick(OTHER_TAGS);
  return random.chance(0.3) ? `</${name}>` : `<${name}${generateAttributes(random)}>`;
}

function generateRawText(random: SeededRandom): string {
  const name = random.pick(RAW_TEXT);
  const content =
    name === 'script'
      ? random.pick(SCRIPTS)
      : random.pick(['<a href="https://no.test">', '<!-- ', 'a & b', `</${name}y>`, `</ ${name}>`]);
  return `<${name}>${content}</${random.pick([name, name.toUpperCase()])}${random.pick(['>', ' >', '/>', '\n>'])}`;
}

function generateSvg(random: SeededRandom): string {
  const name = random.pick(['svg', 'math']);
  const content = Array.from({ length: random.integer(0, 5) }, () => random.pick(SVG)).join('');
  return `<${name}${random.pick(['', ' width="1"', '/', ' /', ' a=b/'])}>${content}${random.pick([`</${name}>`, `</${name}>`, '<p>', '</p>'])}`;
}
