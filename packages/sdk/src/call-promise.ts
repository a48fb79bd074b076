import type { ApiResponse, CallOptions, OperationCaller, OperationInput } from './call.ts';
import type { OperationId } from './generated/operations.ts';

/** The response to a call: awaiting it returns the data; `withResponse` also has the request id and the rate limit. */
export class CallPromise<Data> extends Promise<Data> {
  /** `then` returns a plain promise: its value need not be response data. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #response: Promise<ApiResponse<Data>>;

  constructor(response: Promise<ApiResponse<Data>>) {
    super((resolve, reject) => {
      response.then(({ data }) => resolve(data), reject);
    });
    this.#response = response;
  }

  /** The data with the status, the headers, the request id and the rate limit. Rejects as the call does. */
  async withResponse(): Promise<ApiResponse<Data>> {
    // A failure is reported here: the caller does not await the data as well.
    this.catch(() => {});
    return await this.#response;
  }

  /** @deprecated The former name of `withResponse`. */
  async withAnswer(): Promise<ApiResponse<Data>> {
    return await this.withResponse();
  }
}

/** Calls an operation that returns data. */
export function callOperation<Data>(
  client: OperationCaller,
  id: OperationId,
  input: OperationInput,
  options: CallOptions,
): CallPromise<Data> {
  return new CallPromise(client.requestOperation<Data>(id, input, options));
}
