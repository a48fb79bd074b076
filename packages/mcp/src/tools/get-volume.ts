import { findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { callingTool } from '../tool.ts';

type Day = OperationOutput<OperationById<'account.volume'>>[number];

/** A tool's result must be an object, and a list is not one. */
export const getVolumeTool = callingTool(findOperation('account.volume'), {
  output: { days: { type: 'array', items: { type: 'object' }, description: 'One a UTC day, oldest first.' } },
  toRecord: (days: Day[]) => ({ days }),
  toText: ({ days }) => [`${days.length} UTC days, in messages, oldest first`, ...days.map(describeDay)].join('\n'),
});

function describeDay({ date, sent, delivered, bounced, complained, opened, clicked }: Day): string {
  return `- ${date}: ${sent} sent, ${delivered} delivered, ${bounced} bounced, ${complained} complained of, ${opened} opened, ${clicked} clicked`;
}
