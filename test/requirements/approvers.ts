import { requirement, section } from './requirement.ts';

export const approvers = section('Approvals with a passkey', [
  requirement(
    'passkeys.page',
    'Where the account or a key requires it, an approval needs a passkey of the person who approves, with user verification, over a challenge that is the hash of the account, the hold, the revision, the content with all edits, the decision and the member. The page of the hold asks for it.',
  ),
  requirement('passkeys.link', 'The link in a mail approves only with a passkey of the member to whom it was mailed.'),
  requirement('passkeys.reject', 'Rejecting needs no passkey on any surface.'),
  requirement(
    'passkeys.attacks',
    'Nothing else approves where a passkey is required: no key, stolen session, device, mailed link, bulk decision or page of another site, and no signature that was used, is too old, or is for another hold, content, decision, purpose, user, server or authenticator.',
  ),
  requirement(
    'passkeys.refusal',
    'Every surface that cannot approve says so, with the address of the page that can, also in the check before the decision.',
  ),
  requirement(
    'passkeys.loosening',
    'Where approvals need a passkey, turning that off, loosening the approval of a key, publishing the draft of a held key, and adding someone who approves need one too, over exactly that change, of a user who may decide.',
  ),
  requirement(
    'passkeys.guards',
    'A further passkey is added only with one that the user has, a first one only in the first 15 minutes of a session, and passkeys that approve are removed only with a passkey.',
  ),
  requirement(
    'passkeys.receipt',
    'The receipt of an approval with a passkey has its signature and public key. Programs without Postrider verify it over the content hash, and refuse every change of it.',
  ),
  requirement(
    'passkeys.story',
    'In a browser with an authenticator: an agent is held, a person approves with a passkey, and the agent is told. Without scripts or passkeys, the page says what is needed.',
  ),
  requirement(
    'passkeys.key',
    'A key requires a passkey for approvals of its own sends. A key that it creates cannot require less.',
  ),
]);
