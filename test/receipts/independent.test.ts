import { execFileSync } from 'node:child_process';
import { createPublicKey, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openReceipt as openInCli } from '../../packages/cli/src/receipts/open-receipt.ts';
import { claimsOf } from '../../packages/server/src/receipts/decision-claims.ts';
import { kidOf, openReceipt, signReceipt } from '../../packages/server/src/receipts/receipt-token.ts';
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts';
import { CHANGES, makeSigner, partsOf, type Signer } from './changed-receipts.ts';
import { type IndependentProgram, readIndependentProgram } from './independent-program.ts';

const ISSUER = 'https://mail.example.com';
/** `pnpm test:receipts` sets 10,000. */
const COUNT = Number(process.env['RECEIPTS'] ?? 300);

/** A receipt with random facts. */
function makeReceipt(random: SeededRandom, { kid, privateKey }: Signer): string {
  const now = new Date(random.integer(1_700_000_000_000, 2_000_000_000_000));
  const digest = () => Array.from({ length: 64 }, () => random.integer(0, 15).toString(16)).join('');
  const isRejection = random.chance(0.2);
  const claims = claimsOf({
    ...{ baseUrl: ISSUER, contentHash: digest(), scheduledAt: random.chance(0.3) ? now : null, now },
    ...(isRejection
      ? ({ decision: 'rejected', outcome: null, rejectCode: 'policy' } as const)
      : ({ decision: 'approved', outcome: 'queued', rejectCode: null } as const)),
    edited: random.chance(0.3) ? ['subject'] : [],
    files: Array.from({ length: random.integer(0, 3) }, () => ({ sha256: digest(), contentId: null })),
    hold: {
      ...{ accountId: randomUUID(), id: randomUUID(), messageId: randomUUID(), keyId: randomUUID() },
      ...{ contentHash: digest(), heldContentHash: null, reasons: ['firstContact'], createdAt: now },
    },
    revision: random.integer(1, 6),
    approvers: isRejection ? null : { requirePasskey: false, count: 1, memberIds: null },
    deciders: [
      {
        ...{ kind: 'member', id: randomUUID(), email: random.pick(['ada@example.com', 'zoë@example.com']) },
        ...{ way: 'console', sessionId: randomUUID(), at: now.toISOString() },
      },
    ],
  });
  return signReceipt(kid, privateKey, claims);
}

describe('the program in docs/receipts.md', () => {
  const random = seededRandom('receipts');
  const [own, former, foreign] = [makeSigner(), makeSigner(), makeSigner()];
  const keys = [own.jwk, former.jwk];
  const receipts = Array.from({ length: COUNT }, () => makeReceipt(random, own));
  let program: IndependentProgram;
  beforeAll(async () => {
    program = await readIndependentProgram();
  });

  it('has at most 40 lines and imports nothing but Node', { tags: ['receipts.independent'] }, () => {
    expect(program.lines.length).toBeLessThanOrEqual(40);
    const imports = program.lines.flatMap((line) => /from '([^']+)'/.exec(line)?.[1] ?? []);
    expect(imports).toEqual(['node:crypto', 'node:fs']);
  });

  it('verifies every receipt', { tags: ['receipts.independent'] }, () => {
    for (const receipt of receipts) {
      expect(program.verifyReceipt(receipt, keys, ISSUER)).toMatchObject({ iss: ISSUER });
    }
  });

  it('refuses every changed receipt, as the server and the command do', {
    tags: ['receipts.independent', 'receipts.tampered'],
  }, () => {
    const changes = Object.entries(CHANGES);
    const publicKey = createPublicKey({ format: 'jwk', key: own.jwk as never });
    receipts.forEach((receipt, index) => {
      const [name, change] = changes[index % changes.length] ?? changes[0] ?? [];
      const given = { random, ...partsOf(receipt), own, former, foreign };
      const changed = change?.({ ...given, other: makeReceipt(random, own) }) ?? receipt;
      expect([name, changed]).not.toEqual([name, receipt]);
      expect(() => program.verifyReceipt(changed, keys, ISSUER), `${name}: ${changed}`).toThrow();
      const inCli = openInCli(changed, keys);
      expect([name, inCli.ok && inCli.claims['iss'] === ISSUER]).toEqual([name, false]);
      // The server signs for no other issuer with this key.
      const inServer = kidOf(changed) === own.kid ? openReceipt(changed, publicKey) : null;
      if (name !== 'another issuer, by the same key') expect([name, inServer]).toEqual([name, null]);
    });
  });

  it('runs as its comment says', async () => {
    const folder = dirname(program.file);
    const [receipt = ''] = receipts;
    await writeFile(join(folder, 'receipt.jws'), `${receipt}\n`);
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
    const run = (issuer: string) =>
      execFileSync(process.execPath, [program.file, 'receipt.jws', 'keys.json', issuer], {
        cwd: folder,
        stdio: 'pipe',
      });
    expect(run(ISSUER).toString()).toContain('contentHash');
    expect(() => run('https://other.example')).toThrow('another issuer');
  });
});
