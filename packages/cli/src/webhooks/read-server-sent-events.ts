import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** One event of a stream. */
export interface ServerSentEvent {
  /** The id to resume after; empty before the first id. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A stream with a longer event is not from Postrider. */
const MAX_PENDING_CHARACTERS = 4 * 1024 * 1024;

/** Parses events by the HTML standard (9.2.6): an id stays valid until the next one. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  const read: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: MAX_PENDING_CHARACTERS,
    onEvent: (event) => read.push(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw new Error('The stream sent an event without an end.');
    },
  });
  let lastId = '';
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { id = lastId, event = 'message', data } of read.splice(0)) {
      lastId = id;
      yield { id, event, data };
    }
  }
}
