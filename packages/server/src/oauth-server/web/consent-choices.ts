import {
  type FieldProblem,
  findOperation,
  type HoldWhen,
  type KeyPolicy,
  LIMITS,
  SCOPE_SHORTHANDS,
  type Scope,
} from '@postrider/core';
import type { PageForm } from '../../console/web/page-form.ts';
import { toKey } from '../../keys/key-record.ts';
import { parsePart } from '../../operations/parse-part.ts';
import type { AccessRequest, FormerGrant } from '../access-request.ts';
import type { AccessChoice } from '../grant-access.ts';

/** Days of access that the page offers. */
export const ACCESS_DAYS = [1, 7, 30, 90, 365] as const;
export const DEFAULT_DAYS = 30;
export const DEFAULT_DAILY_SENDS = 100;
const DAY_MS = 86_400_000;

/** Scopes of the request that the user grants one by one: all but sending and reading. */
export function furtherScopes({ scopes }: Pick<AccessRequest, 'scopes'>): readonly Scope[] {
  return scopes.filter((scope) => !SCOPE_SHORTHANDS.sending.includes(scope) && scope !== 'emails:content-all');
}

export type ChoicesVerdict =
  | { readonly ok: true; readonly access: AccessChoice }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** The former access that the program shall continue with; null if it gets another one. */
export function continuedGrant(form: PageForm, { former, extended }: AccessRequest): FormerGrant | null {
  const chosen = form.get('continues') ?? extended ?? '';
  return former.find(({ row }) => row.keyId === chosen) ?? null;
}

/** What a user grants with the form of the consent page: never more than the request and their role, which `request.scopes` are. */
export function readChoices(form: PageForm, request: AccessRequest, now: Date): ChoicesVerdict {
  const continued = continuedGrant(form, request);
  if (continued !== null) {
    const added = addedScopes(form, request, continued);
    return { ok: true, access: { kind: 'continue', keyId: continued.row.keyId, added } };
  }
  const problems = [...recipientProblems(form), ...holdProblems(form), ...unknownChoices(form)];
  if (problems.length > 0) return { ok: false, problems };
  const parsed = parsePart(findOperation('keys.create').body, givenOf(form, request, now), 'body');
  return parsed.ok ? { ok: true, access: { kind: 'another', input: parsed.data } } : parsed;
}

/** Of the scopes that the user ticked, those that the continued access does not have. */
function addedScopes(form: PageForm, request: AccessRequest, { granted }: FormerGrant): readonly Scope[] {
  const ticked = form.all('scope');
  const offered = [...furtherScopes(request), ...request.scopes.filter((scope) => scope === 'emails:content-all')];
  const isTicked = (scope: Scope) =>
    ticked.includes(scope) || (scope === 'emails:content-all' && form.has('readsOthers'));
  return offered.filter((scope) => isTicked(scope) && !granted.includes(scope));
}

/** The access as a policy, for its description in words before anything is stored. */
export function policyOfChoices(form: PageForm, request: AccessRequest, now: Date): KeyPolicy {
  const continued = continuedGrant(form, request);
  if (continued !== null) {
    const key = toKey(continued.row, null);
    return { ...key, scopes: [...key.scopes, ...addedScopes(form, request, continued)] };
  }
  const {
    recipientAllowlist = null,
    sendLimit,
    expiresAt,
    approvalMode,
    holdWhen,
    ...given
  } = givenOf(form, request, now);
  const day = sendLimit === null || !Number.isFinite(sendLimit.day) ? null : sendLimit.day;
  return {
    ...{ mode: 'live', scopes: given.scopes, rateLimit: LIMITS.keyRatePerMinuteDefault, ipAllowlist: null },
    ...{ attachmentHosts: null, recipientAllowlist, approvalMode, holdWhen, expiresAt },
    ...{ persona: given.persona, lockPersona: given.lockPersona },
    sendLimit: day === null ? null : { hour: null, day },
  };
}

function givenOf(form: PageForm, request: AccessRequest, now: Date) {
  const approvalMode = form.get('held') === 'some' ? ('policy' as const) : ('always' as const);
  const days = ACCESS_DAYS.find((count) => String(count) === form.get('days')) ?? DEFAULT_DAYS;
  const recipientAllowlist = recipientsOf(form, request);
  // An empty field means no limit; a missing one does not.
  const day = form.has('day') ? form.text('day') : String(DEFAULT_DAILY_SENDS);
  const { clientName } = request;
  return {
    name: clientName.slice(0, LIMITS.keyNameCharacters),
    scopes: scopesOf(form, request),
    ...(recipientAllowlist === null ? {} : { recipientAllowlist: [...recipientAllowlist] }),
    sendLimit: day === undefined ? null : { day: Number(day) },
    approvalMode,
    holdWhen: approvalMode === 'policy' ? holdWhenOf(form, request) : null,
    persona: { agentName: clientName, source: 'agent' as const },
    lockPersona: true,
    expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString(),
  };
}

function scopesOf(form: PageForm, request: AccessRequest): Scope[] {
  const ticked = form.all('scope');
  const further = furtherScopes(request);
  return request.scopes.filter((scope) => {
    if (scope === 'emails:content-all') return form.has('readsOthers');
    return !further.includes(scope) || ticked.includes(scope);
  });
}

function recipientsOf(form: PageForm, { teamAddresses }: AccessRequest): readonly string[] | null {
  switch (form.get('recipients')) {
    case 'team':
      return teamAddresses;
    case 'listed':
      return form.list('recipientList');
    default:
      return null;
  }
}

function holdWhenOf(form: PageForm, { ownDomains }: AccessRequest): HoldWhen {
  return {
    firstContact: form.has('firstContact'),
    recipientDomainNotIn: form.has('otherDomains') ? [...ownDomains] : null,
    recipientsOver: null,
    hasBcc: form.has('hasBcc'),
    hasAttachments: form.has('hasAttachments'),
    freeformBody: false,
    linkDomainNotIn: form.has('linksElsewhere') ? [...ownDomains] : null,
  };
}

function recipientProblems(form: PageForm): readonly FieldProblem[] {
  if (form.get('recipients') !== 'listed' || form.list('recipientList').length > 0) return [];
  return [{ path: 'recipientAllowlist', code: 'required', message: 'Name at least one address or domain.' }];
}

/** What no form of this page sends must not mean more than it says. */
function unknownChoices(form: PageForm): readonly FieldProblem[] {
  const choices: Readonly<Record<string, readonly string[]>> = {
    recipients: ['anyone', 'team', 'listed'],
    held: ['all', 'some'],
    days: ACCESS_DAYS.map(String),
  };
  return Object.entries(choices).flatMap(([name, known]) => {
    const given = form.get(name);
    return given === null || known.includes(given)
      ? []
      : [
          {
            path: name,
            code: 'invalid_value',
            message: `The page has no choice “${given.slice(0, 40)}” for \`${name}\`.`,
          },
        ];
  });
}

const RULES = ['firstContact', 'linksElsewhere', 'hasAttachments', 'hasBcc', 'otherDomains'] as const;

function holdProblems(form: PageForm): readonly FieldProblem[] {
  if (form.get('held') !== 'some' || RULES.some((rule) => form.has(rule))) return [];
  return [{ path: 'holdWhen', code: 'required', message: 'Tick at least one rule, or let every message wait.' }];
}
