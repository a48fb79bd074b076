import { bodyLimitOf, LIMITS, type Operation } from '@postrider/core';
import { ProblemError } from '../problem.ts';

/**
 * Holds the arguments of a tool to the limit that a body of the operation has over REST.
 * @throws ProblemError where they are larger
 */
export function assertArgumentSize(operation: Operation, body: unknown): void {
  const limit = bodyLimitOf(operation);
  // No request can be larger than these, and to measure one would take as long as to parse it.
  if (limit >= LIMITS.sendBodyBytes || isWithin(body, limit)) return;
  throw new ProblemError('payload_too_large', {
    detail: `The arguments are more than ${limit} bytes of JSON, the most this operation accepts.`,
  });
}

/** Goes no further than the limit. Escapes are not counted: a body that has many may be a little longer here than over REST. */
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
