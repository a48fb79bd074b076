import { BODY_ERRORS, COMMON_ERRORS, type ErrorCode, KEY_ERRORS } from './errors.ts';
import type { Operation } from './operation.ts';
import { CALLER_POLICY, REACHES, type Reach, type ReachVerdict } from './reach.ts';

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

/** A write with a session cookie is refused with `missing_scope` where it comes from a page of another origin. */
function accessErrors({ access, method }: Operation): readonly ErrorCode[] {
  const writes = method !== 'GET';
  if (access.kind === 'public') return [];
  if (access.kind === 'session') {
    return ['session_required', 'rate_limited', ...(writes ? (['missing_scope'] as const) : [])];
  }
  const takesUsers = access.people !== 'none';
  return [
    ...KEY_ERRORS,
    ...(takesUsers ? (['session_required'] as const) : []),
    ...(access.scope !== null || (takesUsers && writes) ? (['missing_scope'] as const) : []),
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
