import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { isReservedHeader, RESERVED_NAMES } from '../reserved-headers.ts';
import { checked } from './parse-steps.ts';
import { headerText } from './text.ts';

/** RFC 5322 ftext without the colon. */
const HEADER_NAME = /^[!-9;-~]+$/;

export const customHeadersSchema = z
  .record(z.string(), headerText(0, LIMITS.headerValueCharacters))
  .check(
    checked((headers, context) => {
      const names = Object.keys(headers);
      if (names.length > LIMITS.customHeaders) {
        const message = `must have at most ${LIMITS.customHeaders} headers`;
        context.addIssue({ message, params: { code: 'too_many' } });
      }
      const seen = new Set<string>();
      for (const name of names) {
        const problem = checkName(name, seen);
        if (problem) context.addIssue({ path: [name], ...problem });
        seen.add(name.toLowerCase());
      }
    }),
  )
  .describe(
    `Extra message headers by name. At most ${LIMITS.customHeaders}, values up to ${LIMITS.headerValueCharacters} characters. Reserved names are refused: ${RESERVED_NAMES}.`,
  );

function checkName(
  name: string,
  seen: ReadonlySet<string>,
): { readonly message: string; readonly params: { readonly code: string } } | null {
  const folded = name.toLowerCase();
  if (!HEADER_NAME.test(name) || name.length > LIMITS.headerNameCharacters) {
    return {
      message: `is not a header name (1 to ${LIMITS.headerNameCharacters} printable ASCII characters, no colon or space)`,
      params: { code: 'invalid_format' },
    };
  }
  if (isReservedHeader(name)) {
    return { message: 'is set by the service and cannot be passed', params: { code: 'header_refused' } };
  }
  if (seen.has(folded)) return { message: 'is passed twice, in different case', params: { code: 'duplicate' } };
  return null;
}
