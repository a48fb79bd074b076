import { afterEach, describe, expect, it } from 'vitest';
import { createSpamdClient } from '../../packages/server/src/diagnostics/spamd-client.ts';
import { readSpamd } from '../../packages/server/src/diagnostics/tool-settings.ts';
import { startSpamd, type TestSpamd } from '../harness/spamd.ts';

const OK = 'SPAMD/1.1 0 EX_OK\r\nContent-length: 24\r\nSpam: True ; 7.4 / 5.0\r\n\r\nBAYES_99,MISSING_SUBJECT\r\n';

describe('the client of SpamAssassin', () => {
  let spamd: TestSpamd | null = null;
  afterEach(async () => {
    await spamd?.close();
    spamd = null;
  });

  const judge = async (response: string | null, signal = AbortSignal.timeout(5_000)) => {
    spamd = await startSpamd(response);
    return await createSpamdClient({ host: '127.0.0.1', port: spamd.port }).judge(
      Buffer.from('Subject: x\r\n\r\nhällo'),
      signal,
    );
  };

  it('sends the whole message and reads the score with its rules', async () => {
    expect(await judge(OK)).toEqual({
      ok: true,
      isSpam: true,
      score: 7.4,
      threshold: 5,
      rules: ['BAYES_99', 'MISSING_SUBJECT'],
    });
    expect(spamd?.received).toEqual([{ command: 'SYMBOLS SPAMC/1.5', message: 'Subject: x\r\n\r\nhällo' }]);
  });

  it('reads a score below zero', async () => {
    expect(await judge('SPAMD/1.5 0 EX_OK\r\nSpam: False ; -1.9 / 5.0\r\n\r\n')).toMatchObject({
      isSpam: false,
      score: -1.9,
    });
  });

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'unknown response'],
    ['SPAMD/1.0 76 Bad header line: (EOF during headers)\r\n\r\n', 'error 76'],
    ['SPAMD/1.5 0 EX_OK\r\n\r\n', 'no score'],
    ['', 'unknown response'],
    ['x'.repeat(500_000), 'unknown response'],
  ])('says that it could not check, for %j', async (response, reason) => {
    expect(await judge(response)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('does not wait for a server that never responds', async () => {
    expect(await judge(null, AbortSignal.timeout(200))).toEqual({ ok: false, reason: 'it did not respond in time' });
  });

  it('says that it could not check when nothing listens, without naming the address', async () => {
    spamd = await startSpamd(null);
    const { port } = spamd;
    await spamd.close();
    spamd = null;
    const verdict = await createSpamdClient({ host: '127.0.0.1', port }).judge(
      Buffer.from(''),
      AbortSignal.timeout(5_000),
    );
    expect(verdict).toEqual({ ok: false, reason: 'the connection failed (ECONNREFUSED)' });
  });

  it.each([
    ['localhost:783', { host: 'localhost', port: 783 }],
    ['127.0.0.1:783', { host: '127.0.0.1', port: 783 }],
    ['[::1]:783', { host: '::1', port: 783 }],
    ['localhost', null],
    ['localhost:0', null],
    ['localhost:70000', null],
    ['[host]:783', null],
    ['tcp://localhost:783', null],
  ])('reads the setting %s', (text, address) => {
    const logged: string[] = [];
    expect(readSpamd(text, (message) => logged.push(message))).toEqual(address);
    expect(logged).toEqual(address === null ? [`"${text}" is not host:port`] : []);
  });
});
