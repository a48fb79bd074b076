import type { InputDescription } from '@postrider/cli';
import { type Argument, LIMITS } from '@postrider/core';

/** Help texts of arguments whose descriptions in the contract speak of HTTP or JSON, by the argument's name. */
const TEXTS: Readonly<Record<string, string>> = {
  cursor: 'Cursor that the previous page printed; keep its filters.',
  idempotency_key:
    'Makes a retry safe: the same key never sends twice. For 24 h the same key with the same values prints the first result again. Keys that start with auto-10m- are kept for 10 minutes. 1 to 255 printable ASCII characters.',
  dry_run: 'Sends nothing: prints every check and the message that would have been sent.',
  unsubscribe:
    'Adds one-click unsubscribe headers (RFC 8058). Each recipient gets a separate link. {{unsubscribe_url}} in the content or a template is that link, with and without this flag.',
};

const CONTENT_HASH = 'If it no longer matches, nothing is decided and the command fails with approval_changed.';
const HOLD_ID = 'The id of the hold, which the send printed.';

/** The same, of one operation. */
const OWN_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'approvals.get': { id: HOLD_ID },
  'approvals.check': { id: HOLD_ID },
  'approvals.decide': {
    id: HOLD_ID,
    contentHash: `The hash of the hold you reviewed. ${CONTENT_HASH}`,
    remember:
      'Trusts these recipients for this key from now on: the first contact and the domain of a recipient no longer hold messages to them. If several people must approve, each must ask for it.',
  },
  'templates.publish': { contentHash: `The hash that was shown with the draft. ${CONTENT_HASH}` },
  'templates.discard': { contentHash: `The hash that was shown with the draft. ${CONTENT_HASH}` },
  'requests.get': { id: 'The id of the request.' },
  'tickets.create': {
    requestId: 'The id of the request it is about; its log entry is attached.',
    context: `What your application knows of the case: a JSON object of at most ${LIMITS.ticketContextBytes} bytes. The names requestId, requestLog, emailId, emailTrail and withheld are reserved.`,
  },
  'account.stats': {
    provenance: 'Adds the numbers by channel and by source, and the agents with the most messages.',
    by_tag: 'Adds the rates of each tag. A message counts in each of its tags.',
    bounces: 'Adds the kinds of bounces.',
    engagement: 'Adds opens and clicks, each if its tracking is on.',
  },
};

/** What help says about an argument: its text for the command line, or else its description in the contract. */
export function inputText(id: string, { name, schema }: Argument): string {
  const { description } = schema;
  return OWN_TEXTS[id]?.[name] ?? TEXTS[name] ?? (typeof description === 'string' ? description : '');
}

/** The text with the names of arguments, which the contract writes as code, as their flags. */
export function withFlags(text: string, inputs: readonly InputDescription[]): string {
  return text.replaceAll(/`([A-Za-z_]+)`/g, (written, word: string) => {
    const input = inputs.find(({ name, key }) => name === word || key === word);
    return input?.flags[0] ?? written;
  });
}
