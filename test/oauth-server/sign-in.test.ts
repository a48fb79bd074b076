import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram, type OAuthProgram, tokensOf } from '../harness/oauth-program.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** The text of a tool's result. */
function textOf({
  body,
}: {
  readonly body: { readonly result?: { readonly content: readonly { text: string }[] } };
}): string {
  return body.result?.content.map(({ text }) => text).join('\n') ?? JSON.stringify(body);
}

const MESSAGE = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi!' };

describe('a program that signs in', () => {
  let server: TestApp;
  let owner: TestSession;
  let program: OAuthProgram;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    program = await createProgram(server);
  });
  afterAll(() => server.close());

  const keysOf = async () =>
    (await owner.call('GET', '/keys')).body.keys.filter((key: { client: unknown }) => key.client);

  it('gets tokens for a key of its own, whose messages all wait for approval', {
    tags: ['agent-sign-in.held', 'agent-sign-in.grant'],
  }, async () => {
    const asked = await program.ask(owner);
    const returned = await program.decide(owner, asked);
    expect(returned.origin + returned.pathname).toBe(program.redirectUri);
    expect(Object.fromEntries(returned.searchParams)).toEqual({
      code: expect.any(String),
      state: asked.state,
      iss: server.baseUrl,
    });
    const response = await program.exchange(returned, asked);
    expect([response.status, response.body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^pr_access_[0-9A-Za-z]{39}$/),
        refresh_token: expect.stringMatching(/^pr_refresh_[0-9A-Za-z]{39}$/),
        token_type: 'Bearer',
        expires_in: 3_600,
        scope:
          'emails:send emails:read emails:content emails:cancel templates:read domains:read suppressions:read stats:read',
      },
    ]);
    const [key] = await keysOf();
    expect(key).toMatchObject({
      name: 'Claude Code',
      client: { name: 'Claude Code', id: program.clientId },
      approvalMode: 'always',
      sendLimit: { hour: null, day: 100 },
      persona: { agentName: 'Claude Code', source: 'agent' },
      lockPersona: true,
    });
    const sent = await program.callTool(tokensOf(response).access, 'send_email', MESSAGE);
    expect(textOf(sent)).toContain('held');
    const { approvals: held } = (await server.call('GET', '/keys/approvals')).body;
    expect(held).toHaveLength(1);
    const { body: message } = await owner.call('GET', `/emails/${held[0].emailId}`);
    expect(message).toMatchObject({
      channel: 'mcp',
      source: 'agent',
      agentName: 'Claude Code',
      keyName: 'Claude Code',
    });
  });

  it('can use its token for POST /mcp only', { tags: ['agent-sign-in.resource'] }, async () => {
    const { access } = await program.signIn(owner);
    const elsewhere = await server.call('GET', '/emails', { key: access });
    expect([elsewhere.status, elsewhere.body.code, elsewhere.body.detail]).toEqual([
      401,
      'invalid_key',
      'Access tokens of programs that signed in are valid for `/mcp` only.',
    ]);
    expect((await program.callTool(access, 'get_sending_context', {}, '/v1/mcp')).status).toBe(200);
  });

  it('learns from a 401 where to sign in', { tags: ['agent-sign-in.discovery'] }, async () => {
    const without = await server.call('POST', '/mcp', { key: null, body: {} });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="postrider", resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="emails:send emails:read emails:content emails:content-all emails:cancel templates:read domains:read suppressions:read stats:read"`,
    ]);
    expect(without.body.fix).toContain('API key');
    const wrong = await server.call('POST', '/v1/mcp', { key: 'pr_access_nothing', body: {} });
    expect(wrong.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="postrider", error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+\/v1\/mcp", scope="/,
    );
    const { body: resource } = await server.call('GET', '/.well-known/oauth-protected-resource/mcp', { key: null });
    expect(resource).toMatchObject({ resource: `${server.baseUrl}/mcp`, authorization_servers: [server.baseUrl] });
    const { body: metadata } = await server.call('GET', '/.well-known/oauth-authorization-server', { key: null });
    expect(metadata).toMatchObject({
      issuer: server.baseUrl,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('rotates its refresh token, and loses the access when one is used twice', {
    tags: ['agent-sign-in.replay'],
  }, async () => {
    const first = await program.signIn(owner);
    const second = tokensOf(await program.refresh(first.refresh));
    expect(second.refresh).not.toBe(first.refresh);
    expect((await program.callTool(second.access, 'get_sending_context')).status).toBe(200);
    const reused = await program.refresh(first.refresh);
    expect([reused.status, reused.body.error]).toEqual([400, 'invalid_grant']);
    expect((await program.refresh(second.refresh)).body.error).toBe('invalid_grant');
    const after = await program.callTool(second.access, 'get_sending_context');
    expect([after.status, after.body.code]).toEqual([401, 'invalid_key']);
  });

  it('gets one set of tokens, however often it uses a code or token at once', {
    tags: ['agent-sign-in.replay'],
  }, async () => {
    const asked = await program.ask(owner);
    const returned = await program.decide(owner, asked);
    const codes = await Promise.all(Array.from({ length: 8 }, () => program.exchange(returned, asked)));
    expect(codes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(codes.filter(({ status }) => status === 500)).toEqual([]);
    const { refresh } = await program.signIn(owner);
    const refreshed = await Promise.all(Array.from({ length: 8 }, () => program.refresh(refresh)));
    expect(refreshed.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(refreshed.filter(({ status }) => status === 500)).toEqual([]);
  });

  const auditOf = async (keyId: string) =>
    (await owner.call('GET', `/audit?target_id=${keyId}`)).body.entries.map(
      ({ action, details }: { action: string; details: { why?: string } }) => [action, details.why],
    );

  it('ends its sign-in when the code is used again, and keeps its key with what waits', {
    tags: ['agent-sign-in.replay'],
  }, async () => {
    const asked = await program.ask(owner);
    const returned = await program.decide(owner, asked);
    const { access } = tokensOf(await program.exchange(returned, asked));
    await program.callTool(access, 'send_email', { ...MESSAGE, subject: 'Waits' });
    expect((await program.exchange(returned, asked)).body.error).toBe('invalid_grant');
    expect((await program.callTool(access, 'get_sending_context')).status).toBe(401);
    const [key] = await keysOf();
    expect(key.revokedAt).toBeNull();
    expect(await auditOf(key.id)).toContainEqual(['key.signed_out', 'token used twice']);
    const { approvals } = (await server.call('GET', '/keys/approvals?status=pending')).body;
    expect(approvals.map(({ subject }: { subject: string }) => subject)).toContain('Waits');
  });

  it.each(['access', 'refresh'] as const)(
    'signs out by revoking its %s token',
    { tags: ['agent-sign-in.revocation'] },
    async (kind) => {
      const { access, refresh } = await program.signIn(owner);
      expect((await program.revoke(kind === 'access' ? access : refresh)).status).toBe(200);
      expect((await program.refresh(refresh)).body.error).toBe('invalid_grant');
      expect((await program.callTool(access, 'get_sending_context')).status).toBe(401);
      const [key] = await keysOf();
      expect(await auditOf(key.id)).toContainEqual(['key.signed_out', 'signed out']);
    },
  );

  it('continues with its key and its limits, and its former sign-in ends', {
    tags: ['agent-sign-in.continuing'],
  }, async () => {
    const limits = { recipients: 'team', held: 'some', firstContact: 'true', day: '7', days: '1' };
    const former = await program.signIn(owner, limits);
    const [key] = await keysOf();
    const renewed = await program.signIn(
      owner,
      { continues: key.id, scope: 'templates:write', recipients: 'anyone', held: 'all', day: '1000' },
      { scope: 'emails:send emails:read templates:write' },
    );
    const [after] = await keysOf();
    expect(after).toEqual({
      ...key,
      scopes: expect.arrayContaining([...key.scopes, 'templates:write']),
      lastUsedAt: after.lastUsedAt,
    });
    expect(after.recipientAllowlist).toEqual(['owner@sandbox.test']);
    expect(renewed.scope).toBe('emails:send emails:read templates:write');
    expect((await program.callTool(renewed.access, 'get_sending_context')).status).toBe(200);
    expect((await program.callTool(former.access, 'get_sending_context')).status).toBe(401);
    // The tokens of the former sign-in end nothing of the new one.
    expect((await program.refresh(former.refresh)).body.error).toBe('invalid_grant');
    expect((await program.refresh(renewed.refresh)).status).toBe(200);
    expect(await auditOf(key.id)).toContainEqual(['key.signed_in', undefined]);
  });

  it('cannot continue with the key of another user or program', { tags: ['agent-sign-in.continuing'] }, async () => {
    const other = await createProgram(server, { name: 'Other' });
    await other.signIn(owner);
    const [key] = await keysOf();
    await program.signIn(owner, { continues: key.id });
    const [newest, before] = await keysOf();
    expect([newest.id === key.id, before.id]).toEqual([false, key.id]);
  });

  it('loses its access within a second when its key is revoked, and is held while it is paused', {
    tags: ['agent-sign-in.grant'],
  }, async () => {
    const { access, refresh } = await program.signIn(owner);
    const [key] = await keysOf();
    await owner.call('POST', `/keys/${key.id}/pause`);
    expect(textOf(await program.callTool(access, 'send_email', MESSAGE))).toContain('paused');
    await owner.call('POST', `/keys/${key.id}/resume`);
    await owner.call('DELETE', `/keys/${key.id}`);
    expect((await program.callTool(access, 'get_sending_context')).status).toBe(401);
    expect((await program.refresh(refresh)).body.error).toBe('invalid_grant');
  });

  it('expires with its access token, and with its key', { tags: ['agent-sign-in.expiry'] }, async () => {
    const { access, refresh } = await program.signIn(owner, { days: '1' });
    server.clock.advance(3_601_000);
    const late = await program.callTool(access, 'get_sending_context');
    expect([late.status, late.body.code]).toEqual([401, 'key_expired']);
    const renewed = tokensOf(await program.refresh(refresh));
    expect((await program.callTool(renewed.access, 'get_sending_context')).status).toBe(200);
    server.clock.advance(86_400_000);
    expect((await program.refresh(renewed.refresh)).body.error).toBe('invalid_grant');
  });

  it('has no scope that the role of its user lacks, and none after they leave', {
    tags: ['agent-sign-in.user'],
  }, async () => {
    const developer = await joinAs(server, owner, 'developer', 'dev@sandbox.test');
    const { access, refresh } = await program.signIn(developer);
    expect((await program.callTool(access, 'list_templates')).status).toBe(200);
    await owner.call('PATCH', `/team/${developer.user.memberId}`, { body: { role: 'viewer' } });
    server.clock.advance(1_000);
    expect(textOf(await program.callTool(access, 'send_email', MESSAGE))).toContain('missing_scope');
    const renewed = await program.refresh(refresh);
    expect(renewed.body.scope).not.toContain('emails:send');
    await owner.call('DELETE', `/team/${developer.user.memberId}`);
    server.clock.advance(1_000);
    expect((await program.callTool(tokensOf(renewed).access, 'get_sending_context')).status).toBe(401);
    expect((await program.refresh(tokensOf(renewed).refresh)).body.error).toBe('invalid_grant');
  });

  it('loses what it holds when its user leaves, and the audit log names who removed them', async () => {
    const admin = await joinAs(server, owner, 'admin', 'admin@sandbox.test');
    const leaver = await joinAs(server, owner, 'developer', 'leaver@sandbox.test');
    const { access } = await program.signIn(leaver);
    const [key] = await keysOf();
    expect(key.client.grantedBy).toEqual({ memberId: leaver.user.memberId, email: 'leaver@sandbox.test' });
    expect(textOf(await program.callTool(access, 'send_email', MESSAGE))).toContain('held');
    const [held] = (await owner.call('GET', '/keys/approvals?status=pending')).body.approvals;
    expect(held.keyId).toBe(key.id);
    expect((await admin.call('DELETE', `/team/${leaver.user.memberId}`)).status).toBeLessThan(300);
    const { body: withdrawn } = await owner.call('GET', `/keys/approvals/${held.id}`);
    expect(withdrawn).toMatchObject({ status: 'withdrawn' });
    const actor = admin.user.memberId;
    for (const [action, targetId] of [
      ['key.revoked', key.id],
      ['member.removed', leaver.user.memberId],
    ]) {
      const { entries } = (await owner.call('GET', `/audit?action=${action}&target_id=${targetId}`)).body;
      expect(entries).toMatchObject([{ action, actor, targetId }]);
    }
    const { body: after } = await owner.call('GET', `/keys/${key.id}`);
    expect(after.client.grantedBy).toEqual({ memberId: leaver.user.memberId, email: null });
  });

  it('is shown with the address of its user only to those who may read the team', async () => {
    await program.signIn(owner);
    const [{ id }] = await keysOf();
    const emailFor = async (scopes: readonly string[]) => {
      const reader = await server.newKey({ name: 'Reader', scopes });
      return (await server.call('GET', `/keys/${id}`, { key: reader })).body.client.grantedBy.email;
    };
    expect([await emailFor(['keys:read']), await emailFor(['keys:read', 'team:read'])]).toEqual([
      null,
      'owner@sandbox.test',
    ]);
  });

  it('is asked to get more scopes only for calls that its key may make with them', async () => {
    const { access } = await program.signIn(owner);
    const challengeOf = async (tool: string) => {
      const { status, headers } = await program.callTool(
        access,
        tool,
        {},
        '/mcp?toolsets=templates,domains,webhooks,support',
      );
      return [
        status,
        / scope="([^"]*)"/
          .exec(headers.get('www-authenticate') ?? '')?.[1]
          ?.split(' ')
          .at(-1),
      ];
    };
    expect(await challengeOf('create_template')).toEqual([403, 'templates:write']);
    for (const tool of ['delete_template', 'create_domain', 'create_webhook', 'create_ticket']) {
      expect([tool, ...(await challengeOf(tool))]).toEqual([tool, 200, undefined]);
    }
  });
});
