import { generateKeyPairSync, hash, randomBytes, verify } from 'node:crypto';
import { makeMessage } from '../../packages/server/src/delivery/make-message.ts';
import { openReceipt, signReceipt } from '../../packages/server/src/receipts/receipt-token.ts';
import { cpuInTurns, ratiosOf } from '../parts/cpu-in-turns.ts';
import { judge, median, round } from '../parts/report.ts';
import { heldOrder } from './held-order.ts';
import { sampleClaims } from './sample-receipt.ts';

const FILE_BYTES = 1_000_000;
/**
 * The check measures 1.6 to 2.4 compositions with a bare verification: it hashes the content and reads the composed bytes back. The highest
 * values are of files, where a round has few messages and garbage collection counts.
 */
const MOST = 3;
const KINDS = [
  { name: '3 KB with ten tracked links', files: 0, share: 10, least: 500 },
  { name: 'the same with a file of 1 MB', files: 1, share: 200, least: 40 },
] as const;

/**
 * What the check at delivery adds to a message that was held: reading its receipt, hashing the stored content, and reading the composed bytes
 * back. Compared with composing the message, and the signature and the hash that any check of a receipt needs.
 */
export function benchDeliveryCheck({ count, rounds }: { readonly count: number; readonly rounds: number }): boolean {
  return KINDS.map((kind) =>
    benchKind(kind, { count: Math.max(Math.ceil(count / kind.share), kind.least), rounds }),
  ).every(Boolean);
}

function benchKind(
  { name, files }: (typeof KINDS)[number],
  { count, rounds }: { readonly count: number; readonly rounds: number },
): boolean {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const held = Array.from({ length: count }, (_, index) => {
    const { order, contentHash } = heldOrder(
      index,
      Array.from({ length: files }, () => randomBytes(FILE_BYTES)),
    );
    const claims = { ...sampleClaims(index, order.content.messageId, order.content.accountId), contentHash };
    const receipt = signReceipt('kid', privateKey, claims);
    const dot = receipt.lastIndexOf('.');
    const signature = Buffer.from(receipt.slice(dot + 1), 'base64url');
    const made = makeMessage(order);
    if (!made.ok) throw new Error(made.reason);
    return { order, receipt, signed: Buffer.from(receipt.slice(0, dot)), signature, body: made.composed.body };
  });
  const at = (index: number) => {
    const found = held[index];
    if (found === undefined) throw new Error(`there is no message ${index}`);
    return found;
  };
  const us = cpuInTurns(
    {
      compose: (index) => makeMessage(at(index).order),
      'an Ed25519 verification and a SHA-256 of the body': (index) => {
        const { signed, signature, body } = at(index);
        verify(null, signed, publicKey, signature);
        hash('sha256', body);
      },
      'read the receipt, compose and compare': (index) => {
        const { order, receipt } = at(index);
        const claims = openReceipt(receipt, publicKey);
        if (claims === null) throw new Error('the receipt is not valid');
        const approved = { contentHash: claims.contentHash, scheduledAt: null };
        const made = makeMessage({ ...order, approved });
        if (!made.ok || made.checkedDigest === null) throw new Error(made.ok ? 'not compared' : made.reason);
      },
    },
    { count, rounds },
  );
  console.log(`\nat delivery, ${name}: ${round(count)} messages a round, ${rounds} rounds (medians of CPU time)`);
  for (const [what, spent] of Object.entries(us)) console.log(`  ${what}: ${round(median(spent), 1)} µs`);
  const ratio = median(
    ratiosOf(
      us['read the receipt, compose and compare'],
      us.compose,
      us['an Ed25519 verification and a SHA-256 of the body'],
    ),
  );
  console.log(judge(`checked at delivery, ${name}, in compositions with a bare verification`, ratio, MOST, 'at most'));
  return ratio <= MOST;
}
