import { ProblemError } from '../../problem.ts';
import { confirmDevice as confirm } from '../../sessions/device-sign-in.ts';
import type { Handler } from '../context.ts';
import { signedIn } from './signed-in.ts';

export const confirmDevice: Handler<'auth.device-confirm'> = async ({ body }, context) => {
  const { services, caller } = context;
  const { person } = signedIn(context);
  const verdict = await confirm(services.people.tools, body.userCode, person, caller.accountId);
  if (verdict === 'expired') throw new ProblemError('device_code_expired');
  if (verdict === 'unknown') throw new ProblemError('not_found', { detail: 'No device shows this code.' });
  return { body: { ok: true } };
};
