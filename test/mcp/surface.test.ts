import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  argumentsOf,
  type Effect,
  findOperation,
  OPERATIONS,
  type Operation,
  SCOPES,
  type Scope,
} from '@postrider/core';
import { createMcpServer, DEFAULT_TOOLSET, SURFACE, TOOLS } from '@postrider/mcp';
import { describe, expect, it } from 'vitest';
import { annotationsOf } from '../../packages/mcp/src/tool.ts';
import { mcpSnapshotFiles } from '../../tools/generate/mcp-snapshots.ts';
import { listTools } from './list-tools.ts';
import { scriptInvoke } from './scripted-invoke.ts';

const CHARACTERS_A_TOKEN = 4;
/** What to do about a definition that has become too long. */
const SHORTEN =
  'Shorten the descriptions of its fields in packages/core, or hide arguments that agents do not need with `hides` in its `mcp` exposure.';
const TOOLS_BY_NAME = TOOLS.map((tool) => [tool.definition.name, tool.definition] as const);

/** What no tool reaches, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'approvals.decide-many': 'users decide; a key that may decide does so over the API',
  'approvals.decide': 'as above',
  'approvals.check': 'as above; a send that agents prepare is checked with `dry_run`',
  'templates.publish': 'Users publish drafts, as they decide holds.',
  'webhooks.stream': 'a stream without an end, for a program that listens',
  'auth.session': 'about users who sign in; a tool is called with a key',
  'auth.switch': 'as above',
  'auth.accounts': 'as above',
  'sessions.list': 'as above',
  'sessions.end': 'as above',
  'sessions.end-others': 'as above',
  'passkeys.list': 'as above',
  'passkeys.update': 'as above',
  'passkeys.delete': 'as above',
  'programs.list': 'as above',
  'programs.revoke': 'as above',
  'programs.pause': 'as above',
  'programs.resume': 'as above',
  'auth.magic-link': 'as above',
  'auth.logout': 'as above',
  'auth.oauth': 'as above',
  'auth.device': 'as above',
  'auth.device-page': 'as above',
  'auth.device-confirm': 'as above',
  'auth.device-token': 'as above',
  'service.information': 'about the installation, not the account: a caller of a tool has the response already',
  'service.health': 'as above',
  'service.openapi-json': 'the description of the REST API; a tool has its own',
  'service.openapi-yaml': 'as above',
  'service.mcp': 'the endpoint itself',
  'service.mcp-end': 'as above',
  'service.mcp-stream': 'as above',
};

type Node = Readonly<Record<string, unknown>>;

/** Every object of a JSON Schema, the root included. */
function nodesOf(schema: unknown): Node[] {
  if (Array.isArray(schema)) return schema.flatMap(nodesOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return [{ ...schema }, ...Object.values(schema).flatMap(nodesOf)];
}

function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_A_TOKEN);
}

