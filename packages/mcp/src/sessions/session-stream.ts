import type { McpSession, McpSessionEvent } from './session-port.ts';

const HEARTBEAT_MS = 15_000;
/** A comment, which clients ignore: it keeps the connection open through proxies, and finds clients that are gone. */
const HEARTBEAT = ': nothing happened\n\n';
/** The first revision whose clients accept events without data. */
const EMPTY_EVENTS_SINCE = '2025-11-25';

/**
 * The event stream of `GET /mcp`. Null if too many are open.
 *
 * Events are not stored: an event says that something is no longer what it was, and the client reads what it is now. So the number of the last
 * event that a client received is enough to repeat what it missed, and a slow client misses no change, however many events become one.
 */
export function openSessionStream(
  session: McpSession,
  lastEventId: string | null,
  gone: AbortSignal,
): AsyncGenerator<string, void, undefined> | null {
  const lastEvent = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
  const stream = session.openStream(lastEvent);
  if (stream === null) return null;
  const close = () => stream.close();
  gone.addEventListener('abort', close, { once: true });
  if (gone.aborted) close();
  return (async function* events() {
    try {
      const primes = session.declared.protocolVersion >= EMPTY_EVENTS_SINCE;
      // From its first event on, the client can say what it received.
      yield primes ? `id: ${lastEvent ?? 0}\ndata: \n\n` : HEARTBEAT;
      for (;;) {
        const found = await stream.next(HEARTBEAT_MS);
        if (found === null) return;
        yield found.length === 0 ? HEARTBEAT : found.map(formatEvent).join('');
      }
    } finally {
      gone.removeEventListener('abort', close);
      close();
    }
  })();
}

function formatEvent(event: McpSessionEvent): string {
  return `id: ${event.event}\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...notificationOf(event) })}\n\n`;
}

function notificationOf(event: McpSessionEvent) {
  if (event.kind === 'updated') return { method: 'notifications/resources/updated', params: { uri: event.uri } };
  return { method: 'notifications/elicitation/complete', params: { elicitationId: event.approvalId } };
}
