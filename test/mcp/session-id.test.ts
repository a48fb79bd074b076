import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { packDeclared, unpackDeclared } from '../../packages/server/src/mcp-sessions/declared-client.ts';
import { createSessionIds } from '../../packages/server/src/mcp-sessions/session-id.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';

const uuids = createIdGenerator();
const newId = () => uuids.next(new Date());
const OWNER = { accountId: newId(), keyId: newId() };
const APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const CONTENT = { id: newId(), version: 4, capabilities: 3 };

describe('the id of an MCP session', () => {
  it('contains what it was made from, for its own key only', { tags: ['mcp.sessions-key'] }, () => {
    const ids = createSessionIds(randomBytes(32));
    const id = ids.sign(OWNER, CONTENT);
    expect(id).toMatch(/^[\w-]{48}$/);
    expect(ids.read(OWNER, id)).toEqual(CONTENT);
    expect(ids.read({ ...OWNER, keyId: newId() }, id)).toBeNull();
    expect(ids.read({ ...OWNER, accountId: newId() }, id)).toBeNull();
  });

  it('is refused when any byte of it is changed, and in any other spelling', { tags: ['mcp.sessions-key'] }, () => {
    const ids = createSessionIds(randomBytes(32));
    const bytes = Buffer.from(ids.sign(OWNER, CONTENT), 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(ids.read(OWNER, changed.toString('base64url'))).toBeNull();
    }
    const id = bytes.toString('base64url');
    for (const spelled of [`${id}=`, ` ${id}`, id.slice(0, 47), `${id}AAAA`, ''])
      expect(ids.read(OWNER, spelled)).toBeNull();
  });

  it('outlives a new secret key while the former one is accepted', () => {
    const former = randomBytes(32);
    const before = createSessionIds(former);
    const id = before.sign(OWNER, CONTENT);
    const requestId = before.signRequest(CONTENT.id, 'nonce');
    const after = createSessionIds(randomBytes(32), [former]);
    expect(after.read(OWNER, id)).toEqual(CONTENT);
    expect(after.isRequest(CONTENT.id, requestId)).toBe(true);
    expect(after.isRequest(newId(), requestId)).toBe(false);
    expect(createSessionIds(randomBytes(32)).read(OWNER, id)).toBeNull();
  });

  it.each([
    [{}, {}],
    [{ elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [
      { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } },
      { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    ],
    [{ extensions: { ...APPS, other: {} } }, { extensions: APPS }],
    [{ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/uri-list'] } } }, {}],
  ])('carries the capabilities %o', (capabilities, carried) => {
    for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const packed = packDeclared({ protocolVersion, capabilities });
      expect(unpackDeclared(packed)).toEqual({ protocolVersion, capabilities: carried });
    }
  });
});
