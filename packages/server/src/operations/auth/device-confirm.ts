import { confirmDevice as confirm } from '../../auth/device-consent.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import { requireSession } from './require-session.ts';

/** A session of a device cannot confirm another device: it could grant rights that it does not have itself. */
export const confirmDevice: Handler<'auth.device-confirm'> = async ({ body }, context) => {
  const { caller, address } = context;
  const { auth, installation } = context.services;
  const { user, sessionToken } = requireSession(context);
  if (sessionToken.kind !== 'cookie') {
    throw new ProblemError('permission_escalation', {
      detail: 'A device session cannot sign in another device.',
      fix: `Open ${installation.baseUrl}/auth/device in a browser and type the code there.`,
    });
  }
  const { userCode: typed, approvals = false } = body;
  const consent = { typed, approvals, user, accountId: caller.accountId, address };
  const verdict = await confirm(auth, consent);
  switch (verdict.kind) {
    case 'confirmed':
      return { body: { ok: true, approvals: verdict.mayDecide } };
    case 'expired':
      throw new ProblemError('device_code_expired');
    case 'unknown':
      throw new ProblemError('not_found', { detail: 'No device shows this code.' });
    case 'role':
      throw new ProblemError('permission_escalation', {
        detail: `Your role \`${user.role}\` does not allow deciding held sends, so you cannot allow a device to do it.`,
        fix: 'Leave `approvals` out.',
      });
  }
};
