import { LIMITS } from '@postrider/core';
import { type OutboundClient, TOTAL_MS } from '../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../outbound/outbound-result.ts';
import { createSemaphore } from '../../semaphore.ts';

export type FetchVerdict =
  | { readonly ok: true; readonly content: Uint8Array }
  | {
      readonly ok: false;
      readonly code: 'attachment_url_refused' | 'attachment_fetch_failed' | 'attachment_too_large';
      /** A predicate that follows the name of the field. */
      readonly message: string;
    };

/** The files of one call, which may be a whole batch. They share its time limit, connections and memory limit. */
export interface FileSession {
  /** Fetches a URL; a URL that is named twice is fetched once. Never rejects. */
  fetch(url: string): Promise<FetchVerdict>;
  /** What is wrong with a URL, as far as that is known without a lookup or request. A predicate that follows the name of the field. */
  faultOf(url: string): string | null;
  /** Releases the memory the files took. Call it when they are stored or the send is refused. */
  close(): void;
}

export interface FileSource {
  open(): FileSession;
}

export interface FileSourceOptions {
  readonly client: OutboundClient;
  /** The time for all files of one call, from the first fetch on. */
  readonly totalMs?: number;
  /** The bytes of fetched files that this process keeps in memory at a time, over all callers. */
  readonly maxHeldBytes?: number;
  /** The bytes of one call. */
  readonly maxCallBytes?: number;
}

/** More connections gain one call little and burden the remote host. */
const FETCHES_AT_ONCE = 8;
const MEGABYTE = 1024 * 1024;
const MAX_HELD_BYTES = 192 * MEGABYTE;
/** The files that a call fetches may be half as large again as those that it can carry in its own body. */
const MAX_CALL_BYTES = 60 * MEGABYTE;
/** The largest file whose base64 fits into a message with no other content. */
const MAX_FILE_BYTES = Math.floor((LIMITS.encodedMessageBytes / 4) * 3);

/** Fetches the files that sends name by URL. */
export function createFileSource(options: FileSourceOptions): FileSource {
  const { client, totalMs = TOTAL_MS, maxHeldBytes = MAX_HELD_BYTES, maxCallBytes = MAX_CALL_BYTES } = options;
  let held = 0;

  function open(): FileSession {
    const semaphore = createSemaphore(FETCHES_AT_ONCE);
    const known = new Map<string, Promise<FetchVerdict>>();
    let deadline: AbortSignal | null = null;
    let taken = 0;
    let isFull = false;
    let isClosed = false;

    /** Counts bytes as they arrive, because the announced length may be wrong. */
    function reserveBytes(bytes: number): boolean {
      isFull ||= taken + bytes > maxCallBytes;
      if (isFull || isClosed || held + bytes > maxHeldBytes) return false;
      taken += bytes;
      held += bytes;
      return true;
    }

    async function fetchWithPermit(url: string, signal: AbortSignal): Promise<FetchVerdict> {
      const release = await semaphore.acquire();
      try {
        if (signal.aborted) return failed('could not be fetched: there was no time left for it');
        const response = await client.request({
          url,
          method: 'GET',
          headers: HEADERS,
          maxBytes: MAX_FILE_BYTES,
          reserveBytes,
          signal,
        });
        return judge(response, isFull);
      } finally {
        release();
      }
    }

    return {
      fetch(url) {
        const before = known.get(url);
        if (before !== undefined) return before;
        deadline ??= AbortSignal.timeout(totalMs);
        const fetched = fetchWithPermit(url, deadline);
        known.set(url, fetched);
        return fetched;
      },
      faultOf: (url) => client.refusalOf(url),
      close() {
        // A fetch that no caller waits for any more may still be running; it gets no memory.
        isClosed = true;
        held -= taken;
        taken = 0;
      },
    };
  }

  return { open };
}

/** A compressed response would be stored compressed, and could be a decompression bomb. */
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity' };

function judge(response: OutboundResult, callIsFull: boolean): FetchVerdict {
  switch (response.kind) {
    case 'refused':
      return { ok: false, code: 'attachment_url_refused', message: response.reason };
    case 'failed':
      return failed(`could not be fetched: ${response.reason}`);
    case 'responded':
      return judgeResponse(response, callIsFull);
  }
}

function judgeResponse(response: Extract<OutboundResult, { kind: 'responded' }>, callIsFull: boolean): FetchVerdict {
  const { status, headers, body, truncated } = response;
  if (status < 200 || status > 299) return failed(describeStatus(status));
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    return failed(`responded with the content encoding ${encoding.slice(0, 40)}, which was not requested`);
  if (!truncated) return body.length === 0 ? failed('responded with an empty file') : { ok: true, content: body };
  if (body.length >= MAX_FILE_BYTES) return tooLarge('is larger than a message may be');
  return callIsFull
    ? tooLarge('does not fit with the other files that this call has fetched')
    : failed('could not be fetched: too many files are being fetched at the moment');
}

function describeStatus(status: number): string {
  const redirect = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return `responded with ${status}${redirect}`;
}

function failed(message: string): FetchVerdict {
  return { ok: false, code: 'attachment_fetch_failed', message };
}

function tooLarge(message: string): FetchVerdict {
  return { ok: false, code: 'attachment_too_large', message };
}
