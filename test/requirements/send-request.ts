import { active, section } from './requirement.ts';

export const sendRequest = section('Send request', [
  active(
    'send-request.required',
    'Which fields are required on a send request: not shown. Every example carries `from`, `to`, `subject` and one body form.',
  ),
  active('send-request.from', '`from`: string (email address). Sender address.'),
  active('send-request.to', '`to`: string or array of strings (email addresses). One address or several.'),
  active(
    'send-request.cc',
    "`cc`: string or array of strings. Same shape as `to`. A recipient: counts against quota and is checked against the key's recipient allowlist and the suppression list.",
  ),
  active('send-request.bcc', '`bcc`: string or array of strings. Same shape and checks as `cc`.'),
  active(
    'send-request.bcc-stored',
    '`bcc`: stored on the message so the log shows who received it; never written into the message itself.',
  ),
  active(
    'send-request.reply-to',
    '`reply_to`: string (email address). Not a recipient: costs no quota; not checked against allowlist or suppression.',
  ),
  active('send-request.subject', '`subject`: string. Subject line.'),
  active('send-request.html', '`html`: string. HTML body.'),
  active('send-request.text', '`text`: string. Plain text body.'),
  active(
    'send-request.template',
    '`template`: string. A stored template is rendered instead of `html`/`text`, together with `variables`. The form of the reference: not shown.',
  ),
  active('send-request.variables', '`variables`: JSON object. Values for the template.'),
  active(
    'send-request.tags',
    '`tags`: array of strings. At most 10. Lowercased and de-duplicated (two tags differing only in case are one tag).',
  ),
  active('send-request.utm', '`utm`: object. See the UTM object.'),
  active('send-request.attachments', '`attachments`: array. Element shape: not shown.'),
  active('send-request.scheduled-at', '`scheduled_at`: timestamp. Delays the send. Format: not shown.'),
  active('send-request.dry-run', '`dry_run`: boolean. When true, nothing is sent.'),
  active(
    'send-request.channel',
    '`channel`: string enum `api`, `sdk`, `mcp`, `smtp`. Ingress protocol: `api` is standard REST, `sdk` the client libraries, `mcp` the Model Context Protocol, `smtp` an MTA relay.',
  ),
  active(
    'send-request.source',
    '`source`: string enum `agent` (autonomous AI bots), `backend` (application services), `automation` (scheduled jobs), `system` (platform transactional alerts).',
  ),
  active(
    'send-request.agent-name',
    '`agent_name`: string, at most 128 characters. Optional identifier attributing the email to a specific bot.',
  ),
  active('send-request.body-forms', 'Body forms: `html`, or `text`.'),
  active('send-request.body-form-template', 'Body forms: `template` with `variables`.'),
  active('send-request.idempotency-key-batch', 'Headers: `Idempotency-Key` is shown on the batch call.'),
  active('send-request.idempotency-key', 'Headers: the use of `Idempotency-Key` on a single send: not shown.'),
]);

export const utm = section('UTM object', [
  active('utm.source', '`source`: string. Traffic source.'),
  active('utm.medium', '`medium`: string. Marketing medium.'),
  active('utm.campaign', '`campaign`: string. Campaign identifier.'),
  active('utm.term', '`term`: string. Optional.'),
  active('utm.content', '`content`: string. Optional.'),
  active(
    'utm.override-existing',
    '`override_existing`: boolean. Default `false`. When true, UTM parameters already present in destination URLs are replaced; when false, author-set parameters are preserved.',
  ),
]);

export const sendResponse = section('Send response', [
  active('send-response.id', '`id`: string (UUID form). Message identifier.'),
  active('send-response.status', '`status`: string. `queued` on acceptance.'),
]);
