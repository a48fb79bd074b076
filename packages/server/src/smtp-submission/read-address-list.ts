import { parseMailbox } from '@postrider/core';
import { decodeWords } from 'postal-mime';
import { MessageFault } from './message-fault.ts';

/** A mailbox from a header. Its address is parsed as strictly as everywhere else. */
export interface ShownMailbox {
  readonly name: string | null;
  readonly address: string;
}

export interface ShownMailboxes {
  readonly mailboxes: readonly ShownMailbox[];
  /** Text where a mailbox should be, but is not one. */
  readonly others: readonly string[];
  /** Whether some of them were in a group. */
  readonly hasGroup: boolean;
}

/**
 * Parses the addresses of a header (RFC 5322 §3.4): groups are expanded, comments dropped. Encoded words are decoded
 * last, within a name, so that their content can never become an address.
 * @throws MessageFault if quotes, comments or angle brackets are not closed.
 */
export function readAddressList(field: string, value: string): ShownMailboxes {
  const mailboxes: ShownMailbox[] = [];
  const others: string[] = [];
  const { items, hasGroup } = splitItems(field, value);
  for (const item of items) {
    const mailbox = readMailbox(item);
    if (mailbox === null) others.push(item);
    else mailboxes.push(mailbox);
  }
  return { mailboxes, others, hasGroup };
}

/** A list without these characters is one address. */
const STRUCTURE = /[\\"(),:;]/;

/** Splits a list into single addresses without comments. Group names are dropped, and their members are kept. */
function splitItems(field: string, value: string): { readonly items: readonly string[]; readonly hasGroup: boolean } {
  const isOpen = value.lastIndexOf('<') > value.lastIndexOf('>');
  if (!isOpen && !STRUCTURE.test(value)) return { items: value === '' ? [] : [value.trim()], hasGroup: false };
  const items: string[] = [];
  const state = { item: '', isQuoted: false, isAngled: false, comments: 0, hasGroup: false };
  const end = () => {
    if (state.item.trim() !== '') items.push(state.item.trim());
    state.item = '';
  };
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    const isPlain = !state.isQuoted && !state.isAngled && state.comments === 0;
    if (character === '\\' && (state.isQuoted || state.comments > 0)) {
      at += 1;
      if (state.comments === 0) state.item += character + value.charAt(at);
    } else if (!state.isQuoted && character === '(') state.comments += 1;
    else if (state.comments > 0) state.comments -= character === ')' ? 1 : 0;
    else if (isPlain && (character === ',' || character === ';')) end();
    else if (isPlain && character === ':') {
      state.item = '';
      state.hasGroup = true;
    } else {
      if (character === '"') state.isQuoted = !state.isQuoted;
      else if (!state.isQuoted && (character === '<' || character === '>')) state.isAngled = character === '<';
      state.item += character;
    }
  }
  if (state.isQuoted || state.isAngled || state.comments > 0)
    throw new MessageFault(field, 'has quotes or brackets that are not closed');
  end();
  return { items, hasGroup: state.hasGroup };
}

function readMailbox(item: string): ShownMailbox | null {
  const open = item.endsWith('>') ? item.lastIndexOf('<') : -1;
  const verdict = parseMailbox(open === -1 ? item : item.slice(open + 1, -1));
  if (!verdict.ok || verdict.mailbox.name !== null) return null;
  const name = open === -1 ? '' : readName(item.slice(0, open).trim());
  return { name: name === '' ? null : name, address: verdict.mailbox.address };
}

/** Quoted and bare words in any combination. */
function readName(phrase: string): string {
  const words = phrase.replace(/"((?:[^"\\]|\\[\s\S])*)("|\\?$)/g, (whole, quoted: string, end: string) =>
    end === '"' ? quoted.replace(/\\(.)/g, '$1') : whole,
  );
  return decodeWords(words).trim();
}
