/** One event of a stream, by the names of its fields. */
export interface ServerSentEvent {
  /** The id to resume behind; empty where none was given yet. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A stream that sends more than this without the end of an event is none of ours. */
const MAX_PENDING_CHARACTERS = 4 * 1024 * 1024;

/** Reads events as the HTML standard has it (9.2.6): comments are passed over, an event without data is none, the last id stays. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let pending = '';
  let id = '';
  let fields: Fields = { event: '', data: [] };
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true });
    if (pending.length > MAX_PENDING_CHARACTERS) throw new Error('The stream sent an event without an end.');
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (fields.data.length > 0) yield { id, event: fields.event || 'message', data: fields.data.join('\n') };
        fields = { event: '', data: [] };
        continue;
      }
      const { name, value } = readField(line);
      if (name === 'id') id = value;
      else fields = withField(fields, name, value);
    }
  }
}

interface Fields {
  readonly event: string;
  readonly data: readonly string[];
}

/** A line that begins with a colon is a comment: its name is empty. One blank behind the colon belongs to it. */
function readField(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon < 0) return { name: line, value: '' };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') };
}

function withField(fields: Fields, name: string, value: string): Fields {
  if (name === 'event') return { ...fields, event: value };
  return name === 'data' ? { ...fields, data: [...fields.data, value] } : fields;
}
