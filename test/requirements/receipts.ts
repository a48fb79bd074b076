import { requirement, section } from './requirement.ts';

export const receipts = section('Receipts of approvals', [
  requirement(
    'receipts.made',
    'The transaction of every approval and rejection makes a receipt: a JWS that binds the installation, the account, the hold, the message, its revision, the content hash, the reasons of the hold, the time and the person or key that decided. Its hash is in the audit log.',
  ),
  requirement(
    'receipts.read',
    'A caller who may read a hold and its content may read its receipt: in the API, the SDK, MCP, the CLI and the console.',
  ),
  requirement(
    'receipts.keys',
    'The signing key is made on first use, stored sealed, and rotated without making earlier receipts invalid. Its public keys are at `/.well-known/postrider-receipts.json`.',
  ),
  requirement(
    'receipts.independent',
    'The 40 lines of code in docs/receipts.md, without Postrider, verify receipts and refuse every mutation: of the header, the payload, the signature, the algorithm, the key and the issuer.',
  ),
  requirement(
    'receipts.verify-command',
    '`postrider audit verify-receipt` verifies a receipt offline, and compares an exported message with it.',
  ),
  requirement(
    'receipts.delivered',
    'A held message leaves only if its bytes say what its receipt approves. What delivery adds (tracking, unsubscribe links) is taken off before they are compared.',
  ),
  requirement(
    'receipts.tampered',
    'If the content, the recipients, a file or the receipt of an approved message was changed in the database, nothing leaves. The message fails with the reason, and the audit log and the server’s log report it.',
  ),
]);
