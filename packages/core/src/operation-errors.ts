import type { ErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';
import { CALLER_POLICY, REACHES, type Reach, type ReachVerdict } from './reach.ts';

/** Codes of every operation that accepts an API key. */
const KEY_ERRORS = [
  'missing_key',
  'invalid_key',
  'key_revoked',
  'key_expired',
  'ip_not_allowed',
  'rate_limited',
] as const;

/**
 * Codes of every operation. `invalid_json` and `payload_too_large` also occur for a request or header section that the server cannot read.
 */
const COMMON_ERRORS = ['invalid_json', 'payload_too_large', 'validation_failed', 'internal', 'unavailable'] as const;

/** Codes of every method that can have a body, even if the operation needs none. */
const BODY_ERRORS = ['unsupported_media_type'] as const;

/** Every code an operation can return: its own, and those that follow from its access, method, parameters and limits. */
export function errorCodesOf(operation: Operation): readonly ErrorCode[] {
  const { method, params, anonymousLimits, errors } = operation;
  const codes: readonly ErrorCode[] = [
    ...(method === 'GET' ? [] : BODY_ERRORS),
    ...accessErrors(operation),
    ...(params === undefined ? [] : (['not_found'] as const)),
    ...(anonymousLimits === undefined ? [] : (['rate_limited'] as const)),
    ...(mayBeRefusedByReach(operation) ? (['permission_escalation'] as const) : []),
    ...errors,
    ...COMMON_ERRORS,
  ];
  return [...new Set(codes)];
}

/** `missing_scope` also rejects a write with a session cookie from a page of another origin. */
function accessErrors({ access, method }: Operation): readonly ErrorCode[] {
  const writes = method !== 'GET';
  if (access.kind === 'public') return [];
  if (access.kind === 'session') {
    return ['session_required', 'rate_limited', ...(writes ? (['missing_scope'] as const) : [])];
  }
  const acceptsUsers = access.users !== 'none';
  return [
    ...KEY_ERRORS,
    ...(acceptsUsers ? (['session_required'] as const) : []),
    ...(access.scope !== null || (acceptsUsers && writes) ? (['missing_scope'] as const) : []),
    ...(access.scope === 'approvals:decide' ? (['self_approval_forbidden'] as const) : []),
  ];
}

/** Whether `CALLER_POLICY` refuses the operation to some kind of caller. */
function mayBeRefusedByReach({ access, reach, heldAs }: Operation): boolean {
  return access.kind !== 'public' && heldAs === undefined && REFUSED_REACHES.has(reach);
}

const REFUSED_REACHES: ReadonlySet<Reach> = new Set(
  Object.values(CALLER_POLICY).flatMap((row: Readonly<Record<Reach, ReachVerdict>>) =>
    REACHES.filter((reach) => row[reach] === 'refuse'),
  ),
);
