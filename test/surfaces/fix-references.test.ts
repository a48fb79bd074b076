import { ERRORS, nameOperation, OPERATIONS, type Operation } from '@postrider/core';
import { TOOLS } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameCommands } from '../../packages/cli/src/command-names.ts';
import { createNameTools } from '../../packages/mcp/src/tool-names.ts';
import { nameCommands as nameInReply } from '../../packages/server/src/smtp-submission/smtp-refusal.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';
import { connectTo } from '../mcp/connect.ts';
import { readTree } from '../repository/source-tree.ts';

const METHOD_AND_PATH = /\b(?:GET|POST|PATCH|DELETE) \//;
const CATALOGUE = Object.entries(ERRORS).map(([code, { fix }]) => ({ code, fix }));
const ALL_TOOLS = new Set(TOOLS.map(({ definition }) => definition.name));
const DEFAULT_TOOLS = new Set(TOOLS.filter(({ toolset }) => toolset === null).map(({ definition }) => definition.name));
const operations: readonly Operation[] = OPERATIONS;
const named = operations.filter(({ aliasOf }) => aliasOf === undefined);

/** Each way of a caller to the API that is not REST, with the words it puts in the place of an operation. */
const SURFACES = [
  { surface: 'MCP with all tools', rename: createNameTools(ALL_TOOLS) },
  { surface: 'MCP with the default tools', rename: createNameTools(DEFAULT_TOOLS) },
  { surface: 'MCP without tools', rename: createNameTools(new Set()) },
  { surface: 'the CLI', rename: nameCommands },
  { surface: 'SMTP', rename: nameInReply },
];

describe.each(SURFACES)('a fix of the catalog over $surface', ({ rename }) => {
  it('names no method and path', () => {
    expect(CATALOGUE.filter(({ fix }) => METHOD_AND_PATH.test(rename(fix)))).toEqual([]);
  });

  it('resolves every operation of the registry', () => {
    const left = named.filter((operation) =>
      METHOD_AND_PATH.test(rename(`Use ${nameOperation(operation.id as 'emails.get')}.`)),
    );
    expect(left.map(({ id }) => id)).toEqual([]);
  });
});

describe('a reference to an operation', () => {
  const verify = nameOperation('domains.verify', { id: 'd1' });

  it('is its method and path over REST', () => {
    expect(verify).toBe('`POST /domains/d1/verify`');
    expect(nameOperation('domains.verify')).toBe('`POST /domains/:id/verify`');
  });

  it('is its tool over MCP, with the id as an argument', () => {
    expect(createNameTools(ALL_TOOLS)(`Use ${verify}.`)).toBe('Use `verify_domain` (id d1).');
  });

  it('is the command for a user to run when the connection has no tool for it', () => {
    const text = createNameTools(DEFAULT_TOOLS)(`Use ${verify}.`);
    expect(text).toBe('Use `postrider domains verify d1` (no tool here does this: ask a user to run it).');
  });

  it('is its command in the CLI and over SMTP, with the id as an argument or open', () => {
    expect(nameCommands(verify)).toBe('`postrider domains verify d1`');
    expect(nameCommands(nameOperation('domains.verify'))).toBe('`postrider domains verify <id>`');
    expect(nameInReply(verify)).toBe('the command `postrider domains verify d1`');
  });

  it('prefers a fixed path to one with a parameter', () => {
    expect(nameCommands(nameOperation('keys.self'))).toBe('`postrider keys self`');
    expect(nameCommands(nameOperation('templates.drafts'))).toBe('`postrider templates drafts`');
  });

  it('stays unchanged when the registry has no such operation', () => {
    expect(nameCommands('Use `GET /nowhere`.')).toBe('Use `GET /nowhere`.');
  });

  it('has the parameters of its path as the first positional arguments of its command', () => {
    for (const { id, path, cli } of named) {
      if (cli === null) continue;
      const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect([id, ...(cli.positional ?? []).slice(0, params.length)]).toEqual([id, ...params]);
    }
  });

  it('is written from the registry in every fix of the server', () => {
    const byHand = readTree()
      .filter(({ path }) => /^packages\/server\/src\/.+\.ts$/.test(path) && !path.includes('/doctor/'))
      .flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, line })))
      .filter(({ line }) => /\bfix: /.test(line) && /(?:GET|POST|PATCH|DELETE) \/|`postrider [a-z]+ [a-z]/.test(line));
    expect(byHand).toEqual([]);
  });
});

describe('the fix of a send from an unknown domain', () => {
  const mail = { from: 'ada@unknown.example', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi' };
  let server: SubmissionApp;
  beforeAll(async () => {
    server = await startSubmissionApp();
  });
  afterAll(() => server.close());

  it('names method and path over REST', async () => {
    const { body } = await server.call('POST', '/emails', { body: mail });
    expect(body.fix).toContain('add it with `POST /domains`');
  });

  it('names the tool over MCP, in errors, previews and batch items', async () => {
    const tools = await connectTo(server, 'toolsets=domains');
    const refused = await tools.call('send_email', mail);
    const preview = await tools.call('preview_email', mail);
    const batch = await tools.call('send_email_batch', { emails: [mail] });
    await tools.close();
    for (const { text, record } of [refused, preview, batch]) {
      expect(text).toContain('add it with `create_domain`');
      expect(JSON.stringify(record)).toContain('add it with `create_domain`');
      expect(text).not.toMatch(METHOD_AND_PATH);
    }
  });

  it('names the command for a user over MCP without the toolset', async () => {
    const tools = await connectTo(server);
    const { text } = await tools.call('send_email', mail);
    await tools.close();
    expect(text).toContain('add it with `postrider domains add` (no tool here does this: ask a user to run it)');
  });

  it('names the command in the CLI, in sentences and in JSON', async () => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    const given = ['--from', mail.from, '--to', mail.to, '--subject', mail.subject, '--text', mail.text];
    const refused = await runInProcess(['send', ...given], { env });
    const json = await runInProcess(['send', ...given, '--json'], { env });
    const preview = await runInProcess(['send', ...given, '--dry-run'], { env });
    for (const output of [refused.stderr, json.stderr, preview.stdout]) {
      expect(output).toContain('add it with `postrider domains add`');
      expect(output).not.toMatch(METHOD_AND_PATH);
    }
  });

  it('names the command in the reply over SMTP', async () => {
    const { reply } = await sendBySmtp(server, { key: server.key }, mail);
    expect(reply).toContain("add it with the command 'postrider domains add'");
    expect(reply).not.toMatch(METHOD_AND_PATH);
  });
});
