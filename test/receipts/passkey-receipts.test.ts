import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPasskeyFault } from '../../packages/cli/src/receipts/verify-passkey.ts';
import { holdingKey } from '../approvals/approving.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { postConfirmed } from '../harness/passkey-confirmation.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { readIndependentProgram } from './independent-program.ts';
import { readPasskeyProgram, type VerifyPasskey } from './passkey-program.ts';

// biome-ignore lint/suspicious/noExplicitAny: claims of a receipt, which the cases change
type Claims = any;

describe('the receipt of an approval with a passkey', { tags: ['passkeys.receipt'] }, () => {
  let server: TestApp;
  let receipt: string;
  let keys: readonly object[];
  let claims: Claims;
  let verify: VerifyPasskey;
  beforeAll(async () => {
    server = await startTestApp();
    const agent = await holdingKey(server, { approvers: { requirePasskey: true } });
    const owner = await signInAs(server, 'owner@sandbox.test');
    const { passkey } = await addPasskey(server, owner);
    const { approvalId: id } = (await server.send({}, { key: agent.key })).body;
    const { contentHash } = (await owner.call('GET', `/keys/approvals/${id}`)).body;
    await postConfirmed(server, owner, passkey, `/console/approvals/${id}`, { decision: 'approve', contentHash });
    ({ receipt } = (await owner.call('GET', `/keys/approvals/${id}`)).body);
    ({ keys } = (await server.call('GET', '/.well-known/postrider-receipts.json', { key: null })).body);
    const { verifyReceipt } = await readIndependentProgram();
    claims = verifyReceipt(receipt, keys, server.baseUrl);
    verify = await readPasskeyProgram();
  });
  afterAll(() => server.close());

  it('is verified by the program in the docs and by the command', async () => {
    expect(verify(claims)).toEqual([claims.deciders[0].id]);
    const folder = await mkdtemp(join(tmpdir(), 'postrider-passkey-'));
    const [file, set] = [join(folder, 'receipt.jws'), join(folder, 'keys.json')];
    await Promise.all([writeFile(file, receipt), writeFile(set, JSON.stringify({ keys }))]);
    const { code, stdout } = await runInProcess(['audit', 'verify-receipt', file, '--keys', set], { columns: 200 });
    expect([code, stdout]).toEqual([0, expect.stringContaining('by console, with a passkey')]);
  });

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const flip = (text: string) => `${text.slice(0, 20)}${text[20] === 'A' ? 'B' : 'A'}${text.slice(21)}`;
  const CHANGES: Readonly<Record<string, (changed: Claims, assertion: Claims) => void>> = {
    'another content': (changed) => Object.assign(changed, { contentHash: '0'.repeat(64) }),
    'another revision': (changed) => Object.assign(changed, { revision: 2 }),
    'another approval': (changed) => Object.assign(changed, { approvalId: changed.emailId }),
    'another account': (changed) => Object.assign(changed, { accountId: changed.emailId }),
    'another server': (changed) => Object.assign(changed, { iss: 'https://evil.example' }),
    'another member': (changed) => Object.assign(changed.deciders[0], { id: changed.emailId }),
    'another nonce': (_, assertion) => Object.assign(assertion, { nonce: 'x' }),
    'more than was confirmed': (_, assertion) => Object.assign(assertion, { confirmed: 'approve-and-remember' }),
    'another host name': (_, assertion) => Object.assign(assertion, { rpId: 'evil.example' }),
    'another key': (_, assertion) => Object.assign(assertion, { publicKey: other }),
    'another signature': (_, assertion) => Object.assign(assertion, { signature: flip(assertion.signature) }),
    'other data of the authenticator': (_, assertion) => {
      const data = Buffer.from(assertion.authenticatorData, 'base64url');
      data.writeUInt32BE(99, 33);
      Object.assign(assertion, { authenticatorData: data.toString('base64url') });
    },
    'a user who was not verified': (_, assertion) => {
      const data = Buffer.from(assertion.authenticatorData, 'base64url');
      data.writeUInt8(0x01, 32);
      Object.assign(assertion, { authenticatorData: data.toString('base64url') });
    },
    'other data of the browser': (_, assertion) => Object.assign(assertion, { clientDataJSON: 'e30' }),
    'no data': (_, assertion) => Object.assign(assertion, { authenticatorData: '', clientDataJSON: '' }),
  };

  it.each(Object.entries(CHANGES))('is refused with %s', (_name, change) => {
    const changed = structuredClone(claims);
    change(changed, changed.deciders[0].assertion);
    expect(findPasskeyFault(changed, changed.deciders[0])).toMatch(/passkey/);
    expect(() => verify(changed)).toThrow();
  });
});
