import { describe, expect, it } from 'vitest';
import { createJsonReader, JsonTextError } from '../../packages/server/src/http/json-reader.ts';

/** What the reader makes of a text that arrives in pieces of this size. */
function read(text: string | Uint8Array, pieceBytes: number): unknown {
  const bytes = Buffer.from(text as string);
  const reader = createJsonReader();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    // What was read is overwritten: the reader may keep nothing of it.
    const piece = Buffer.from(bytes.subarray(at, at + pieceBytes));
    reader.read(piece);
    piece.fill(0x78);
  }
  return reader.end();
}

const SIZES = [1, 2, 3, 5, 7, 64, 1_000, 1_000_000];

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1.5e-7, 1e21, '', 'a', {}, [], [[]], [{}], { a: {} }, { '': '' }],
  { list: [1, 'two', null, [true, { three: [] }]], 'a"b\\c': '\u0000\u001f"\\/\b\f\n\r\t\u007f' },
  ['ä', '\u{1f600}', '\ud800', 'x\udfff', '\u2028', '\uffff', '\ufeff', 'é'.repeat(100)],
  { 1: 'a', 0: 'b', z: 1, a: 2, '4294967295': 3 },
  Array.from({ length: 50 }, (_, index) => ({ index, text: '\\"'.repeat(index), more: 'x"\n'.repeat(index) })),
];

const TEXTS: readonly string[] = [
  ...VALUES.map((value) => JSON.stringify(value)),
  ...VALUES.map((value) => JSON.stringify(value, null, '\t \r\n')),
  ...[
    '{"a":1,"b":2,"a":3}',
    '{"__proto__":{"a":1},"constructor":2}',
    '{"a":{"__proto__":null}}',
    ' \n"a" ',
    ' 12 ',
    '1',
  ],
  ...['"\\ud83d\\ude00"', '"\\u0041\\\\u0041\\\\\\u0041"', '"\\/\\b\\f\\n\\r\\t"', `"${'\\\\'.repeat(99)}\\u00e4"`],
];

const NOT_JSON: readonly string[] = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '"',
    '"a',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '[1',
    '[1,',
    '[1,]',
    '{"a":1,}',
    '{,}',
    '[,1]',
  ],
  ...['1 2', '[1 2]', '{"a" 1}', '{"a":1 "b":2}', '{1:2}', "{'a':1}", '{a:1}', '[}', '{]', '[1}', '{"a":1]', ']', '}'],
  ...[',', ':', '[:]', '{"a"::1}', '{"a","b"}', '[1]]', '{}{}', '""""', '"a"1', '1"a"', '[1"a"]', '["a"1]', '[[] []]'],
  ...[
    'tru',
    'True',
    'nul',
    'NaN',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '0x1',
    'truefalse',
    '[1\u00a0]',
    '\u00a01',
    '"a"\ufeff',
  ],
  ...['"\n"', '"\t"', '"\u0000"', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\u"', '"\\', '"\\"', '"\\u12\\u1234"', '\\"a"'],
];

describe('reading JSON as it arrives', () => {
  it('builds what JSON.parse builds, however the text is split', () => {
    for (const text of TEXTS) {
      const expected: unknown = JSON.parse(text);
      for (const size of SIZES) {
        const value = read(text, size);
        expect(value, `${text} in pieces of ${size}`).toStrictEqual(expected);
        // The order of names as well.
        expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
      }
    }
  });

  it('rejects what JSON.parse rejects, however the text is split', () => {
    for (const text of NOT_JSON) {
      expect(() => JSON.parse(text), text).toThrow(SyntaxError);
      for (const size of SIZES) expect(() => read(text, size), `${text} in pieces of ${size}`).toThrow(JsonTextError);
    }
  });

  it('agrees with JSON.parse about texts with random changes', () => {
    let seed = 12_345;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const alphabet = '{}[]",:\\u0ae1-. tfn\n';
    for (let round = 0; round < 20_000; round += 1) {
      const characters = [...(TEXTS[random(TEXTS.length)] as string).slice(0, 200)];
      for (let change = random(4); change > 0; change -= 1) {
        characters.splice(random(characters.length + 1), random(3), alphabet[random(alphabet.length)] as string);
      }
      const text = characters.join('');
      expect(
        outcome(() => read(text, 1 + random(20))),
        text,
      ).toBe(outcome(() => JSON.parse(text)));
    }
  });

  it('skips a byte order mark at the beginning, and no other', () => {
    for (const size of SIZES) {
      expect(read('\ufeff{"a":"\ufeff"}', size)).toEqual({ a: '\ufeff' });
      expect(() => read('\ufeff\ufeff1', size)).toThrow(JsonTextError);
    }
  });

  it('rejects bytes that are not UTF-8', () => {
    const quoted = (...bytes: number[]) => Uint8Array.from([0x22, ...bytes, 0x22]);
    const bad = [[0xff], [0x80], [0xc3], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xf8]];
    for (const bytes of bad) {
      for (const size of SIZES) expect(() => read(quoted(...bytes), size), `${bytes}`).toThrow('UTF-8');
    }
    expect(() => read(Uint8Array.from([0x22, 0xe2, 0x82]), 2)).toThrow('UTF-8');
  });

  it('sets no prototype', () => {
    const value = read('{"__proto__":{"isAdmin":true}}', 4) as { isAdmin?: boolean };
    expect(value.isAdmin).toBeUndefined();
    expect(Object.keys(value)).toEqual(['__proto__']);
  });
});

function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonTextError) return 'not JSON';
    throw error;
  }
}
