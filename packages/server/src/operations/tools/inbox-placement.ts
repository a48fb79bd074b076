import type { OperationById, OperationInput } from '@postrider/core';
import { toAddress } from '../../diagnostics/check-blocklist.ts';
import { checkInboxPlacement as estimate } from '../../diagnostics/check-inbox-placement.ts';
import { toCheckResult } from '../../diagnostics/check-result.ts';
import type { PlacedMessage } from '../../diagnostics/placement/placed-message.ts';
import { RAW_MESSAGE_WEIGHT, READ_RAW_MESSAGE } from '../../diagnostics/placement/read-raw-message.ts';
import { refuseAddress } from '../../outbound/public-address.ts';
import { ProblemError } from '../../problem.ts';
import { anonymousOwner, type JobThreads } from '../../threads/job-threads.ts';
import type { Handler } from '../context.ts';
import { validationFailed } from '../parse-part.ts';

type Given = OperationInput<OperationById<'tools.inbox-placement'>>['body'];

export const checkInboxPlacement: Handler<'tools.inbox-placement'> = async (
  { body },
  { services: { database, diagnostics, threads }, address },
) => {
  const { clock } = database;
  const ip = body.ip === undefined ? null : readAddress(body.ip);
  const message = body.raw === undefined ? messageOf(body) : await readRaw(body.raw, threads, address);
  const now = clock.now();
  const result = await diagnostics.checks.run((lookups) => estimate(message, ip, { ...diagnostics, lookups, now }));
  return { body: toCheckResult('inbox-placement', message.from?.address ?? 'message', result, now) };
};

async function readRaw(raw: string, threads: JobThreads, address: string): Promise<PlacedMessage> {
  const result = await threads.run(anonymousOwner(address), READ_RAW_MESSAGE, raw, raw.length * RAW_MESSAGE_WEIGHT);
  if (result.kind === 'busy') throw new ProblemError('unavailable', { detail: 'Too many messages are being read.' });
  const { raw: bytes, ...message } = result.output;
  // Data from a thread arrives as bytes without the methods of a buffer.
  return { ...message, raw: bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

function messageOf({ from, subject, html, text }: Given): PlacedMessage {
  return {
    raw: null,
    fields: null,
    from: from === undefined ? null : { address: from.address, domain: from.domain },
    subject: subject ?? null,
    html: html ?? null,
    text: text ?? null,
    filenames: [],
    isUnreadable: false,
  };
}

function readAddress(given: string): string {
  const address = toAddress(given);
  const refused = address === null ? 'must be an IP address' : refuseAddress(address, { allowLoopback: false });
  if (address !== null && refused === null) return address;
  const code = address === null ? 'invalid_format' : 'private_address';
  throw validationFailed([{ path: 'ip', code, message: refused ?? '' }]);
}
