import { bodyLimitOf, LIMITS, type Operation } from '@postrider/core';
import { ProblemError } from '../problem.ts';

/**
 * Applies the operation's REST body limit to the arguments of a tool.
 * @throws ProblemError if they are larger
 */
export function assertArgumentSize(operation: Operation, body: unknown): void {
  const limit = bodyLimitOf(operation);
  // No request can exceed these, and measuring one would take as long as parsing it.
  if (limit >= LIMITS.sendBodyBytes || isWithin(body, limit)) return;
  throw new ProblemError('payload_too_large', {
    detail: `The arguments are larger than ${limit} bytes of JSON, the limit of this operation.`,
  });
}

/** Stops at the limit. Escapes are not counted: a body with many of them may be a little longer here than over REST. */
function isWithin(body: unknown, limit: number): boolean {
  const pending: unknown[] = [body];
  let bytes = 0;
  while (pending.length > 0 && bytes <= limit) {
    const value = pending.pop();
    if (typeof value === 'string') bytes += Buffer.byteLength(value) + 2;
    else if (typeof value !== 'object' || value === null) bytes += String(value).length;
    else {
      bytes += 2;
      for (const [name, member] of Object.entries(value)) {
        bytes += 1 + (Array.isArray(value) ? 0 : Buffer.byteLength(name) + 3);
        pending.push(member);
      }
    }
  }
  return bytes <= limit;
}
