import type { Deprecation } from '@postrider/core';

/**
 * What every answer of a deprecated operation says, refusals included: `Deprecation` (RFC 9745, a date as seconds since the epoch), `Sunset`
 * (RFC 8594, an HTTP date) where a day is set, and where to read what to use instead.
 */
export function deprecationHeaders({ since, sunset }: Deprecation, baseUrl: string): Readonly<Record<string, string>> {
  return {
    deprecation: `@${Date.parse(`${since}T00:00:00Z`) / 1_000}`,
    link: `<${baseUrl}/reference>; rel="deprecation"; type="text/html"`,
    ...(sunset === null ? {} : { sunset: new Date(`${sunset}T00:00:00Z`).toUTCString() }),
  };
}
