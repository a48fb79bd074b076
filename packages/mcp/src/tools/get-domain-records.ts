import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { refuseDomainId } from './domain-id-refusal.ts';
import { describeRecords } from './domain-text.ts';

export const getDomainRecordsTool = callingTool(findOperation('domains.records'), {
  toRefusal: (problem) => refuseDomainId(problem, 'list_domains'),
  structuredNotes: [UNTRUSTED_NOTE],
  toText: ({ records }, untrusted) => describeRecords(records, untrusted).join('\n'),
});
