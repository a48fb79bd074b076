import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { dryRunSchema } from '../../schemas/dry-run.ts';
import { sendAcceptedSchema } from '../../schemas/send-accepted.ts';
import { SEND_RESPONSE_HEADERS, sendHeadersSchema } from '../../schemas/send-headers.ts';
import { sendRequestSchema } from '../../schemas/send-request.ts';

export const sendEmail = defineOperation({
  id: 'emails.send',
  method: 'POST',
  path: '/emails',
  access: { kind: 'key', scope: 'emails:send' },
  reach: 'outbound',
  summary: 'Send an email',
  description:
    'Accepts one message and answers at once with its id and `queued`; delivery happens afterwards in the background. What the key’s approval mode holds is answered with `pending_approval`, `approvalId`, `reasons` and `expiresAt`, and goes out when a person approves it. Read the message, or wait on it, to learn the outcome. With `scheduled_at` it stays `queued` until then, and can be canceled or rescheduled. With `dry_run` nothing is sent: the answer is 200 with every check and the message as it would be. If any recipient is refused the whole send is refused, and `recipients` names each with its reason. Provenance is taken from the body first, then from the `X-Service-Agent` and `X-Service-Source` headers, then from the default (`agent` over MCP, else `backend`).',
  effect: 'send',
  headers: sendHeadersSchema,
  body: sendRequestSchema,
  bodyBytes: LIMITS.sendBodyBytes,
  status: 202,
  response: 'json',
  output: sendAcceptedSchema,
  alternatives: [
    {
      status: 200,
      when: 'dry_run',
      summary: 'What a dry run found; nothing was sent, stored or charged',
      output: dryRunSchema,
    },
  ],
  responseHeaders: SEND_RESPONSE_HEADERS,
  errors: [
    'quota_exceeded',
    'recipient_not_allowed',
    'domain_not_verified',
    'account_suspended',
    'sending_paused',
    'send_limit_reached',
    'too_many_held',
    'persona_locked',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'recipient_suppressed',
    'template_not_found',
    'template_variable_missing',
    'template_render_failed',
    'attachment_invalid',
    'attachment_too_many',
    'attachment_too_large',
    'attachment_type_refused',
    'attachment_url_refused',
    'attachment_fetch_failed',
  ],
  mcp: {
    tool: 'send_email',
    toolset: null,
    title: 'Send an email',
    description:
      'Sends one email from a verified domain of the account. Not for mass mailings. Answers at once with the id and status `queued`: that is acceptance, not delivery; call wait_for_email with the id to learn the outcome. Do not send again when unsure: read the message instead, or repeat with the same idempotency_key.',
    // The channel is a fact about the entry and no wish of the agent; and what sends must not become a question by one argument.
    hides: ['channel', 'dry_run'],
    also: [
      {
        tool: 'preview_email',
        toolset: null,
        title: 'Preview an email',
        description:
          'Checks and renders one email as send_email would, and sends nothing. Not for sending: call send_email afterwards. Answers whether it would be accepted (`ok`) or held (`wouldHold`, `reasons`), every failed check with its fix, the rendered message and its cost.',
        effect: 'read',
        terse: true,
        hides: ['channel', 'dry_run', 'idempotency_key'],
      },
      {
        tool: 'check_recipients',
        toolset: null,
        title: 'Check recipients',
        description:
          'Tells for each address whether this key may write to it now: allowlist, suppression list and the quota for all of them. Not for whole emails: use preview_email. Sends nothing. Answers each recipient with `ok`, and a code where refused.',
        effect: 'read',
        offers: ['to', 'cc', 'bcc'],
      },
    ],
  },
  cli: {
    command: 'emails send',
    examples: [
      'postrider send --from app@example.com --to ada@example.org --subject Hello --text "Hi Ada"',
      'postrider send --from app@example.com --to ada@example.org --subject Report --html @report.html --wait',
      'postrider send --from app@example.com --to ada@example.org --subject Invoice --text "Attached." --attach invoice.pdf',
    ],
  },
});
