/**
 * The array types that our statements use, for the driver to format and parse. Without this list, the driver queries the database for all
 * array types on each new connection and does not await that query: if the connection were lost then, the unhandled rejection would end the
 * process.
 */
export const ARRAY_TYPES = {
  smallints: arrayType(1005, Number),
  integers: arrayType(1007, Number),
  texts: arrayType(1009, String),
  uuids: arrayType(2951, String),
};

/** Formats a one-dimensional array for PostgreSQL. Every element but null is quoted, so that none is read as syntax. */
export function formatArray(values: readonly unknown[]): string {
  const texts = values.map((value) => (value === null ? null : String(value)));
  // JSON is written much faster. Its escapes of quotes and backslashes are those of arrays; all others mean something else in arrays.
  const json = JSON.stringify(texts);
  if (!/\\[^"\\]/.test(json)) return `{${json.slice(1, -1)}}`;
  return `{${texts.map((text) => (text === null ? 'NULL' : quoted(text))).join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** Parses a one-dimensional array from PostgreSQL: elements are bare or quoted; null is a bare `NULL`. */
export function parseArray(text: string): (string | null)[] {
  return [...text.slice(1, -1).matchAll(ELEMENT)].map(([whole, quoted]) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gs, '$1');
    return whole === 'NULL' ? null : whole;
  });
}

const ELEMENT = /"((?:[^"\\]|\\.)*)"|[^",]+/gs;

function arrayType<T>(oid: number, toElement: (text: string) => T) {
  return {
    to: oid,
    from: [oid],
    serialize: formatArray,
    parse: (text: string) => parseArray(text).map((element) => (element === null ? null : toElement(element))),
  };
}
