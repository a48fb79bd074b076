import type { Caller } from '../keys/caller.ts';
import type { ArrivingBody } from './arriving-bodies.ts';

/** The state of a request while it is processed. The request log reads it at the end. */
export interface RequestState {
  caller: Caller | null;
  /** When that was determined, on the monotonic clock. */
  checkedAtMs: number;
  /** The body of the request; null if it was complete before it was read, or there is none. */
  arriving: ArrivingBody | null;
  /** The size of a large body; 0 for any other. */
  largeBytes: number;
  /** The approximate size of what stays in memory until a response that is created in pieces is sent; 0 without one. */
  heldBytes: number;
  emailId: string | null;
  code: string | null;
  /** Why a request must be rejected, for protocols with their own error format; null if it may continue. */
  refused: Error | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request without a body is an error. */
    acceptsBody?: boolean;
    /** Its errors are JSON under the paths of pages too, whatever the client prefers. */
    isForPrograms?: boolean;
    /** A body that cannot be read gets the error of JSON-RPC, whose clients read no other. */
    isJsonRpc?: boolean;
  }
  interface FastifyRequest {
    state: RequestState;
  }
}
