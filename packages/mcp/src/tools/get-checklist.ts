import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const getChecklistTool = callingTool(findOperation('account.checklist'), {
  toText: ({ items, completed, total }) =>
    [
      `${completed} of ${total} steps are done`,
      ...items.map(({ id, label, done, fix }) =>
        done ? `- done | ${id} | ${label}` : `- to do | ${id} | ${label} | ${fix}`,
      ),
    ].join('\n'),
});
