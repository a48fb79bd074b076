import { ProblemError } from '../problem.ts';
import type { FormOrigin } from './client-info.ts';

/** Browsers add the cookie to requests from any site, so a write with a cookie must prove that it comes from a page of this server. */
export function foreignOrigin(baseUrl: string, from: FormOrigin): ProblemError {
  const { origin } = new URL(baseUrl);
  const why =
    from === 'foreign'
      ? 'It comes from a page of another origin.'
      : 'It does not say where it comes from: its `Origin` header is missing or `null`.';
  return new ProblemError('missing_scope', {
    detail: `Browsers send session cookies with requests of any site, so this request must come from a page of \`${origin}\`. ${why}`,
    fix: `In a browser, open \`${baseUrl}\` and repeat it there. A program sends \`Origin: ${origin}\` with the cookie, or a key or bearer session token instead of it.`,
  });
}
