import { findOperation, type OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { describeKey, NAMED_OF_A_KEY } from './key-text.ts';

const SHOWN_ONCE =
  'The secret is shown only once and cannot be read again. Store it where it is needed now, and nowhere else: not in an email, ticket or log.';

export const createKeyTool = secretKeyTool(findOperation('keys.create'));
export const rotateKeyTool = secretKeyTool(findOperation('keys.rotate'));

/** A tool that returns a key with its secret. */
function secretKeyTool(operation: OperationById<'keys.create' | 'keys.rotate'>): ToolMaker {
  return callingTool(operation, {
    shows: ['key', ...NAMED_OF_A_KEY],
    structuredNotes: [SHOWN_ONCE, UNTRUSTED_NOTE],
    toText: ({ key: secret, ...key }, untrusted) =>
      [SHOWN_ONCE, `Secret: ${secret}`, describeKey(key, untrusted)].join('\n'),
  });
}
