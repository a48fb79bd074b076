import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { Receipts } from '../receipts.ts';

/**
 * Where everyone can read the keys that receipts are verified with (RFC 8615). They have a separate address, so that no other token is
 * verified with them.
 */
const RECEIPT_KEYS_PATH = '/.well-known/postrider-receipts.json';

/** The public keys of receipts, former ones included, as a JWK set (RFC 7517). */
export function addReceiptKeysRoute(app: FastifyInstance, receipts: Receipts): void {
  app.get(RECEIPT_KEYS_PATH, async (_request, reply) =>
    reply
      .header('content-type', 'application/jwk-set+json')
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*')
      .header('x-content-type-options', 'nosniff')
      .send(Buffer.from(JSON.stringify({ keys: await receipts.publicKeys() }))),
  );
  refuseOtherMethods(app, RECEIPT_KEYS_PATH, ['GET']);
}
