import type { Caller } from '../keys/caller.ts';
import type { ArrivingBody } from './arriving-bodies.ts';

/** What is known of a request while it is answered; read by the request log at its end. */
export interface RequestState {
  caller: Caller | null;
  /** When that was found out, on the monotonic clock. */
  checkedAtMs: number;
  /** The body of the request; null where it was complete before it was read, or there is none. */
  arriving: ArrivingBody | null;
  /** The size of a body that is large; 0 for any other. */
  largeBytes: number;
  emailId: string | null;
  code: string | null;
  /** Why a request must be refused, for protocols that say so in their own way; null if it may go on. */
  refused: Error | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request without a body is at fault. */
    takesBody?: boolean;
  }
  interface FastifyRequest {
    state: RequestState;
  }
}
