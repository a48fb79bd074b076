import type { SMTPServerDataStream } from 'smtp-server';
import { createLineCheck } from './line-check.ts';

/** The result of receiving a message. */
export type Reception =
  | { readonly kind: 'whole'; readonly raw: Buffer }
  /** The rest was read and discarded. */
  | { readonly kind: 'too-large' }
  | { readonly kind: 'no-room' }
  /** Bytes that are not allowed in a message: where it ends is unclear, so nothing after them can be trusted either. */
  | { readonly kind: 'invalid'; readonly fault: string }
  | { readonly kind: 'gone' };

/** Limits the memory of all messages that are being received or processed. */
export interface MessageRoom {
  /** False if there is not enough for so many more bytes. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createMessageRoom(maxBytes: number): MessageRoom {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}

/**
 * Receives one message: bounded, and with CRLF as its only line ending. Resolves at once if it has invalid bytes,
 * otherwise at its end. The receiver of `whole` releases the reserved memory; in all other cases this function does.
 */
export function receiveMessage(stream: SMTPServerDataStream, maxBytes: number, room: MessageRoom): Promise<Reception> {
  const check = createLineCheck();
  const chunks: Buffer[] = [];
  let kept = 0;
  let refusal: 'too-large' | 'no-room' | null = null;
  return new Promise((resolve) => {
    const finish = (reception: Reception) => {
      stream.off('data', onData).off('end', onEnd).off('close', onGone);
      // The stream ends when its connection does, and it must not be left without an error listener then.
      stream.on('error', () => undefined).resume();
      if (reception.kind !== 'whole') release();
      resolve(reception);
    };
    const release = () => {
      chunks.length = 0;
      room.give(kept);
      kept = 0;
    };
    const onData = (chunk: Buffer) => {
      const fault = check.look(chunk);
      if (fault !== null) return finish({ kind: 'invalid', fault });
      if (refusal !== null) return;
      if (kept + chunk.length > maxBytes) refusal = 'too-large';
      else if (!room.take(chunk.length)) refusal = 'no-room';
      if (refusal !== null) return release();
      kept += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () => {
      const fault = check.finish();
      if (fault !== null) finish({ kind: 'invalid', fault });
      else finish(refusal === null ? { kind: 'whole', raw: joinChunks(chunks) } : { kind: refusal });
    };
    const onGone = () => finish({ kind: 'gone' });
    stream.on('data', onData).once('end', onEnd).once('close', onGone);
    stream.once('error', () => undefined);
  });
}

/** Most messages arrive in one chunk, which need not be copied. */
function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
