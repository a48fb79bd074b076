import { requirement, section } from './requirement.ts';

export const sendRequest = section('Send request', [
  requirement(
    'send-request.required',
    'Which fields are required on a send request: not specified. Every example has `from`, `to`, `subject` and one body form.',
  ),
  requirement('send-request.from', '`from`: string (email address). Sender address.'),
  requirement('send-request.to', '`to`: string or array of strings (email addresses). One address or several.'),
  requirement(
    'send-request.cc',
    "`cc`: string or array of strings. Same shape as `to`. A recipient: counts against quota and is checked against the key's recipient allowlist and the suppression list.",
  ),
  requirement('send-request.bcc', '`bcc`: string or array of strings. Same shape and checks as `cc`.'),
  requirement(
    'send-request.bcc-stored',
    '`bcc`: stored with the message, so that the log shows who received it; never written into the message itself.',
  ),
  requirement(
    'send-request.reply-to',
    '`reply_to`: string (email address). Not a recipient: costs no quota; not checked against allowlist or suppression.',
  ),
  requirement('send-request.subject', '`subject`: string. Subject line.'),
  requirement('send-request.html', '`html`: string. HTML body.'),
  requirement('send-request.text', '`text`: string. Plain text body.'),
  requirement(
    'send-request.template',
    '`template`: string. A stored template is rendered instead of `html`/`text`, together with `variables`. The form of the reference: not specified.',
  ),
  requirement('send-request.variables', '`variables`: JSON object. Values for the template.'),
  requirement(
    'send-request.tags',
    '`tags`: array of strings. At most 10. Lowercased and de-duplicated (two tags differing only in case are one tag).',
  ),
  requirement('send-request.utm', '`utm`: object. See the UTM object.'),
  requirement('send-request.attachments', '`attachments`: array. Element shape: not specified.'),
  requirement('send-request.scheduled-at', '`scheduled_at`: timestamp. Delays the send. Format: not specified.'),
  requirement('send-request.dry-run', '`dry_run`: boolean. When true, nothing is sent.'),
  requirement(
    'send-request.channel',
    '`channel`: string enum `api`, `sdk`, `mcp`, `smtp`. Ingress protocol: `api` is standard REST, `sdk` the client libraries, `mcp` the Model Context Protocol, `smtp` an MTA relay.',
  ),
  requirement(
    'send-request.source',
    '`source`: string enum `agent` (autonomous AI bots), `backend` (application services), `automation` (scheduled jobs), `system` (platform transactional alerts).',
  ),
  requirement(
    'send-request.agent-name',
    '`agent_name`: string, at most 128 characters. Optional identifier attributing the email to a specific bot.',
  ),
  requirement('send-request.body-forms', 'Body forms: `html`, or `text`.'),
  requirement('send-request.body-form-template', 'Body forms: `template` with `variables`.'),
  requirement('send-request.idempotency-key-batch', 'Headers: `Idempotency-Key` is shown on the batch call.'),
  requirement('send-request.idempotency-key', 'Headers: the use of `Idempotency-Key` on a single send: not specified.'),
]);

export const utm = section('UTM object', [
  requirement('utm.source', '`source`: string. Traffic source.'),
  requirement('utm.medium', '`medium`: string. Marketing medium.'),
  requirement('utm.campaign', '`campaign`: string. Campaign identifier.'),
  requirement('utm.term', '`term`: string. Optional.'),
  requirement('utm.content', '`content`: string. Optional.'),
  requirement(
    'utm.override-existing',
    '`override_existing`: boolean. Default `false`. When true, UTM parameters already present in destination URLs are replaced; when false, author-set parameters are preserved.',
  ),
]);

export const sendResponse = section('Send response', [
  requirement('send-response.id', '`id`: string (UUID form). Message identifier.'),
  requirement('send-response.status', '`status`: string. `queued` on acceptance.'),
]);
