import type { Deprecation } from '@postrider/core';

/**
 * The headers of every response of a deprecated operation, including errors: `Deprecation` (RFC 9745, a date as seconds
 * since the epoch), `Sunset` (RFC 8594, an HTTP date) if a day is set, and a link to the replacement.
 */
export function deprecationHeaders({ since, sunset }: Deprecation, baseUrl: string): Readonly<Record<string, string>> {
  return {
    deprecation: `@${Date.parse(`${since}T00:00:00Z`) / 1_000}`,
    link: `<${baseUrl}/reference>; rel="deprecation"; type="text/html"`,
    ...(sunset === null ? {} : { sunset: new Date(`${sunset}T00:00:00Z`).toUTCString() }),
  };
}
