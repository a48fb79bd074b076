import { isUtf8 } from 'node:buffer';

/** Repeated parameters become arrays, which only repeatable schemas accept, so that no parameter is silently ignored. */
export function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // No prototype: `__proto__` is a normal name here.
  if (text === '') return query;
  for (const [name, value] of readQueryPairs(text)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else query[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return query;
}

/**
 * The names and values of a query string in order. `URLSearchParams` would replace bytes that are not UTF-8 by U+FFFD, so that a filter
 * would search for something else. Here they end with a lone surrogate, which `findTextFault` refuses as it does in JSON.
 */
export function readQueryPairs(text: string): readonly (readonly [name: string, value: string])[] {
  const query = text.startsWith('?') ? text.slice(1) : text;
  const pairs = [...new URLSearchParams(query)];
  if (isDecodable(query)) return pairs;
  const parts = query.split('&').filter((part) => part !== ''); // As the standard does it, so both have the same order.
  return pairs.map(([name, value], index) => {
    const [rawName = '', ...rawValue] = (parts[index] ?? '').split('=');
    return [marked(name, rawName), marked(value, rawValue.join('='))];
  });
}

const NOT_UTF_8 = '\ud800';

function marked(decoded: string, raw: string): string {
  return isDecodable(raw) ? decoded : `${decoded}${NOT_UTF_8}`;
}

function isDecodable(raw: string): boolean {
  if (!/%[89a-f]/i.test(raw)) return true;
  const escapes = raw.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  return escapes.every((bytes) => isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex')));
}
