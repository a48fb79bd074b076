import { requirement, section } from './requirement.ts';

export const severalApprovers = section('Approvals by several people', [
  requirement(
    'several.count',
    'Where the account or a key asks for several people, a message is sent with the last of their approvals, once, and not before.',
  ),
  requirement(
    'several.receipt',
    'The receipt of such an approval names everyone who approved, and the rule that they met. With passkeys, it has the signature of each.',
  ),
  requirement('several.record', 'Each approval is in the audit log and in the events of the hold, with its person.'),
  requirement('several.reject', 'One rejection ends such a hold.'),
  requirement(
    'several.attacks',
    'No member counts twice: not by another session, device or link, not at the same time, and not after an edit. Keys, members who lost their role, and approvals of another revision do not count.',
  ),
  requirement(
    'several.edits',
    'An edit by one of several people changes the held message for all and starts the count again; the receipt has the hash of what was held, what was sent, and all fields that were edited.',
  ),
  requirement('several.remember', 'Recipients are trusted from then on only if everyone who approved asked for it.'),
  requirement(
    'several.rules',
    'The strictest rule of the account and of both keys applies, also to what is held already. A rule that no one could meet is refused, and the check in advance says if too few people are left.',
  ),
  requirement(
    'several.named',
    'A key can name its approvers: only they can approve and get the mail. Others can reject.',
  ),
  requirement('several.mail', 'After an edit, those who have not approved get a mail with a link to what it is now.'),
  requirement(
    'several.drafts',
    'One person alone cannot publish the template draft of a key whose sends several people approve.',
  ),
  requirement(
    'several.surfaces',
    'Console, mailed page, command line, MCP and events show how many have approved, and that an approval before the last one sends nothing.',
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
