/** How much a client prefers a type, and how specifically: 2 for the exact type, 1 for `text/*`, 0 for any type. */
interface Preference {
  readonly weight: number;
  readonly precision: number;
}

/**
 * Whether a client prefers plain text to JSON (RFC 9110, section 12.5.1). Of equal preferences the more specific one
 * counts, and then JSON, which every API client accepts.
 */
export function prefersText(accept: string | undefined): boolean {
  return prefers('plain', accept);
}

/** Whether a client prefers a page to JSON, as browsers do. */
export function prefersHtml(accept: string | undefined): boolean {
  return prefers('html', accept);
}

function prefers(subtype: 'plain' | 'html', accept: string | undefined): boolean {
  // What nearly every program sends.
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return false;
  const weights = readWeights(accept);
  const text = preferenceFor('text', subtype, weights);
  const json = preferenceFor('application', 'json', weights);
  if (text.weight !== json.weight) return text.weight > json.weight;
  return text.weight > 0 && text.precision > json.precision;
}

function readWeights(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
      return [type, Number.isNaN(weight) ? 0 : weight];
    }),
  );
}

/** The most specific range decides, even if it has a lower weight than a wider one. */
function preferenceFor(type: string, subtype: string, weights: ReadonlyMap<string, number>): Preference {
  const ranges = [`${type}/${subtype}`, `${type}/*`, '*/*'];
  const at = ranges.findIndex((range) => weights.has(range));
  return { weight: weights.get(ranges[at] ?? '') ?? 0, precision: ranges.length - 1 - at };
}
