import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { toSecretKey } from '../../packages/server/src/keys/secret-key.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp } from '../harness/test-app.ts';

const KEY = Buffer.alloc(32, 1);

describe('secrets at rest', () => {
  it('are sealed differently each time and open with the same key alone', {
    tags: ['contract-settings.secret-key'],
  }, () => {
    const box = createSecretBox(KEY);
    const [one, two] = [box.seal('secret Zoë'), box.seal('secret Zoë')];
    expect(one.equals(two)).toBe(false);
    expect(one.includes('secret')).toBe(false);
    expect([box.open(one), box.open(two)]).toEqual(['secret Zoë', 'secret Zoë']);
    expect(() => createSecretBox(Buffer.alloc(32, 2)).open(one)).toThrow();
  });

  it('reveal every change of their envelope', () => {
    const box = createSecretBox(KEY);
    const sealed = box.seal('secret');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed), `${at}`).toThrow();
    }
    expect(() => box.open(sealed.subarray(0, -1))).toThrow();
  });

  it('leave no readable private key in the database, and open with the installation’s key alone', {
    tags: ['contract-settings.secret-key', 'domains.keys-encrypted'],
  }, async () => {
    const server = await startTestApp();
    await server.addDomain('example.com');
    const rows = await server.database.sql<{ key: Buffer }[]>`SELECT private_key AS key FROM dkim_keys`;
    expect(rows.length).toBeGreaterThanOrEqual(2);
    for (const { key } of rows) {
      expect(Buffer.from(key).toString('latin1')).not.toMatch(/PRIVATE KEY|BEGIN/);
      // Neither as its bare bytes, which begin with the version and the algorithm (RFC 5208).
      expect(Buffer.from(key).includes(Buffer.from('2a864886f70d010101', 'hex'))).toBe(false);
      expect(createSecretBox(TEST_SECRET_KEY).open(key)).toMatch(/^-----BEGIN PRIVATE KEY-----/);
      expect(() => createSecretBox(KEY).open(key)).toThrow();
    }
    await server.close();
  });
});

describe('the key that secrets are sealed with', () => {
  it('is 32 bytes in hex or base64, or any other text of at least 32 characters', {
    tags: ['contract-settings.secret-key'],
  }, () => {
    expect(toSecretKey(KEY.toString('hex'))).toEqual(KEY);
    expect(toSecretKey(KEY.toString('base64'))).toEqual(KEY);
    const stretched = toSecretKey('correct horse battery staple, and more');
    expect(stretched).toHaveLength(32);
    expect(toSecretKey('correct horse battery staple, and more')).toEqual(stretched);
    expect(toSecretKey('correct horse battery staple, and mort')).not.toEqual(stretched);
    expect(toSecretKey('x'.repeat(32))).toHaveLength(32);
    expect(toSecretKey('x'.repeat(31))).toBeNull();
    expect(toSecretKey('')).toBeNull();
  });
});
