import { findOperation, type OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { refuseDomainId } from './domain-id-refusal.ts';
import { describeDomain } from './domain-text.ts';

export const getDomainTool = oneDomainTool(findOperation('domains.get'));

export const createDomainTool = oneDomainTool(
  findOperation('domains.create'),
  'Publish these records exactly as shown, then call verify_domain.',
);

export const verifyDomainTool = oneDomainTool(
  findOperation('domains.verify'),
  'New records may not be visible yet. The server looks them up again automatically.',
);

export const rotateDomainKeyTool = oneDomainTool(
  findOperation('domains.rotate'),
  'Publish the new DKIM record and keep the old one: the server switches once it finds the new one.',
);
export const deleteDomainTool = oneDomainTool(findOperation('domains.delete'));
export const restoreDomainTool = oneDomainTool(findOperation('domains.restore'));

type DomainOperation = OperationById<
  'domains.create' | 'domains.get' | 'domains.verify' | 'domains.rotate' | 'domains.restore' | 'domains.delete'
>;

/** A tool that returns one domain with its records; `advice` says what to do next. */
function oneDomainTool(operation: DomainOperation, advice?: string): ToolMaker {
  const said = advice === undefined ? [] : [advice];
  const listTool = operation.id === 'domains.restore' ? 'list_removed_domains' : 'list_domains';
  return callingTool(operation, {
    toRefusal: (problem) => refuseDomainId(problem, listTool),
    structuredNotes: [...said, UNTRUSTED_NOTE],
    toText: (domain, untrusted) => [describeDomain(domain, untrusted), ...said].join('\n'),
  });
}
