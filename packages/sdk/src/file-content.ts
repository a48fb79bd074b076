/** The content of a file: base64 as the API has it, or bytes (a `Buffer` too), a `Blob`, or a stream, which the client encodes. */
export type FileContent =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** Replaces the bytes and streams of attachments by base64, in a send and in every item of a batch. Strings are left unchanged. */
export async function encodeFiles(body: unknown): Promise<unknown> {
  if (!isRecord(body)) return body;
  const { attachments, emails } = body;
  return {
    ...body,
    ...(Array.isArray(attachments) ? { attachments: await Promise.all(attachments.map(encodeFile)) } : {}),
    ...(Array.isArray(emails) ? { emails: await Promise.all(emails.map(encodeFiles)) } : {}),
  };
}

async function encodeFile(file: unknown): Promise<unknown> {
  if (!isRecord(file)) return file;
  const bytes = await readBytes(file['content']);
  return bytes === null ? file : { ...file, content: toBase64(bytes) };
}

/** Null if the value has no bytes: the API reports what is wrong with it. */
async function readBytes(content: unknown): Promise<Uint8Array | null> {
  if (content instanceof Uint8Array) return content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  // Not every engine can iterate a stream natively.
  if (content instanceof ReadableStream) return new Uint8Array(await new Response(content).arrayBuffer());
  if (!isStream(content)) return null;
  const encoder = new TextEncoder();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of content)
    chunks.push(new Uint8Array(typeof chunk === 'string' ? encoder.encode(chunk) : chunk));
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function isStream(content: unknown): content is AsyncIterable<Uint8Array | string> {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Three bytes encode to four characters, so chunks in multiples of three can be joined. */
const BYTES_AT_ONCE = 3 * 8_192;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE)));
  return text;
}
