import type { Answer, CallOptions, OperationCaller, OperationInput } from './call.ts';
import type { OperationId } from './generated/operations.ts';

/** The answer of a call: awaited it is the data; `withAnswer` has what came with it, such as the request id and the rate limit. */
export class CallPromise<Data> extends Promise<Data> {
  /** What `then` makes is a plain promise: its value need not be an answer's data. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #answer: Promise<Answer<Data>>;

  constructor(answer: Promise<Answer<Data>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /** The data with the status, the headers, the request id and the rate limit. Rejects as the call does. */
  async withAnswer(): Promise<Answer<Data>> {
    // A failure is told here: who asks so does not wait for the data as well.
    this.catch(() => {});
    return await this.#answer;
  }
}

/** Calls an operation that answers data. */
export function callOperation<Data>(
  client: OperationCaller,
  id: OperationId,
  input: OperationInput,
  options: CallOptions,
): CallPromise<Data> {
  return new CallPromise(client.requestOperation<Data>(id, input, options));
}
