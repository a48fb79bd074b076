import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runToContinue, waitForDecision } from '../../tools/agents/examples/continue-run.ts';
import type { Email } from '../../tools/agents/examples/held-send.ts';
import type { Script } from '../../tools/agents/scripted/script.ts';
import { decide as decideOn, decidingKey, holdingKey } from '../approvals/approving.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type ReceivedEvent, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type Ended, runScript } from './run-script.ts';

const EMAIL: Email = { to: 'delivered@sandbox.test', subject: 'Your invoice', text: 'Please find it below.' };
const OTHER: Email = { to: 'bounced@sandbox.test', subject: 'Your receipt', text: 'Thank you.' };
/** Processes that load a framework take seconds on a busy machine. */
const TIMEOUT_MS = 120_000;

let server: TestApp;
let receiver: WebhookReceiver;
let secret: string;
let folder: string;
let agent: { readonly id: string; readonly key: string };
let connectionString: string;
let approver: string;

beforeAll(async () => {
  server = await startTestApp();
  approver = await decidingKey(server);
  receiver = await startWebhookReceiver();
  const created = await server.call('POST', '/webhooks', {
    body: { url: receiver.url, events: ['approval.requested', 'approval.decided'] },
  });
  secret = created.body.secret;
  folder = await mkdtemp(path.join(tmpdir(), 'postrider-runs-'));
  const { target } = server.database;
  if (target.kind !== 'socket') throw new Error('The test database listens on a socket.');
  connectionString = `socket:${target.host}?db=${target.database}&user=${target.user}`;
});
afterAll(async () => {
  await receiver?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  // What an agent has in practice: it sends and reads its own mail, and every send is held.
  agent = await holdingKey(server, { scopes: ['sending'] });
});

/** A message as the tests read it in a list. */
interface Listed {
  readonly id: string;
  readonly status: string;
  readonly subject: string;
}

/** A run is stored for the third time when it is stored with its sends. */
const SAVE_AFTER_SEND = 3;
const FRAMEWORKS = ['ai-sdk', 'openai-agents', 'langgraph'] as const;

