import type { OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { describeKey, NAMED_OF_A_KEY } from './key-text.ts';

type KeyOperation = OperationById<'keys.get' | 'keys.update' | 'keys.revoke' | 'keys.pause' | 'keys.resume'>;

/** A tool that answers one key as it is now. */
export function oneKeyTool(operation: KeyOperation): ToolMaker {
  return callingTool(operation, {
    shows: NAMED_OF_A_KEY,
    structuredNotes: [UNTRUSTED_NOTE],
    toText: describeKey,
  });
}
