import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillSearch } from '../../../packages/server/src/db/queries/fill-search.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

interface Row {
  readonly id: string;
  readonly subject: string;
  readonly createdAt: string;
}

/** What each message is called in the expectations below, and what is special about it. */
const MESSAGES = {
  plain: {},
  order: { subject: 'Your Order 100% ready', tags: ['Order', 'vip'] },
  invoice: { subject: 'Invoice_42 \\ paid', tags: ['order', 'invoice'] },
  copied: { to: 'ada@sandbox.test', cc: 'Grace.Hopper@Example.org', bcc: 'Blind One <hidden@xn--mnchen-3ya.example>' },
  shop: { from: 'Shop <shop@news.example>', subject: 'Straße ÄÖÜ', channel: 'sdk' },
  agent: { source: 'agent', agent_name: 'Billing-Bot', to: 'bounced@sandbox.test' },
  machine: { source: 'automation', channel: 'mcp', subject: 'line one' },
} as const;

type Name = keyof typeof MESSAGES;

describe.each(['indexed', 'not indexed yet'])('GET /emails, filtered, of messages that are %s', (state) => {
  let server: TestApp;
  let key: string;
  let accountId: string;
  const ids = new Map<string, Name>();
  const times = new Map<Name, string>();
  beforeAll(async () => {
    // Where no worker runs nothing is ever indexed, and nothing is delivered.
    server = await startTestApp({ settings: { POSTRIDER_ROLES: state === 'indexed' ? 'api,worker' : 'api' } });
    ({ accountId, key } = await server.newAccount());
    await server.addDomain('news.example', accountId);
    for (const [name, body] of Object.entries(MESSAGES)) {
      const sent = await server.send({ subject: 'Hello', ...body }, { key });
      expect(sent.status).toBe(202);
      ids.set(sent.body.id, name as Name);
      const read = await server.call('GET', `/emails/${sent.body.id}${state === 'indexed' ? '?wait=10' : ''}`, { key });
      times.set(name as Name, read.body.createdAt);
      server.clock.advance(1_000);
    }
    while (state === 'indexed' && (await waiting(server)) > 0) await fillSearch(server.database.sql);
  });
  afterAll(() => server.close());

  const list = (query: string, withKey = key) => server.call('GET', `/emails?${query}`, { key: withKey });

  /** The names of all matches over all pages, oldest first; each page's total must be theirs. */
  async function found(query: string, limit = 100): Promise<Name[]> {
    const names: Name[] = [];
    const totals = new Set<number>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await list(`${query}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect([status, body.code]).toEqual([200, undefined]);
      names.push(...body.messages.map(({ id }: Row) => ids.get(id)));
      totals.add(body.total);
      cursor = body.nextCursor;
    }
    expect([...totals]).toEqual([names.length]);
    return names.reverse();
  }

  it('has them in that state', async () => {
    expect((await waiting(server)) > 0).toBe(state === 'not indexed yet');
  });

  it('finds text in the subject and in any recipient, whatever its case', {
    tags: ['emails-list.q', 'contract-message-log.q', 'service.log-filters'],
  }, async () => {
    expect(await found('q=order')).toEqual(['order']);
    expect(await found('q=YOUR%20ord')).toEqual(['order']);
    expect(await found('q=grace.HOPPER')).toEqual(['copied']);
    expect(await found('q=hidden@xn')).toEqual(['copied']);
    expect(await found('q=blind%20one')).toEqual(['copied']);
    expect(await found('q=bounced@')).toEqual(['agent']);
    expect(await found(`q=${encodeURIComponent('äö')}`)).toEqual(['shop']);
    expect(await found(`q=${encodeURIComponent('STRAß')}`)).toEqual(['shop']);
    expect(await found('q=nothing%20like%20it')).toEqual([]);
  });

  it('finds text as it was typed in addresses with internationalized domains', async () => {
    for (const text of ['münchen', '@MÜNCHEN.exa', 'hidden@münchen.example', 'xn--mnchen'])
      expect(await found(`q=${encodeURIComponent(text)}`), text).toEqual(['copied']);
    expect(await found(`q=${encodeURIComponent('straße ä')}`)).toEqual(['shop']);
    expect(await found(`q=${encodeURIComponent('mün%chen')}`)).toEqual([]);
  });

  it('treats no character of the text as a wildcard', async () => {
    expect(await found('q=0%25%20r')).toEqual(['order']);
    expect(await found('q=y%25r')).toEqual([]);
    expect(await found('q=e_4')).toEqual(['invoice']);
    expect(await found('q=l_n')).toEqual([]);
    expect(await found(`q=${encodeURIComponent('\\ p')}`)).toEqual(['invoice']);
    expect(await found(`q=${encodeURIComponent('\\\\')}`)).toEqual([]);
    expect(await found(`q=${encodeURIComponent('%%')}`)).toEqual([]);
  });

  it('does not match across the end of the subject or of an address', async () => {
    expect(await found('q=helloada')).toEqual([]);
    expectInvalid(await list('q=hello%0Aada'), ['q', 'forbidden_character']);
  });

  it('accepts 2 to 200 characters of text', async () => {
    expectInvalid(await list('q=a'), ['q', 'too_short']);
    expectInvalid(await list('q='), ['q', 'too_short']);
    expect(await found(`q=${'x'.repeat(200)}`)).toEqual([]);
    expectInvalid(await list(`q=${'x'.repeat(201)}`), ['q', 'too_long']);
  });

  it('finds the messages that have all of the tags, whatever their case', {
    tags: ['emails-list.tag', 'contract-shape.repeated-tag'],
  }, async () => {
    expect(await found('tag=order')).toEqual(['order', 'invoice']);
    expect(await found('tag=ORDER&tag=vip')).toEqual(['order']);
    expect(await found('tag=order&tag=Order')).toEqual(['order', 'invoice']);
    expect(await found('tag=order&tag=vip&tag=invoice')).toEqual([]);
    expect(await found('tag=orde')).toEqual([]);
    expectInvalid(await list('tag='), ['tag', 'too_short']);
    expectInvalid(await list('tag=a&tag=b,c'), ['tag.1', 'forbidden_character']);
    expectInvalid(await list(Array.from({ length: 11 }, (_, n) => `tag=t${n}`).join('&')), ['tag', 'too_many']);
  });

  it('filters by provenance', {
    tags: ['emails-list.channel', 'emails-list.source', 'emails-list.agent-name'],
  }, async () => {
    expect(await found('channel=sdk')).toEqual(['shop']);
    expect(await found('channel=mcp')).toEqual(['machine']);
    expect(await found('channel=smtp')).toEqual([]);
    expect(await found('source=agent')).toEqual(['agent']);
    expect(await found('source=automation')).toEqual(['machine']);
    expect(await found('agent_name=Billing-Bot')).toEqual(['agent']);
    expect(await found('agent_name=billing-bot')).toEqual([]);
    for (const query of ['channel=fax', 'source=human', 'channel=', 'source=API']) {
      expectInvalid(await list(query), [query.slice(0, query.indexOf('=')), 'invalid_value']);
    }
    expectInvalid(await list('agent_name='), 'agent_name');
    expectInvalid(await list(`agent_name=${'x'.repeat(129)}`), 'agent_name');
  });

  it('filters by a whole recipient address of any kind, whatever its case and script', {
    tags: ['emails-list.further-filters', 'contract-message-log.filters', 'contract-sending.local-part-case-filters'],
  }, async () => {
    expect(await found('recipient=GRACE.hopper@example.ORG')).toEqual(['copied']);
    expect(await found(`recipient=${encodeURIComponent('HIDDEN@münchen.example')}`)).toEqual(['copied']);
    expect(await found('recipient=ada@sandbox.test')).toEqual(['copied']);
    expect(await found('recipient=hopper@example.org')).toEqual([]);
    expectInvalid(await list('recipient=grace'), ['recipient', 'invalid_email']);
  });

  it('filters by the sending domain, whatever its case', async () => {
    expect(await found('domain=NEWS.example')).toEqual(['shop']);
    expect(await found('domain=sandbox.test&q=order')).toEqual(['order']);
    expect(await found('domain=example.net')).toEqual([]);
    expectInvalid(await list('domain=not%20a%20domain'), ['domain', 'invalid_domain']);
  });

  it('filters by creation time: `from` is inclusive and `to` is not', async () => {
    const at = (name: Name) => encodeURIComponent(times.get(name) ?? '');
    const names = Object.keys(MESSAGES) as Name[];
    expect(await found(`from=${at('copied')}`)).toEqual(names.slice(3));
    expect(await found(`to=${at('copied')}`)).toEqual(names.slice(0, 3));
    expect(await found(`from=${at('order')}&to=${at('shop')}`)).toEqual(['order', 'invoice', 'copied']);
    expect(await found(`from=${at('order')}&to=${at('order')}`)).toEqual([]);
    expect(await found(`from=${at('order')}&to=${at('shop')}&tag=order`)).toEqual(['order', 'invoice']);
    expect(await found('from=2020-01-01&to=2100-01-01&tag=order')).toEqual(['order', 'invoice']);
    expect(await found('from=2100-01-01&tag=order')).toEqual([]);
    expect(await found('to=1970-01-01&tag=order')).toEqual([]);
    expectInvalid(await list(`from=${at('shop')}&to=${at('order')}`), ['to', 'out_of_range']);
  });

  it('accepts only RFC 3339 with an offset, or a date, as a time', async () => {
    const created = new Date(times.get('copied') ?? '');
    const inParis = new Date(created.getTime() + 7_200_000).toISOString().replace('Z', '+02:00');
    expect(await found(`from=${encodeURIComponent(inParis)}`)).toContain('copied');
    expect(await found(`from=${inParis}`)).not.toContain('invoice');
    for (const time of ['yesterday', '2026-01-31T09:00:00', '2026-02-30', '2026-13-01', '1767225600', '', '2026-1-1'])
      expectInvalid(await list(`from=${time}`), ['from', 'invalid_format']);
  });

  it('combines every filter with every other, the status among them', async () => {
    const status = state === 'indexed' ? 'bounced' : 'queued';
    expect(await found(`status=${status}&source=agent`)).toEqual(['agent']);
    expect(
      await found(`status=${status}&source=agent&agent_name=Billing-Bot&channel=api&q=BOUNCED&domain=sandbox.test`),
    ).toEqual(['agent']);
    expect(await found('status=canceled&source=agent')).toEqual([]);
    expect(await found('tag=order&q=invoice&channel=api&source=backend')).toEqual(['invoice']);
    expect(await found('tag=vip&q=invoice')).toEqual([]);
  });

  it('selects every message with a problem', { tags: ['emails-list.status'] }, async () => {
    const ofProblem: Name[] = state === 'indexed' ? ['agent'] : [];
    expect(await found('status=problem')).toEqual(ofProblem);
    expect(await found('status=problem', 1)).toEqual(ofProblem);
    expect(await found('status=problem&source=agent')).toEqual(ofProblem);
    expect(await found('status=problem&tag=order&q=invoice')).toEqual([]);
    expectInvalid(await list('status=bounced,failed'), ['status', 'invalid_value']);
    const cursor: string = (await list('limit=1')).body.nextCursor;
    expectProblem(await list(`limit=1&status=problem&cursor=${cursor}`), 422, 'invalid_cursor');
  });

  it('pages through a filtered list by its cursors', async () => {
    expect(await found('channel=api', 1)).toEqual(['plain', 'order', 'invoice', 'copied', 'agent']);
    expect(await found('channel=api', 2)).toEqual(['plain', 'order', 'invoice', 'copied', 'agent']);
    expect(await found('tag=order', 1)).toEqual(['order', 'invoice']);
  });

  it('binds a cursor to every filter, and rejects one that was tampered with', async () => {
    const cursor: string = (await list('limit=1&channel=api')).body.nextCursor;
    expect((await list(`limit=1&channel=api&cursor=${cursor}`)).status).toBe(200);
    for (const other of [
      '',
      'channel=sdk',
      'channel=api&q=or',
      'channel=api&tag=order',
      'source=backend',
      'channel=api&from=2020-01-01',
      'channel=api&to=2100-01-01',
      'channel=api&recipient=a@b.co',
      'channel=api&domain=b.co',
      'channel=api&agent_name=x',
      'channel=api&status=queued',
    ])
      expectProblem(await list(`limit=1&${other}&cursor=${cursor}`), 422, 'invalid_cursor');
    for (const wrong of [`${cursor}AA`, cursor.slice(2), [...cursor].reverse().join(''), "'; DROP TABLE messages; --"])
      expectProblem(await list(`limit=1&channel=api&cursor=${encodeURIComponent(wrong)}`), 422, 'invalid_cursor');
    const other = await server.newAccount();
    expectProblem(await list(`limit=1&channel=api&cursor=${cursor}`, other.key), 422, 'invalid_cursor');
    // The same tag in another case is the same filter.
    const tagged: string = (await list('limit=1&tag=order')).body.nextCursor;
    expect((await list(`limit=1&tag=ORDER&cursor=${tagged}`)).status).toBe(200);
  });

  it('never runs a filter as SQL', async () => {
    const attacks = ["' OR 1=1 --", "'; DELETE FROM messages; --", "\\'; SELECT 1 --", '$1', '{"a"}', "a','b"];
    for (const attack of attacks) {
      for (const name of ['q', 'tag', 'agent_name']) {
        const response = await list(`${name}=${encodeURIComponent(attack)}`);
        if (response.status === 200) expect(response.body.messages).toEqual([]);
        else expectInvalid(response, name);
      }
      expectInvalid(await list(`domain=${encodeURIComponent(attack)}`), 'domain');
      expectInvalid(await list(`from=${encodeURIComponent(attack)}`), 'from');
      expectInvalid(await list(`status=${encodeURIComponent(attack)}`), 'status');
    }
    expect((await list('')).body.total).toBe(ids.size);
  });

  it('names an unknown parameter, and a repeated one unless it is the tag', {
    tags: ['contract-shape.query-parameters'],
  }, async () => {
    for (const name of [
      'q',
      'channel',
      'source',
      'agent_name',
      'recipient',
      'domain',
      'from',
      'to',
      'status',
      'key_id',
    ]) {
      expectInvalid(await list(`${name}=api&${name}=api`), name);
    }
    for (const name of ['tags', 'search', 'agentName', 'tag[]', 'since'])
      expectInvalid(await list(`${name}=x`), [name, 'unknown_field']);
  });

  it('shows an account only its own messages, whatever the filter', async () => {
    const other = await server.newAccount();
    for (const query of [
      'q=order',
      'tag=order',
      'channel=api',
      'source=agent',
      'agent_name=Billing-Bot',
      'recipient=ada@sandbox.test',
      'domain=news.example',
      'from=2020-01-01',
    ])
      expect((await list(query, other.key)).body).toEqual({
        messages: [],
        total: 0,
        totalIsEstimate: false,
        nextCursor: null,
      });
  });
});

async function waiting(server: TestApp): Promise<number> {
  const rows = await server.database.sql`SELECT FROM search_backlog`;
  return rows.length;
}
