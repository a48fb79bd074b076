import { afterAll, describe, expect, it } from 'vitest';
import { QUIET_HTML } from '../../packages/server/src/console/quiet-html.ts';
import { CAPTURED_HTML, CAPTURED_MESSAGE } from '../../packages/server/src/console/read-captured.ts';
import { READ_RAW_MESSAGE } from '../../packages/server/src/diagnostics/placement/read-raw-message.ts';
import { RENDER_DOCUMENT } from '../../packages/server/src/operations/service/openapi-document.ts';
import { BODY_TEXT } from '../../packages/server/src/sending/content/body-text.ts';
import { READ_SUBMISSION } from '../../packages/server/src/smtp-submission/read-submission.ts';
import { ALWAYS_LARGE, createJobThreads } from '../../packages/server/src/threads/job-threads.ts';
import type { ThreadJob } from '../../packages/server/src/threads/thread-job.ts';
import { FAILS, PRIORITY, SPINS } from './odd-jobs.ts';

const OWNER = { accountId: 'account', keyId: 'key' };
const RAW = Buffer.from(
  'From: ada@sandbox.test\r\nSubject: Hello\r\nContent-Type: text/html\r\n\r\n<p>Hi <b>Ann</b></p>\r\n',
);

describe('the threads for jobs', () => {
  const threads = createJobThreads();
  afterAll(() => threads.close());

  async function expectSame<Input, Output>(job: ThreadJob<Input, Output>, input: Input): Promise<void> {
    const here = await threads.run(OWNER, job, input, 0);
    const there = await threads.run(OWNER, job, input, ALWAYS_LARGE);
    expect(there.kind, job.name).toBe('done');
    expect(plain(there), job.name).toEqual(plain(here));
  }

  it('do the same as the event loop', { timeout: 60_000 }, async () => {
    await expectSame(QUIET_HTML, '<a href="https://a.example" onclick="x">x</a>');
    await expectSame(BODY_TEXT, { html: '<p>Hi <b>Ann</b></p>', text: null });
    await expectSame(CAPTURED_MESSAGE, RAW);
    await expectSame(CAPTURED_HTML, RAW);
    await expectSame(READ_RAW_MESSAGE, RAW.toString());
    await expectSame(RENDER_DOCUMENT, { version: '1.0.0', serverUrl: 'https://mail.example' });
    await expectSame(READ_SUBMISSION, { raw: RAW, envelope: ['ann@example.com'] });
    await expectSame(READ_SUBMISSION, { raw: Buffer.from('no header\r\n'), envelope: ['ann@example.com'] });
  });

  it.runIf(process.platform === 'linux')('leave the processors to the event loop when these are scarce', async () => {
    const before = await PRIORITY.run(undefined);
    const there = await threads.run(OWNER, PRIORITY, undefined, ALWAYS_LARGE);
    expect(there).toEqual({ kind: 'done', output: before + 5 });
    expect(await PRIORITY.run(undefined)).toBe(before);
  });

  it('leave the event loop free, and continue after a failed job', { timeout: 60_000 }, async () => {
    await expect(threads.run(OWNER, FAILS, 'it', ALWAYS_LARGE)).rejects.toThrow('it is wrong');
    const before = process.threadCpuUsage();
    expect(await threads.run(OWNER, SPINS, 500, ALWAYS_LARGE)).toEqual({ kind: 'done', output: 500 });
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(250);
  });
});

/** Buffers come back from a thread as plain bytes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, inner) => (inner?.type === 'Buffer' ? { ...inner.data } : inner)));
}
