import { generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import { openReceipt as openInCli } from '../../packages/cli/src/receipts/open-receipt.ts';
import { findApproverFault } from '../../packages/cli/src/receipts/verify-approvers.ts';
import { findPasskeyFault } from '../../packages/cli/src/receipts/verify-passkey.ts';
import { openReceipt, signReceipt } from '../../packages/server/src/receipts/receipt-token.ts';
import { cpuInTurns, ratiosOf } from '../parts/cpu-in-turns.ts';
import { judge, median, round } from '../parts/report.ts';
import { confirmClaims, createES256Passkey, sampleClaims } from './sample-receipt.ts';

/**
 * Each in bare signatures or verifications of as many bytes in the same run. JSON and base64url add 5 to 24 % here, and the command makes the
 * key of a passkey from its JWK for every receipt, which adds a third. A second verification or signature would miss each bound.
 */
const MOST = { sign: 1.5, verify: 1.3, verifyInCli: 1.4, verifyPasskey: 1.7 } as const;

/** Signing and verifying receipts, compared with the signatures alone: Ed25519 of the server, and ES256 of a passkey. */
export function benchSignatures({ count, rounds }: { readonly count: number; readonly rounds: number }): boolean {
  const own = generateKeyPairSync('ed25519');
  const passkey = createES256Passkey();
  const { x = '' } = own.publicKey.export({ format: 'jwk' });
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  const keys = [{ kty: 'OKP', crv: 'Ed25519', x, kid }];
  const claims = Array.from({ length: count }, (_, index) => sampleClaims(index));
  const confirmed = claims.map((each) => confirmClaims(each, passkey));
  const receipts = claims.map((each) => signReceipt(kid, own.privateKey, each));
  const withPasskey = confirmed.map((each) => signReceipt(kid, own.privateKey, each));
  const signed = receipts.map(toSigned);
  const signedWithPasskey = withPasskey.map(toSigned);
  // The bytes that an authenticator signs: its data and a hash.
  const assertions = confirmed.map((_, index) => Buffer.from(hash('sha512', `${index}`) + hash('md5', `${index}`)));
  const ofPasskey = assertions.map((bytes) => sign('sha256', bytes, passkey.privateKey));

  const us = cpuInTurns(
    {
      'sign, bare Ed25519': (index) => sign(null, signed[index]?.bytes ?? Buffer.alloc(0), own.privateKey),
      'sign a receipt': (index) => signReceipt(kid, own.privateKey, claims[index] ?? sampleClaims(index)),
      'verify, bare Ed25519': (index) => assertTrue(isSigned(signed[index], own.publicKey)),
      'verify a receipt, as the server does': (index) => assertTrue(openReceipt(receipts[index] ?? '', own.publicKey)),
      'verify a receipt, as the command does': (index) => assertTrue(openAsCommand(receipts[index] ?? '', keys)),
      'verify, bare Ed25519, with the size of one with a passkey': (index) =>
        assertTrue(isSigned(signedWithPasskey[index], own.publicKey)),
      'verify, bare ES256': (index) =>
        assertTrue(
          verify(
            'sha256',
            assertions[index] ?? Buffer.alloc(0),
            passkey.publicKey,
            ofPasskey[index] ?? Buffer.alloc(0),
          ),
        ),
      'verify a receipt with a passkey, as the command does': (index) =>
        assertTrue(openAsCommand(withPasskey[index] ?? '', keys)),
    },
    { count, rounds },
  );

  console.log(`\nsignatures: ${round(count)} receipts a round, ${rounds} alternating rounds (medians of CPU time)`);
  for (const [name, spent] of Object.entries(us)) {
    console.log(`  ${name}: ${round(median(spent), 1)} µs, ${round((median(spent) * count) / 1e6, 2)} s for all`);
  }
  const bare = us['verify, bare Ed25519'];
  const both = [us['verify, bare Ed25519, with the size of one with a passkey'], us['verify, bare ES256']] as const;
  const ratios = [
    [
      'signing a receipt, in bare Ed25519 signatures',
      ratiosOf(us['sign a receipt'], us['sign, bare Ed25519']),
      MOST.sign,
    ],
    [
      'verifying on the server, in bare Ed25519 verifications',
      ratiosOf(us['verify a receipt, as the server does'], bare),
      MOST.verify,
    ],
    [
      'verifying by the command, in bare Ed25519 verifications',
      ratiosOf(us['verify a receipt, as the command does'], bare),
      MOST.verifyInCli,
    ],
    [
      'verifying with a passkey by the command, in bare Ed25519 and ES256 verifications',
      ratiosOf(us['verify a receipt with a passkey, as the command does'], ...both),
      MOST.verifyPasskey,
    ],
  ] as const;
  for (const [what, values, bound] of ratios) console.log(judge(what, median(values), bound, 'at most'));
  return ratios.every(([, values, bound]) => median(values) <= bound);
}

interface Signed {
  readonly bytes: Buffer;
  readonly signature: Buffer;
}

function toSigned(receipt: string): Signed {
  const dot = receipt.lastIndexOf('.');
  return { bytes: Buffer.from(receipt.slice(0, dot)), signature: Buffer.from(receipt.slice(dot + 1), 'base64url') };
}

function isSigned(given: Signed | undefined, publicKey: Parameters<typeof verify>[2]): boolean {
  return given !== undefined && verify(null, given.bytes, publicKey, given.signature);
}

/** What `postrider audit verify-receipt` does with a receipt, without reading files. */
function openAsCommand(receipt: string, keys: Parameters<typeof openInCli>[1]): boolean {
  const verdict = openInCli(receipt, keys);
  if (!verdict.ok) return false;
  const { claims } = verdict;
  const deciders = claims['deciders'] as readonly Record<string, unknown>[]; // Signed by this benchmark.
  const isProven = deciders.every((decider) => findPasskeyFault(claims, decider) === null);
  return isProven && findApproverFault(claims) === null;
}

function assertTrue(value: unknown): void {
  if (!value) throw new Error('a receipt is not valid');
}
