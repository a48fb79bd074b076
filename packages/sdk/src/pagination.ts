import type { ApiResponse, CallOptions, OperationCaller, OperationInput } from './call.ts';
import type { OperationId } from './generated/operations.ts';
import type { RateLimit } from './rate-limit.ts';

/** The fields of every list besides its items. */
interface PageFields {
  readonly total: number;
  readonly totalIsEstimate: boolean;
  readonly nextCursor: string | null;
}

/** One page of a list. Iterating it continues through all following pages. */
export class Page<Item> implements AsyncIterable<Item> {
  readonly data: readonly Item[];
  /** The number of matches of the filters, not only on this page. */
  readonly total: number;
  readonly totalIsEstimate: boolean;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly requestId: string | null;
  readonly rateLimit: RateLimit | null;
  readonly #readPage: (cursor: string) => Promise<Page<Item>>;

  constructor(
    data: readonly Item[],
    { data: fields, requestId, rateLimit }: Pick<ApiResponse<PageFields>, 'data' | 'requestId' | 'rateLimit'>,
    readPage: (cursor: string) => Promise<Page<Item>>,
  ) {
    this.data = data;
    this.requestId = requestId;
    this.rateLimit = rateLimit;
    this.total = fields.total;
    this.totalIsEstimate = fields.totalIsEstimate;
    this.nextCursor = fields.nextCursor;
    this.#readPage = readPage;
  }

  /** Reads the page after this one; null at the end. */
  async nextPage(): Promise<Page<Item> | null> {
    return this.nextCursor === null ? null : this.#readPage(this.nextCursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let page: Page<Item> | null = this; page !== null; page = await page.nextPage()) yield* page.data;
  }
}

/** The response to a list call: awaiting it returns the first page, iterating it (`for await`) yields every item of every page. */
export class PagePromise<Item> extends Promise<Page<Item>> implements AsyncIterable<Item> {
  /** What `then` makes is a plain promise: its value need not be a page. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}

/** Calls a list operation whose response has its items in `itemsName`. */
export function listPages<Item>(
  client: OperationCaller,
  id: OperationId,
  itemsName: string,
  input: OperationInput,
  options: CallOptions,
): PagePromise<Item> {
  async function readPage(cursor?: string): Promise<Page<Item>> {
    const query = cursor === undefined ? input.query : { ...input.query, cursor };
    // The generator read `itemsName` from the response's schema, where it is the array of items.
    type Body = PageFields & { readonly [name: string]: unknown };
    const response = await client.requestOperation<Body>(id, { ...input, query }, options);
    return new Page(response.data[itemsName] as readonly Item[], response, readPage);
  }
  return new PagePromise((resolve, reject) => {
    readPage().then(resolve, reject);
  });
}
