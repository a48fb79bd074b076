import { ProblemError } from '../problem.ts';

/** Browsers add the cookie to requests from any site, so a write with a cookie must prove that it comes from a page of this server. */
export function foreignOrigin(baseUrl: string): ProblemError {
  return new ProblemError('missing_scope', {
    detail:
      'A session cookie can make changes only from pages of this server, and the request’s `Origin` is missing or names another one.',
    fix: `Send \`Origin: ${new URL(baseUrl).origin}\`; programs use a key or a bearer session token.`,
  });
}
