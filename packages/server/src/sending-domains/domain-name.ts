import { type FieldProblem, toAsciiDomain, withoutRoot } from '@postrider/core';
import { parse } from 'tldts';
import { hasFalsePunycode } from '../diagnostics/false-punycode.ts';
import { dkimHost } from './domain-records.ts';

/** The settings of a new domain; the name is in lower case, as A-labels. */
export interface DomainChoice {
  readonly name: string;
  /** The selectors of all its keys. The caller may have chosen the first one. */
  readonly selectors: readonly string[];
  /** Whether the caller chose the first selector. */
  readonly isSelectorGiven: boolean;
  /** A label, or a full name below the domain. */
  readonly returnPath: string;
}

export type DomainChoiceVerdict =
  | { readonly ok: true; readonly returnPathHost: string }
  | { readonly ok: false; readonly problem: FieldProblem };

const MAX_NAME_CHARACTERS = 253;

/** Whether an account may have this domain at all, and which host receives its bounces. */
export function checkDomainChoice(choice: DomainChoice, sandboxDomain: string): DomainChoiceVerdict {
  const { name, selectors } = choice;
  const refuse = (path: string, code: string, message: string): DomainChoiceVerdict => ({
    ok: false,
    problem: { path, code, message },
  });
  if (name === sandboxDomain || name.endsWith(`.${sandboxDomain}`)) {
    return refuse('name', 'reserved', 'is the sandbox domain of this server: every account can already send from it');
  }
  if (SPECIAL_USE.test(name)) {
    return refuse('name', 'reserved', 'is under a special-use name (RFC 6761), which receivers cannot look up');
  }
  const { publicSuffix, isIp } = parse(name, { allowPrivateDomains: true });
  if (isIp === true) return refuse('name', 'invalid_domain', 'must be a domain name, not an address');
  if (hasFalsePunycode(name)) {
    return refuse('name', 'invalid_domain', 'has a label that begins with xn-- and is not valid punycode (RFC 3492)');
  }
  if (publicSuffix === name) {
    return refuse('name', 'public_suffix', 'is a public suffix; use a domain below it that you own');
  }
  if (!selectors.every((selector) => fitsName(selector, name))) {
    const isNameAtFault = !choice.isSelectorGiven || !fitsName(SHORTEST_SELECTOR, name);
    return { ok: false, problem: isNameAtFault ? NAME_TOO_LONG : SELECTOR_TOO_LONG };
  }
  const returnPathHost = toReturnPathHost(choice.returnPath, name);
  if (returnPathHost === null) {
    const message = `must be a label (\`bounce\`) or a full name below ${name} (\`bounce.${name}\`)`;
    return refuse('returnPath', 'invalid_domain', message);
  }
  return { ok: true, returnPathHost };
}

/**
 * Names that mean different things in different networks, or no host at all (RFC 6761, RFC 6762, RFC 7686): receivers could not verify such
 * a domain. `arpa` is for infrastructure (RFC 3172). `test` and `example` are allowed for trying out the server with a private DNS.
 */
const SPECIAL_USE = /\.(?:localhost|local|onion|invalid|arpa)$/;

const MAX_LABEL_CHARACTERS = 63;

export const SELECTOR_TOO_LONG: FieldProblem = {
  path: 'dkimSelector',
  code: 'too_long',
  message: `makes a record name with a label of more than ${MAX_LABEL_CHARACTERS}, or of more than ${MAX_NAME_CHARACTERS} characters in total`,
};

const SHORTEST_SELECTOR = 'a';

const NAME_TOO_LONG: FieldProblem = {
  path: 'name',
  code: 'too_long',
  message: `leaves no room for the records of its keys: \`<selector>._domainkey.\` and the name have at most ${MAX_NAME_CHARACTERS} characters in total`,
};

/** Whether the name of a key's record is valid in the DNS (RFC 1035 §2.3.4). */
export function fitsName(selector: string, name: string): boolean {
  const host = dkimHost(selector, name);
  return host.length <= MAX_NAME_CHARACTERS && host.split('.').every((label) => label.length <= MAX_LABEL_CHARACTERS);
}

function toReturnPathHost(given: string, name: string): string | null {
  const bare = withoutRoot(given);
  const host = toAsciiDomain(bare.includes('.') ? bare : `${bare}.${name}`);
  return host?.endsWith(`.${name}`) ? host : null;
}
