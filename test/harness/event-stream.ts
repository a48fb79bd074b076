import type { TestApp } from './test-app.ts';

export interface ReceivedEvent {
  readonly id: string | null;
  readonly event: string;
  // Tests read data of any shape; their assertions check it.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
}

export interface EventStream {
  readonly response: Response;
  /** Everything received so far, as text. */
  readonly text: string;
  /** The next event. Rejects if the stream ends first. */
  next(): Promise<ReceivedEvent>;
  /** Waits for the end of the stream. */
  ended(): Promise<void>;
  close(): void;
}

export interface EventStreamOptions {
  readonly key?: string;
  /** A session cookie, instead of a key. */
  readonly cookie?: string;
  readonly lastEventId?: string;
}

/** Opens `GET /webhooks/stream` and reads it like a plain client. */
export async function openEventStream(
  server: Pick<TestApp, 'baseUrl' | 'key'>,
  query = '',
  options: EventStreamOptions = {},
): Promise<EventStream> {
  return await openEvents(server, `/webhooks/stream${query}`, options);
}

/** Opens any stream of server-sent events. */
export async function openEvents(
  { baseUrl, key: ownKey }: Pick<TestApp, 'baseUrl' | 'key'>,
  path: string,
  { key = ownKey, cookie, lastEventId }: EventStreamOptions = {},
): Promise<EventStream> {
  const cut = new AbortController();
  const response = await fetch(`${baseUrl}${path}`, {
    headers: {
      ...(cookie === undefined ? { authorization: `Bearer ${key}` } : { cookie }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: cut.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let at = 0;

  async function readPart(): Promise<string> {
    for (;;) {
      const end = text.indexOf('\n\n', at);
      if (end >= 0) {
        const part = text.slice(at, end);
        at = end + 2;
        return part;
      }
      const piece = await reader?.read();
      if (piece === undefined || piece.done) throw new Error(`the stream ended: ${text.slice(at)}`);
      text += piece.value;
    }
  }

  return {
    response,
    get text() {
      return text;
    },
    async next() {
      for (;;) {
        const part = await readPart();
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? null;
        const data = field('data');
        if (data !== null) return { id: field('id'), event: field('event') ?? 'message', data: JSON.parse(data) };
      }
    },
    async ended() {
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) return;
        text += piece.value;
      }
    },
    close: () => cut.abort(),
  };
}
