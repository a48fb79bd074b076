import { sendRequestSchema } from '../../packages/core/src/index.ts';
import { deriveText } from '../../packages/server/src/sending/derive-text.ts';
import { installationSender } from '../../packages/server/src/sending/judged-sender.ts';
import { type ParsedSend, toParsedSend } from '../../packages/server/src/sending/parsed-send.ts';

/**
 * A send without template, files or tracking, by a key without rules, as it enters the accept queue; for tests and benchmarks of the queue.
 */
export function plainSend(
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  input: Readonly<Record<string, unknown>>,
): ParsedSend {
  const request = sendRequestSchema.parse(input);
  const html = request.html ?? null;
  return toParsedSend(
    installationSender(accountId, keyId),
    { request, fixedChannel: null, headerClaims: {}, idempotency: null },
    {
      subject: request.subject ?? '',
      html,
      text: request.text ?? (html === null ? null : deriveText(html)),
      template: null,
      templateMakers: null,
      attachments: [],
      tracking: null,
      scheduledAt: null,
    },
  );
}
