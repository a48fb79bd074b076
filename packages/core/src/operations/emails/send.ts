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
    'Accepts one message and returns its id and the status `queued`. It is delivered in the background: read the message, or wait for it, to get the outcome. If the approval mode of the key holds the send, the response has `pending_approval`, `approvalId`, `reasons` and `expiresAt`, and the message is sent when an approver approves it. With `scheduled_at` the message stays `queued` until then, and can be canceled or rescheduled. With `dry_run` nothing is sent: the response is 200 with every check and the rendered message. If any recipient is refused, the whole send is refused, and `recipients` lists each with its reason. Provenance is read from the body, then from the `X-Service-Agent` and `X-Service-Source` headers, then from the key’s persona, then from the default (`agent` over MCP, else `backend`).',
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
      summary: 'The result of a dry run; nothing was sent, stored or charged',
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
      'Sends one email from a verified domain of the account. Returns its id and status `queued` when it is accepted, which is not delivery: call wait_for_email for the outcome. Not for several different emails: use send_email_batch. If unsure whether it was sent, do not send again: use list_emails, or repeat with the same idempotency_key.',
    // The server sets the channel. A tool that sends must not become a dry run by one argument.
    hides: ['channel', 'dry_run'],
    also: [
      {
        tool: 'preview_email',
        toolset: null,
        title: 'Preview an email',
        description:
          'Checks and renders one email without sending it. Returns whether send_email would accept it (`ok`) or hold it (`wouldHold`, `reasons`), each failed check with its fix, the rendered message and its quota cost. Not for sending: call send_email with the same arguments.',
        effect: 'read',
        sameAs: 'send_email',
        hides: ['channel', 'dry_run', 'idempotency_key'],
      },
      {
        tool: 'check_recipients',
        toolset: null,
        title: 'Check recipients',
        description:
          'Checks whether this key can send to each address now: recipient allowlist, suppression list and quota. Returns `ok` for each recipient, with an error code if it would be refused. Sends nothing. Not for checking a whole email: use preview_email.',
        effect: 'read',
        offers: ['to', 'cc', 'bcc'],
      },
    ],
  },
  cli: {
    command: 'emails send',
    description:
      'Sends one email. The server accepts it, returns its id and the status queued, and delivers it in the background: pass --wait to wait for the outcome. If the approval mode of the key holds the send, the email is sent when an approver approves it. If one recipient is refused, the whole send is refused, and the error lists each refused recipient with the reason. Without --source and --agent-name, the persona of the key applies, then the source backend.',
    examples: [
      'postrider send --from app@example.com --to ada@example.org --subject Hello --text "Hi Ada"',
      'postrider send --from app@example.com --to ada@example.org --subject Report --html @report.html --wait',
      'postrider send --from app@example.com --to ada@example.org --subject Invoice --text "Attached." --attach invoice.pdf',
    ],
  },
});
