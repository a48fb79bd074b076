import type { OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { refuseDomainId } from './domain-id-refusal.ts';
import { describeDomain } from './domain-text.ts';

type DomainOperation = OperationById<
  'domains.create' | 'domains.get' | 'domains.verify' | 'domains.rotate' | 'domains.restore' | 'domains.delete'
>;

/** A tool that answers one domain with its records; `advice` says what to do next. */
export function oneDomainTool(operation: DomainOperation, advice?: string): ToolMaker {
  const said = advice === undefined ? [] : [advice];
  const listTool = operation.id === 'domains.restore' ? 'list_removed_domains' : 'list_domains';
  return callingTool(operation, {
    toRefusal: (problem) => refuseDomainId(problem, listTool),
    structuredNotes: [...said, UNTRUSTED_NOTE],
    toText: (domain, untrusted) => [describeDomain(domain, untrusted), ...said].join('\n'),
  });
}
