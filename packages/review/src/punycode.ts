const BASE = 36;

/** A host name with its `xn--` labels decoded (RFC 3492); labels that cannot be decoded stay. */
export function toUnicodeHost(host: string): string {
  if (!host.includes('xn--')) return host;
  return host
    .split('.')
    .map((label) => (label.startsWith('xn--') ? (decodeLabel(label.slice(4)) ?? label) : label))
    .join('.');
}

function decodeLabel(encoded: string): string | null {
  // A label of DNS has at most 63 characters. Longer ones would make the insertions below slow.
  if (encoded.length > 63) return null;
  const delimiter = encoded.lastIndexOf('-');
  const output = delimiter > 0 ? [...encoded.slice(0, delimiter)] : [];
  let [code, index, bias] = [128, 0, 72];
  for (let at = delimiter > 0 ? delimiter + 1 : 0; at < encoded.length; ) {
    const before = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(at));
      at += 1;
      if (digit === null) return null;
      index += digit * weight;
      const threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapt(index - before, length, before === 0);
    code += Math.floor(index / length);
    index %= length;
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
    output.splice(index, 0, String.fromCodePoint(code));
    index += 1;
  }
  return output.join('');
}

/** `a` to `z` are 0 to 25, and `0` to `9` are 26 to 35. */
function digitOf(code: number): number | null {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : null;
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / 700) : delta >> 1;
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > 455; k += BASE) rest = Math.floor(rest / 35);
  return k + Math.floor((36 * rest) / (rest + 38));
}