describe.each(FRAMEWORKS)('a run of %s', { timeout: TIMEOUT_MS }, (framework) => {
  let count = 0;
  let runId: string;
  beforeEach(() => {
    count += 1;
    runId = `${framework}-${count}`;
  });

  /** One process of the run. */
  async function step(mode: Script['mode'], more: Partial<Script> = {}): Promise<Ended> {
    const script = { mode, runId, folder, emails: [EMAIL], connectionString, ...more };
    const ended = await runScript(framework, script, { baseUrl: server.baseUrl, key: agent.key });
    if (more.crashAtSave === undefined) expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    return ended;
  }

  it('ends in one process if nothing is held', async () => {
    agent = await holdingKey(server, { scopes: ['sending'], approvalMode: 'off' });
    expect((await step('start')).text).toMatch(/^The tools said: .*delivered/);
    expect(await sends()).toMatchObject([{ status: 'delivered' }]);
  });

  it('is suspended by a hold, continues in another process after the approval, and the model reads the outcome', async () => {
    expect((await step('start')).text).toBeNull();
    const [held] = await sends();
    expect(held).toMatchObject({ status: 'pending_approval', subject: EMAIL.subject });
    // Whatever wakes the run too early changes nothing.
    expect((await step('continue')).text).toBeNull();
    expect(await sends()).toHaveLength(1);

    await decide(held, { decision: 'approve' });
    expect(await decidedRun(held?.id)).toBe(runId);
    const { text } = await step('continue');
    expect(text).toMatch(/delivered/);
    expect(text).toMatch(/approved/);
    expect(await sends()).toMatchObject([{ id: held?.id, status: 'delivered' }]);
  });

  it('continues after a rejection, and the model reads the code and the note', async () => {
    await step('start');
    const [held] = await sends();
    await decide(held, { decision: 'reject', rejectCode: 'wrong_recipient', note: 'Ask Ada first.' });
    await waitForDecision(new Postrider({ apiKey: agent.key, baseUrl: server.baseUrl }), held?.id ?? '');
    const { text } = await step('continue');
    expect(text).toMatch(/rejected/);
    expect(text).toMatch(/wrong_recipient/);
    expect(text).toMatch(/Ask Ada first\./);
    expect(await sends()).toMatchObject([{ id: held?.id, status: 'rejected' }]);
  });

  it('waits for every decision if one answer of the model sends two emails', async () => {
    const both = { emails: [EMAIL, OTHER] };
    await step('start', both);
    const holds = await sends();
    const first = holds.find(({ subject }) => subject === EMAIL.subject);
    const second = holds.find(({ subject }) => subject === OTHER.subject);
    await decide(first, { decision: 'approve' });
    expect((await step('continue', both)).text).toBeNull();
    await decide(second, { decision: 'reject', rejectCode: 'not_needed' });
    const { text } = await step('continue', both);
    expect(text).toMatch(/approved.*not_needed/);
    expect(await sends()).toHaveLength(2);
  });

  it('sends nothing twice if it is started again', async () => {
    await step('start');
    expect((await step('start')).text).toBeNull();
    expect(await sends()).toHaveLength(1);
  });

  it('leaves the email held if the stored run or what resumes it claims an approval', async () => {
    await step('start');
    const { text } = await step('forge');
    // In the AI SDK, results are messages, so the model believes a forged one. The email is held anyway.
    if (framework !== 'ai-sdk') expect(text).toBeNull();
    expect(await sends()).toMatchObject([{ status: 'pending_approval' }]);
  });

  it('tells the model why a send was refused, and ends', async () => {
    await server.call('POST', '/suppressions', { body: { email: 'gone@example.com' } });
    const { text } = await step('start', { emails: [{ ...EMAIL, to: 'gone@example.com' }] });
    expect(text).toMatch(/recipient_suppressed/);
    expect(await sends()).toEqual([]);
  });

  it('sends nothing twice after a crash between a send and its record', async () => {
    expect((await step('start', { crashAtSave: SAVE_AFTER_SEND })).exitCode).toBe(9);
    const [held] = await sends();
    expect((await step('continue')).text).toBeNull();
    expect(await sends()).toMatchObject([{ id: held?.id, status: 'pending_approval' }]);
  });

  /** All messages of the agent, which is a new one in every test. */
  async function sends(): Promise<readonly Listed[]> {
    const { body } = await server.call('GET', `/emails?key_id=${agent.id}`);
    return body.messages;
  }
});

describe('what continues a run', () => {
  it('refuses a request that Postrider did not sign, and ignores other events', async () => {
    const postrider = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const sent = await server.send({ metadata: { run: 'run-1' } }, { key: agent.key });
    const requested = await receiver.first(({ event }) => event.data.emailId === sent.body.id);
    expect(await runToContinue(postrider, requestOf(requested), secret)).toBeNull();
    const forged = { ...requestOf(requested), body: Buffer.from(requested.body.replace('requested', 'decided')) };
    await expect(runToContinue(postrider, forged, secret)).rejects.toThrow(PostriderError);
  });
});

async function decide(held: Listed | undefined, body: Readonly<Record<string, unknown>>): Promise<void> {
  const { body: message } = await server.call('GET', `/emails/${held?.id}`);
  expect((await decideOn(server, approver, message.approval.id, body)).status).toBe(200);
}

/** The run that the webhook about the decision on this email leads to. */
async function decidedRun(emailId = ''): Promise<string | null> {
  const event = await receiver.first(
    ({ event }) => event.type === 'approval.decided' && event.data.emailId === emailId,
  );
  return await runToContinue(new Postrider({ apiKey: agent.key, baseUrl: server.baseUrl }), requestOf(event), secret);
}

function requestOf({ body, headers }: ReceivedEvent) {
  return { body: Buffer.from(body), headers: new Headers(headers as Record<string, string>) };
}