describe('the surface', () => {
  it('has every operation of the registry that is available over MCP, under its declared name', () => {
    const operations: readonly Operation[] = OPERATIONS;
    const shown = operations.flatMap(({ id, mcp }) => (mcp === null ? [] : [{ tool: mcp.tool, operation: id }]));
    const entries = SURFACE.map(({ tool, operation }) => ({ tool, operation }));
    expect(entries).toEqual(expect.arrayContaining(shown));
  });

  it('covers every operation, except those with a stated reason', () => {
    const reached = new Set<string>(SURFACE.map(({ operation }) => operation));
    const operations: readonly Operation[] = OPERATIONS;
    const left = operations.filter(({ id, aliasOf }) => !reached.has(id) && aliasOf === undefined);
    expect(
      left.map(({ id }) => id),
      'Give the operation an `mcp` exposure, or list it in LEFT_OUT of this file with the reason.',
    ).toEqual(Object.keys(LEFT_OUT));
  });

  it('has no tool that decides about held sends, which users do', () => {
    expect(TOOLS.filter(({ scope }) => scope === 'approvals:decide')).toEqual([]);
  });

  it('has each tool once, in one toolset', () => {
    const names = TOOLS.map(({ definition }) => definition.name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('offers what an agent needs around sending', () => {
    expect(DEFAULT_TOOLSET.map(({ tool }) => tool).sort()).toEqual([
      ...['cancel_email', 'check_recipients', 'get_email', 'get_sending_context', 'get_stats', 'get_template'],
      ...[
        'list_domains',
        'list_emails',
        'list_suppressions',
        'list_templates',
        'preview_email',
        'render_template',
        'resend_email',
      ],
      ...['send_email', 'send_email_batch', 'wait_for_email'],
    ]);
  });

  it('hides arguments, and lowers limits of arguments, that the operation has', () => {
    for (const entry of SURFACE) {
      const names = argumentsOf(findOperation(entry.operation)).map(({ name }) => name);
      const changed = [...(entry.hides ?? []), ...Object.keys(entry.ceilings ?? {})];
      expect(names).toEqual(expect.arrayContaining(changed));
    }
  });

  it('has limits that are below those of the API', () => {
    for (const { operation, ceilings } of SURFACE) {
      const list = argumentsOf(findOperation(operation));
      for (const [name, { max, apiMax }] of Object.entries(ceilings ?? {})) {
        expect(list.find((argument) => argument.name === name)?.schema).toMatchObject({ maximum: apiMax });
        expect(max).toBeLessThan(apiMax);
      }
    }
  });

  it('shows a key the tools of its scopes and no others', async () => {
    const names = async (scopes: readonly Scope[] | null) =>
      (await listTools(serverFor(scopes))).map(({ name }) => name);
    expect(await names(['emails:send'])).toEqual([
      ...['get_sending_context', 'send_email', 'send_email_batch', 'preview_email', 'check_recipients', 'resend_email'],
    ]);
    expect(await names(['emails:read'])).toEqual(['get_sending_context', 'wait_for_email', 'get_email', 'list_emails']);
    expect(await names([])).toEqual(['get_sending_context']);
  });

  it('shows everything when the scopes are unknown, since the server rejects what is not allowed', async () => {
    expect(await listTools(serverFor(null))).toHaveLength(DEFAULT_TOOLSET.length);
  });

  it('costs at most 6,000 tokens in total', async () => {
    expect(tokensOf(await listTools(serverFor(null))), SHORTEN).toBeLessThanOrEqual(6_000);
  });
});

describe.each(TOOLS_BY_NAME)('the definition of %s', (name, definition) => {
  const schemas = [definition.inputSchema, definition.outputSchema];

  it('describes every argument', () => {
    const properties = Object.entries(definition.inputSchema.properties ?? {});
    const bare = properties.filter(([, schema]) => !/[a-z]{2}/.test(String((schema as Node)['description'] ?? '')));
    expect(bare).toEqual([]);
  });

  it('is named verb_noun in snake_case', () => {
    expect(name).toMatch(/^[a-z]+(?:_[a-z]+)+$/);
  });

  it('has a title, and says in at most 400 characters what it is for, what not, and what it returns', () => {
    expect(definition.title).toMatch(/\S/);
    expect(definition.description?.length).toBeGreaterThan(80);
    expect(definition.description?.length).toBeLessThanOrEqual(400);
    expect(definition.description).toMatch(/\bNot for\b/);
  });

  it('costs at most 1,000 tokens', () => {
    expect(tokensOf(definition), SHORTEN).toBeLessThanOrEqual(1_000);
  });

  it('has all four annotations, computed from the effect of the operation', () => {
    const effect = TOOLS.find((tool) => tool.definition === definition)?.operation.effect;
    expect(Object.keys(definition.annotations ?? {}).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    expect(definition.annotations).toEqual(annotationsOf(effect ?? 'send'));
  });

  it('has schemas with a root object and no choice at the root', () => {
    for (const schema of schemas) {
      expect(schema).toMatchObject({ type: 'object' });
      for (const choice of ['anyOf', 'oneOf', 'allOf']) expect(schema).not.toHaveProperty(choice);
    }
  });

  it('has no reference, no regular expression beside a format, and no propertyNames in its schemas', () => {
    const nodes = nodesOf(schemas);
    expect(nodes.filter((node) => '$ref' in node || '$defs' in node || 'propertyNames' in node)).toEqual([]);
    expect(nodes.filter((node) => typeof node['format'] === 'string' && 'pattern' in node)).toEqual([]);
  });

  it('describes a response that is open to new fields and new values', () => {
    const nodes = nodesOf(definition.outputSchema);
    expect(nodes.filter((node) => node['additionalProperties'] === false)).toEqual([]);
    expect(nodes.filter((node) => Array.isArray(node['enum']))).toEqual([]);
  });

  it('requires nothing at the root of a response, since an error has `error` alone', () => {
    expect(definition.outputSchema).not.toHaveProperty('required');
    expect(definition.outputSchema?.properties).toHaveProperty('error');
    expect(definition.outputSchema?.properties).toHaveProperty('notes');
  });

  it('closes its arguments, so that a client can see a wrong one before it calls', () => {
    expect(definition.inputSchema['additionalProperties']).toBe(false);
  });

  it('is the committed one', async () => {
    const file = `test/mcp/snapshots/${name}.snapshot.json`;
    const committed = await readFile(path.resolve(import.meta.dirname, '../..', file), 'utf8');
    expect(mcpSnapshotFiles()[file]).toBe(committed);
  });
});

describe('the arguments', () => {
  it('have the names of the send request, `id`, and `idempotency_key`', {
    tags: ['contract-surfaces.mcp-arguments'],
  }, () => {
    const send = Object.keys(inputOf('send_email'));
    expect(send).toEqual(expect.arrayContaining(['from', 'to', 'reply_to', 'agent_name', 'idempotency_key']));
    expect(Object.keys(inputOf('get_email'))).toContain('id');
    expect(Object.keys(inputOf('wait_for_email'))).toEqual(['id', 'wait']);
  });

  it('leave out the channel, which the server sets', () => {
    expect(inputOf('send_email')).not.toHaveProperty('channel');
  });

  it('leave waiting to the tool for it', () => {
    expect(inputOf('get_email')).not.toHaveProperty('wait');
  });

  it('say where base64 and where a slug or an id is expected', () => {
    expect(inputOf('send_email')).toMatchObject({
      attachments: { description: expect.stringContaining('base64') },
      template: { description: expect.stringContaining('slug or id') },
    });
    for (const name of ['get_template', 'render_template', 'update_template', 'delete_template']) {
      expect(inputOf(name)).toMatchObject({ id: { description: expect.stringMatching(/id or slug|slug or id/i) } });
    }
  });

  it('name a span of time since and until, and filter by sender with from', () => {
    for (const name of ['list_emails', 'export_emails']) {
      expect(Object.keys(inputOf(name))).toEqual(expect.arrayContaining(['since', 'until', 'from']));
      expect(inputOf(name)).not.toHaveProperty('to');
    }
  });

  it('show the limits of the tool when they are lower than the API’s', () => {
    expect(inputOf('list_emails')).toMatchObject({ limit: { minimum: 1, maximum: 20, default: 20 } });
    expect(inputOf('wait_for_email')).toMatchObject({ wait: { minimum: 1, maximum: 50, default: 50 } });
  });
});

describe('the annotations', () => {
  it.each<[Effect, boolean, boolean, boolean, boolean]>([
    ['read', true, false, true, false],
    ['create', false, false, false, false],
    ['update', false, true, true, false],
    ['replace', false, true, false, false],
    ['delete', false, true, true, false],
    ['send', false, true, false, true],
  ])('say for the effect %s: read-only %s, destructive %s, idempotent %s, open world %s', (effect, ...hints) => {
    const [readOnlyHint, destructiveHint, idempotentHint, openWorldHint] = hints;
    expect(annotationsOf(effect)).toEqual({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint });
  });
});

describe('the scopes of tools', () => {
  it('are scopes of the catalog', () => {
    for (const { scope } of TOOLS) expect(scope === null || scope in SCOPES).toBe(true);
  });
});

function inputOf(name: string): Readonly<Record<string, unknown>> {
  return TOOLS.find(({ definition }) => definition.name === name)?.definition.inputSchema.properties ?? {};
}

function serverFor(scopes: readonly Scope[] | null) {
  return createMcpServer({ invoke: scriptInvoke({}).invoke, scopes, caller: 'k', version: '0.0.0' });
}
