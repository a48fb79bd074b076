import { LIMITS, type Scope } from '@postrider/core';
import type { KeyRefusal } from '../../keys/manage-keys.ts';
import { ProblemError } from '../../problem.ts';
import { decidersOnly } from '../deciders-only.ts';
import { validationFailed } from '../parse-part.ts';
import { pausedByUser } from '../paused-by-user.ts';

export function unknownKey(id: string): ProblemError {
  return new ProblemError('not_found', { detail: `There is no key ${id} in this account.` });
}

/** The problem to return if a key was not created or changed. */
export function toKeyProblem(refusal: KeyRefusal, id = '', scopes: readonly Scope[] = []): ProblemError {
  switch (refusal.kind) {
    case 'paused-by-user':
      return pausedByUser('key', refusal.pauser, scopes);
    case 'has-client':
      return validationFailed([
        {
          path: 'id',
          code: 'conflict',
          message:
            'is the key of a program that signed in, which has no secret to replace; revoke the key to end its access',
        },
      ]);
    case 'too-deep':
      return new ProblemError('permission_escalation', {
        detail: `The calling key is the last of a chain of keys: ${LIMITS.keyGenerations} keys before it each created the next one. It cannot create a key.`,
        fix: 'Create the key with an earlier key of the chain, or as a signed-in user.',
      });
    case 'missing':
      return unknownKey(id);
    case 'revoked':
      return validationFailed([
        { path: 'id', code: 'revoked', message: 'is the id of a revoked key; create a new one' },
      ]);
    case 'invalid':
      return validationFailed(refusal.problems);
    case 'escalation':
      return new ProblemError('permission_escalation', {
        detail: `The key would be less restricted than the calling one in: ${refusal.names.join(', ')}.`,
      });
    case 'foreign-secret':
      return new ProblemError('permission_escalation', {
        detail:
          'The secret of a key shows its messages and its held sends. The calling key did not create this key, and lacks `emails:content-all` or `approvals:read`.',
        fix: 'Rotate the key with its own secret, with the key that created it, or with a key that has both scopes. Or ask a user who may manage keys.',
      });
    case 'not-grantor':
      return new ProblemError('permission_escalation', {
        detail: `The user who allowed this program set its limits. Another user cannot loosen: ${refusal.names.join(', ')}.`,
        fix: 'Ask that user, an owner or an admin to change the key.',
      });
    case 'unconfirmed':
      return new ProblemError('permission_escalation', {
        detail: `This loosens ${refusal.names.join(', ')} of a key whose approvals need a passkey, so it needs one too.`,
        fix: 'Change the key on its page of the console, as a user who may approve, and confirm it with a passkey.',
      });
    case 'undecidable':
      return decidersOnly(`Loosening ${refusal.names.join(', ')} of this key lets it send more mail without approval`);
  }
}
