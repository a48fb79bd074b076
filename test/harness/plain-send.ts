import { sendRequestSchema } from '../../packages/core/src/index.ts';
import { deriveText } from '../../packages/server/src/sending/derive-text.ts';
import type { SendCommand } from '../../packages/server/src/sending/send-command.ts';

/** A send without template, files or tracking, as the accept queue takes it; for tests and benchmarks of that queue itself. */
export function plainSend(
  sender: { readonly accountId: string; readonly keyId: string },
  input: Readonly<Record<string, unknown>>,
): SendCommand {
  const request = sendRequestSchema.parse(input);
  const html = request.html ?? null;
  return {
    ...sender,
    mode: 'live',
    recipientAllowlist: null,
    attachmentHosts: null,
    persona: { source: null, agentName: null },
    lockPersona: false,
    sendLimit: null,
    makerLimits: [],
    pausedBy: null,
    fixedChannel: null,
    headerClaims: {},
    request,
    content: {
      subject: request.subject ?? '',
      html,
      text: request.text ?? (html === null ? null : deriveText(html)),
      template: null,
      templateMakers: null,
      attachments: [],
      tracking: null,
      scheduledAt: null,
    },
    resendOf: null,
    idempotency: null,
  };
}
