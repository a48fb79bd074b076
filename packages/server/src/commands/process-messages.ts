import { type ConfiguredPort, PortError } from '../port-error.ts';
import type { PostgresConnection } from '../postgres/postgres-place.ts';
import type { ConnectionFacts } from './process-count.ts';
import { StartError } from './start-error.ts';

/** What a process needs to know to serve. */
export interface ProcessOrders {
  /** The number of the process, from 1. */
  readonly process: number;
  readonly processes: number;
  readonly baseUrl: string;
  readonly port: number;
  /** The socket of the embedded PostgreSQL; null with DATABASE_URL. */
  readonly embedded: PostgresConnection | null;
}

/** A message from the supervisor to a process. */
export type Instruction =
  | { readonly kind: 'prepare'; readonly embedded: PostgresConnection | null }
  | { readonly kind: 'serve'; readonly orders: ProcessOrders }
  | { readonly kind: 'counted'; readonly id: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'measure'; readonly id: number; readonly isInstallation: boolean }
  | { readonly kind: 'stop' };

/** A message from a process to the supervisor. */
export type Report =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'prepared'; readonly connections: ConnectionFacts }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | {
      readonly kind: 'count';
      readonly id: number;
      readonly count: string;
      readonly address: string;
      readonly requests: number;
    }
  | { readonly kind: 'measured'; readonly id: number; readonly page: string; readonly installation: string };

/** An error in a message, with everything that is needed to explain it to the user. */
export interface Failure {
  readonly message: string;
  readonly stack: string | null;
  readonly fix: string | null;
  readonly code: string | null;
  readonly port: number | null;
  /** Of a PortError. */
  readonly at: ConfiguredPort | null;
}

export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error))
    return { message: String(error), stack: null, fix: null, code: null, port: null, at: null };
  const { fix, code, port }: Error & { fix?: unknown; code?: unknown; port?: unknown } = error;
  return {
    message: error.message,
    stack: error.stack ?? null,
    fix: typeof fix === 'string' ? fix : null,
    code: typeof code === 'string' ? code : null,
    port: typeof port === 'number' ? port : null,
    at: error instanceof PortError ? error.at : null,
  };
}

export function toError({ message, stack, fix, code, port, at }: Failure): Error {
  if (at !== null && code !== null) return new PortError(at, code);
  if (fix !== null) return new StartError(message, fix);
  const error = new Error(message);
  if (stack !== null) error.stack = stack;
  return Object.assign(error, code === null ? {} : { code }, port === null ? {} : { port });
}
