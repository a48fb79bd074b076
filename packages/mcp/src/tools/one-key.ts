import { findOperation, type OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { describeKey, NAMED_OF_A_KEY } from './key-text.ts';

export const getKeyTool = oneKeyTool(findOperation('keys.get'));
export const updateKeyTool = oneKeyTool(findOperation('keys.update'));
export const pauseKeyTool = oneKeyTool(findOperation('keys.pause'));
export const resumeKeyTool = oneKeyTool(findOperation('keys.resume'));
export const revokeKeyTool = oneKeyTool(findOperation('keys.revoke'));

type KeyOperation = OperationById<'keys.get' | 'keys.update' | 'keys.revoke' | 'keys.pause' | 'keys.resume'>;

/** A tool that returns the current state of one key. */
function oneKeyTool(operation: KeyOperation): ToolMaker {
  return callingTool(operation, {
    shows: NAMED_OF_A_KEY,
    structuredNotes: [UNTRUSTED_NOTE],
    toText: describeKey,
  });
}
