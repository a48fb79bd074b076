import { HOSTILE_BODIES } from './hostile-bodies.ts';
import { get, type HostileRequest, type HostileTarget, http, json } from './hostile-request.ts';
import { callApi } from './test-app.ts';

const BODY = 1_990_000;
const MAIL = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello' };
/** The slowest shape for each step of processing a hold: finding links, escaping, rewriting and deriving text. */
const SHAPES = ['links without quotes', 'href without value', 'nested lists', 'less-than signs', 'carriage returns'];

/** The actions that others can perform on a hostile held message: view it, edit it, approve it. */
export function holds(): readonly HostileRequest[] {
  return [
    ...SHAPES.flatMap((name) => [
      http('held', `page of ${name}`, async (target) => get(`/approvals/${await linkTo(target, name)}`, null)),
      http('held', `html of ${name}`, async (target) => get(`/approvals/${await linkTo(target, name)}/html`, null)),
      http('held', `reading ${name}`, async (target) => get(`/keys/approvals/${await hold(target, name)}`, target.key)),
      http('held', `approving ${name}`, async (target) =>
        json(`/keys/approvals/${await hold(target, name)}`, target.decidingKey, { decision: 'approve' }),
      ),
      http('held', `editing ${name}`, async (target) => {
        const edits = { html: `${bodyOf(name)}<p>Edited</p>` };
        return json(`/keys/approvals/${await hold(target, name)}`, target.decidingKey, { decision: 'approve', edits });
      }),
      http('held', `rendering ${name}`, async ({ port, key }) => {
        const template = { name, slug: `r-${name.replaceAll(' ', '-')}`, subject: 'x', html: 'x' };
        const { body } = await callApi(`http://127.0.0.1:${port}`, key, 'POST', '/templates', { body: template });
        return json(`/templates/${body.id}/render`, key, { html: bodyOf(name), text: null });
      }),
    ]),
    http('held', '19 held sends', ({ heldKey }) => json('/emails/batch', heldKey, nineteen())),
    http('held', '19 sends', ({ key }) => json('/emails/batch', key, nineteen())),
    http('held', 'a large file', ({ heldKey }) => {
      const attachments = [{ filename: 'a.bin', content: 'QUJD'.repeat(5_000_000) }];
      return json('/emails', heldKey, { ...MAIL, text: 'https://other.example', attachments });
    }),
    http('document', 'openapi.yaml', () => get('/openapi.yaml', null)),
  ];
}

function bodyOf(name: string): string {
  return HOSTILE_BODIES[name]?.(BODY) ?? '';
}

/** Each is held because of its link to another host. */
function nineteen() {
  const html = `<a href="https://other.example">x</a>${HOSTILE_BODIES['links without quotes']?.(BODY - 100)}`;
  return { emails: Array(19).fill({ ...MAIL, html, text: '' }) };
}

async function hold({ port, heldKey }: HostileTarget, name: string): Promise<string> {
  const html = `<a href="https://other.example">x</a>${HOSTILE_BODIES[name]?.(BODY - 100)}`;
  const { body } = await callApi(`http://127.0.0.1:${port}`, heldKey, 'POST', '/emails', { body: { ...MAIL, html } });
  return body.approvalId;
}

async function linkTo(target: HostileTarget, name: string): Promise<string> {
  return await target.makeLink(await hold(target, name));
}
