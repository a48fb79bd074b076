import type { CallOptions, OpenResponse, OperationCaller, OperationInput } from './call.ts';
import type { OperationId } from './generated/operations.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * A file being downloaded: iterating it yields its bytes as they arrive, so that it may be larger than the memory. It can be read only once.
 * Leaving a `for await` early ends the transfer. If the transfer breaks off, it rejects; what arrived until then is incomplete.
 */
export class Download implements AsyncIterable<Uint8Array> {
  /** The file name the server sent; null if it sent none. */
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** Whether there are more matches than the file contains. */
  readonly isTruncated: boolean;
  readonly requestId: string | null;
  readonly rateLimit: RateLimit | null;
  readonly #chunks: AsyncIterable<Uint8Array>;

  constructor({ headers, requestId, rateLimit, chunks }: OpenResponse) {
    this.fileName = /filename="([^"\\/]+)"/.exec(headers['content-disposition'] ?? '')?.[1] ?? null;
    this.contentType = headers['content-type'] ?? null;
    this.isTruncated = headers['x-export-truncated'] === 'true';
    this.requestId = requestId;
    this.rateLimit = rateLimit;
    this.#chunks = chunks;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#chunks[Symbol.asyncIterator]();
  }

  /** The lines of a text as they arrive, without line endings: with the format `jsonl`, each is a JSON document. */
  async *lines(): AsyncGenerator<string, void, undefined> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
  }

  /** The whole file as text. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of this) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }
}

/** The response to a call for a file: awaiting it returns the file with its name, iterating it (`for await`) yields its bytes. */
export class DownloadPromise extends Promise<Download> implements AsyncIterable<Uint8Array> {
  /** What `then` makes is a plain promise: its value need not be a file. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await this;
  }
}

/** Calls an operation that returns a file. */
export function download(
  client: OperationCaller,
  id: OperationId,
  input: OperationInput,
  options: CallOptions,
): DownloadPromise {
  return new DownloadPromise((resolve, reject) => {
    client.openOperation(id, input, options).then((response) => resolve(new Download(response)), reject);
  });
}
