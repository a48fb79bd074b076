import { requirement, section } from './requirement.ts';

export const severalApprovers = section('Approvals by several people', [
  requirement(
    'several.count',
    'If the account or a key requires several approvers, a message is sent once, after the last approval, and not before.',
  ),
  requirement(
    'several.receipt',
    'The receipt of such an approval names everyone who approved, and the rule that was met. If passkeys are required, it has the signature of each.',
  ),
  requirement('several.record', 'Each approval is in the audit log and in the events of the hold, with its member.'),
  requirement('several.reject', 'One rejection ends such a hold.'),
  requirement(
    'several.attacks',
    'No member counts twice: not through another session, device or link, not with simultaneous requests, and not after an edit. Keys, members who lost their role, and approvals of another revision do not count.',
  ),
  requirement(
    'several.edits',
    'An edit by one of several approvers changes the held message for everyone and restarts the count. The receipt has the hash of what was held, the hash of what was sent, and all edited fields.',
  ),
  requirement('several.remember', 'Recipients are trusted from then on only if everyone who approved asked for it.'),
  requirement(
    'several.rules',
    'The strictest rule of the account and of both keys applies, also to messages that are already held. A rule that cannot be met is refused, and the check before a decision says if too few people are left.',
  ),
  requirement(
    'several.named',
    'A key can name its approvers: only they can approve, and only they get the mail. Others can reject.',
  ),
  requirement(
    'several.mail',
    'After an edit, those who have not approved the new revision get a mail with a link to it.',
  ),
  requirement(
    'several.drafts',
    'No one can publish the template draft of a key whose sends several people must approve.',
  ),
  requirement(
    'several.surfaces',
    'The console, the mailed page, the command line, MCP and events show how many people have approved, and that only the last approval sends.',
  ),
]);

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
    'A further passkey is added only with one that the user has, a first one that approves nothing only in the first 15 minutes of a session, and passkeys that approve are removed only with a passkey.',
  ),
  requirement(
    'passkeys.first',
    'Where passkeys of a user approve, the first one is added only with a link that was mailed to the user: once, for ten minutes, in the session that requested it. No session, device, key, or other link replaces it, and opening it does not use it up.',
  ),
  requirement(
    'passkeys.sessions',
    'A session ends with the passkey that started it. If the operator removes the passkeys of a user, all sessions of the user end.',
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
