/** The headers of a stream of server-sent events: proxies are asked to forward each piece as it is written. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
};

/** A comment, which clients ignore: it keeps the connection open through proxies, and finds clients that are gone. */
export const HEARTBEAT = ': nothing happened\n\n';

export interface ServerSentEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
  /** How long browsers wait before they reconnect. */
  readonly retryMs?: number;
}

/** Writes one event, with its data as JSON. */
export function formatEvent({ event, data, id, retryMs }: ServerSentEvent): string {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  return `${retry}${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
