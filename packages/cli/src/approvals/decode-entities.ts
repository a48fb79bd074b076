/** Those that mails are written with, and those that hide what an address holds. The others stay as they are written. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', zwnj: '', zwj: '', ensp: ' ', emsp: ' ' },
  ...{ hellip: '…', mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bull: '•', middot: '·' },
  ...{ copy: '©', reg: '®', trade: '™', euro: '€', pound: '£', yen: '¥', cent: '¢', laquo: '«', raquo: '»', deg: '°' },
  ...{
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
    agrave: 'à',
  },
  ...{ ccedil: 'ç', ntilde: 'ñ', aacute: 'á', iacute: 'í', oacute: 'ó', uacute: 'ú', times: '×', rarr: '→', larr: '←' },
  ...{ colon: ':', sol: '/', bsol: '\\', period: '.', commat: '@', num: '#', quest: '?', equals: '=', percnt: '%' },
  ...{ lpar: '(', rpar: ')', comma: ',', semi: ';', lowbar: '_', hyphen: '-', plus: '+', Tab: '\t', NewLine: '\n' },
};

/** What browsers make of these numbers, which are controls: characters of windows-1252 (WHATWG HTML, section 13.2.5.80). */
const WINDOWS = new TextDecoder('windows-1252');

/** Character references of HTML as the characters they stand for. */
export function decodeEntities(text: string): string {
  return text.replace(REFERENCE, decode);
}

/** The same within an attribute, where `&copy=1` is part of a query and no sign (WHATWG HTML, section 13.2.5.73). */
export function decodeAttribute(value: string): string {
  return value.replace(REFERENCE, (whole, decimal, hex, name, offset: number) =>
    name !== undefined && !whole.endsWith(';') && /[=\da-z]/i.test(value[offset + whole.length] ?? '')
      ? whole
      : decode(whole, decimal, hex, name),
  );
}

const REFERENCE = /&(?:#(\d+)|#x([\da-f]+)|([a-z]{2,8}));?/gi;

function decode(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  if (code >= 0x80 && code <= 0x9f) return WINDOWS.decode(Uint8Array.of(code));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
}
