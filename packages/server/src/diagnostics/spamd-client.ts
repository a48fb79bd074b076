import { connect } from 'node:net';
import type { SpamdAddress } from './tool-settings.ts';

export type SpamdVerdict =
  | {
      readonly ok: true;
      readonly isSpam: boolean;
      readonly score: number;
      readonly threshold: number;
      /** The names of the matching rules. */
      readonly rules: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** SpamAssassin's daemon. No method ever rejects. */
export interface SpamdClient {
  judge(message: Uint8Array, signal: AbortSignal): Promise<SpamdVerdict>;
}

const RESPONSE_BYTES = 64 * 1024;
const MAX_RULES = 100;

/** Uses the SPAMC command SYMBOLS: sends the whole message, and receives its score and the names of the rules. */
export function createSpamdClient(address: SpamdAddress): SpamdClient {
  return {
    async judge(message, signal) {
      try {
        return readResponse(await exchange(address, message, signal));
      } catch (error) {
        const isOver = signal.aborted;
        // A connection error would reveal internal addresses to strangers.
        return { ok: false, reason: isOver ? 'it did not respond in time' : `the connection failed${codeOf(error)}` };
      }
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}

function exchange({ host, port }: SpamdAddress, message: Uint8Array, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => resolve(Buffer.concat(chunks).toString('latin1'));
    socket.on('error', reject);
    socket.on('end', finish);
    socket.on('close', finish);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES) socket.destroy();
    });
    // Both are written before the end: spamd reads as many bytes as the declared length.
    socket.write(`SYMBOLS SPAMC/1.5\r\nContent-length: ${message.length}\r\n\r\n`);
    socket.end(message);
  });
}

function readResponse(response: string): SpamdVerdict {
  const [head = '', body = ''] = response.split(/\r?\n\r?\n/, 2);
  const [, code, words = ''] = /^SPAMD\/[\d.]+ (\d+) ?(.*)/.exec(head) ?? [];
  if (code === undefined) return { ok: false, reason: 'it returned an unknown response' };
  if (code !== '0') return { ok: false, reason: `it returned the error ${code} ${words.slice(0, 40)}`.trim() };
  const [, isSpam, score, threshold] =
    /^Spam: *(True|False|Yes|No) *; *(-?\d+(?:\.\d+)?) *\/ *(-?\d+(?:\.\d+)?)/im.exec(head) ?? [];
  if (isSpam === undefined) return { ok: false, reason: 'it returned no score' };
  const rules = body.split(/[\s,]+/).filter((rule) => /^[A-Z0-9_]{1,80}$/i.test(rule));
  return {
    ok: true,
    isSpam: /true|yes/i.test(isSpam),
    score: Number(score),
    threshold: Number(threshold),
    rules: rules.slice(0, MAX_RULES),
  };
}
