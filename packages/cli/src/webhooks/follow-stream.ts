import { setTimeout as pause } from 'node:timers/promises';
import type { ApiConnection } from '../api-connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CliFailure, ownFailure } from '../failure.ts';
import { isRecord, textOf } from '../output/json-value.ts';
import { readServerSentEvents } from './read-server-sent-events.ts';

/** A webhook request exactly as the server would send it. */
export interface SignedRequest {
  readonly id: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

export type StreamUpdate =
  | { readonly kind: 'connected'; readonly secret: string; readonly isAgain: boolean }
  | { readonly kind: 'event'; readonly request: SignedRequest }
  | { readonly kind: 'lost'; readonly reason: string; readonly pauseMs: number };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The server writes every 10 seconds, so a connection without data for this long is dead, regardless of --timeout. */
const SILENT_MS = 30_000;

export interface FollowOptions {
  /** Empty for all types. */
  readonly events: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * The account's events as they happen, without an end. After a lost connection it reconnects with growing pauses and continues after the last
 * event. Rejects with a CliFailure if the first connection fails, and with the signal's reason if the user interrupts.
 */
export async function* followStream(
  connection: ApiConnection,
  { events, signal }: FollowOptions,
): AsyncGenerator<StreamUpdate, void, undefined> {
  let lastId = '';
  let wasConnected = false;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    let reason = 'The server ended the stream.';
    try {
      for await (const { id, event, data } of readServerSentEvents(await open(connection, events, lastId))) {
        if (id !== '') lastId = id;
        if (event === 'ready') yield { kind: 'connected', secret: secretOf(data), isAgain: wasConnected };
        else yield { kind: 'event', request: toSignedRequest(event, data) };
        wasConnected = true;
        pauseMs = FIRST_PAUSE_MS;
      }
      if (!wasConnected) throw notAStream();
    } catch (error) {
      if (!wasConnected || !(error instanceof CliFailure) || !error.problem.retryable) throw error;
      reason = error.problem.detail;
    }
    yield { kind: 'lost', reason, pauseMs };
    await pause(pauseMs, undefined, signal === undefined ? {} : { signal });
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** Without this, the page of another program or of a proxy would be requested forever. */
function notAStream(): CliFailure {
  const detail = 'the server sent no events: it is not Postrider, or a proxy in front of it does not stream';
  const fix =
    'Check that --base-url (or POSTRIDER_BASE_URL) is the address of the server. Run postrider doctor to check the connection.';
  return ownFailure(EXIT_CODES.unexpected, 'unexpected_answer', 'The response is not an event stream', detail, fix);
}

async function open(
  connection: ApiConnection,
  events: readonly string[],
  lastId: string,
): Promise<AsyncIterable<Uint8Array>> {
  const input = {
    params: {},
    query: events.length === 0 ? {} : { events: events.join(',') },
    headers: lastId === '' ? {} : { 'last-event-id': lastId },
    body: undefined,
  };
  return await connection.download('webhooks.stream', input, SILENT_MS);
}

function secretOf(data: string): string {
  const ready: unknown = JSON.parse(data);
  return isRecord(ready) ? textOf(ready['secret']) : '';
}

function toSignedRequest(type: string, data: string): SignedRequest {
  const request: unknown = JSON.parse(data);
  const { headers, payload } = isRecord(request) ? request : {};
  const texts = isRecord(headers) ? Object.entries(headers).map(([name, value]) => [name, textOf(value)]) : [];
  const signed: Record<string, string> = Object.fromEntries(texts);
  return { id: signed['webhook-id'] ?? '', type, headers: signed, payload: textOf(payload) };
}
