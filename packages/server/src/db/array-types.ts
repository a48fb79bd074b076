/**
 * The array types our statements use, for the driver to write and read. By itself the driver asks the database for all of them on each new
 * connection, by a query of its own that nobody awaits: were the connection lost just then, the rejection would end the process.
 */
export const ARRAY_TYPES = {
  smallints: arrayType(1005, Number),
  integers: arrayType(1007, Number),
  texts: arrayType(1009, String),
  uuids: arrayType(2951, String),
};

/** Writes an array of one dimension as PostgreSQL reads it: every element in quotes, so that none can be taken for syntax. */
export function formatArray(values: readonly unknown[]): string {
  const elements = values.map((value) =>
    value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, (character) => `\\${character}`)}"`,
  );
  return `{${elements.join(',')}}`;
}

/** Reads an array of one dimension as PostgreSQL writes it: elements bare or in quotes, null as a bare `NULL`. */
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
