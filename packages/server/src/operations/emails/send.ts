import { senderOf } from '../../sending/judged-sender.ts';
import { previewSends } from '../../sending/preview-sends.ts';
import { sendMessages } from '../../sending/send-messages.ts';
import type { Handler } from '../context.ts';
import { toSendInput } from './send-input.ts';
import { acceptedBody, sendHeaders, toSendProblem } from './send-response.ts';

/** Accepts one send and returns its verdict; a dry run only checks it. */
export const sendEmail: Handler<'emails.send'> = async ({ body, headers }, context) => {
  const {
    caller,
    services: { sending },
  } = context;
  const input = await toSendInput(body, context.rawBody, headers, headers['idempotency-key'], context.via);
  if (body.dry_run === true) {
    const [preview] = await previewSends(sending, senderOf(caller), [input]);
    if (preview === undefined) throw new Error('a dry run returned no result');
    return { status: 200, body: preview };
  }
  const [verdict] = await sendMessages(sending, senderOf(caller), [input]);
  if (verdict === undefined) throw new Error('a send returned no verdict');
  if (verdict.kind === 'refused') throw toSendProblem(verdict);
  context.noteEmail(verdict.id);
  return { body: acceptedBody(verdict), headers: sendHeaders(verdict) };
};
