import type { FindingCode } from '@postrider/core';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { createFindings, excerpt, type Findings } from './findings.ts';
import { effectiveTerms, type SpfTerm } from './spf-record.ts';
import { fetchSpfTree, type SpfNode, type SpfTree } from './spf-tree.ts';

type Found = Findings<FindingCode<'spf'>>;

/** The part of a third-party record to show. */
export const RECORD_CHARACTERS = 4_000;

/** Checks the SPF record of a domain with everything it includes. Never throws. */
export async function checkSpf(dns: DnsResolver, domain: string) {
  const tree = await fetchSpfTree(dns, domain);
  return { records: nodesOf(tree.root).map(toRecord), findings: judgeSpfTree(tree) };
}

/** The findings for a tree of records; pure. */
function judgeSpfTree(tree: SpfTree) {
  const findings = createFindings('spf');
  const { root } = tree;
  const nodes = nodesOf(root);
  if (tree.isCut) findings.add('spf_too_large');
  if (root.state === 'missing') findings.add('spf_missing');
  for (const node of nodes) judgeNode(node, findings);
  judgeLimits(tree, nodes, findings);
  judgeEnd(root, findings);
  const isBroken = findings.list().some(({ level, code }) => level === 'fail' || code === 'spf_could_not_check');
  if (!isBroken) findings.add('spf_valid', `It needs ${lookupsOf(nodes)} of 10 lookups.`);
  return findings.list();
}

/** Each node before its children. */
function nodesOf(node: SpfNode): readonly SpfNode[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

function toRecord({ name, via, parent, depth, lookups, state, text }: SpfNode) {
  const value = text === null ? null : excerpt(text, RECORD_CHARACTERS);
  return { type: 'TXT' as const, name: excerpt(name, 300), value, via, parent, depth, lookups, state };
}

function judgeNode(node: SpfNode, findings: Found): void {
  const { name, text, record, state, via, parent } = node;
  if (state === 'missing' && via !== 'start') findings.add('spf_include_missing', `${parent} names ${name}.`);
  if (state === 'several') findings.add('spf_several_records', `They are at ${name}.`);
  if (state === 'loop') findings.add('spf_loop', `${parent} leads back to ${name}.`);
  if (state === 'macro') findings.add('spf_macro', `${parent} names ${name}.`);
  if (state === 'could_not_check') findings.add('spf_could_not_check', `${name}: ${node.reason}.`);
  if (text !== null && text.length > 450) findings.add('spf_record_too_long', `${name}: ${text.length} characters.`);
  if (record === null) return;
  for (const { term, reason } of record.faults) findings.add('spf_syntax_error', `${name}: \`${term}\` ${reason}.`);
  const effective = effectiveTerms(record);
  for (const term of effective) judgeTerm(term, name, findings);
  judgeIgnored(record.terms, effective, name, findings);
  for (const { term, outcome, reason } of node.probes) {
    if (outcome === 'void') findings.add('spf_void_lookup', `${name}: \`${term}\`.`);
    if (outcome === 'too many') findings.add('spf_too_many_mx', `${name}: \`${term}\`.`);
    if (outcome === 'failed') findings.add('spf_could_not_check', `${name}: \`${term}\`: ${reason}.`);
  }
}

/** A prefix this short contains more than 16 million IPv4 addresses. For IPv6, whole registries get this much. */
const WIDE = { ip4: 8, ip6: 16 } as const;

function judgeTerm({ name, text, qualifier, prefix, domain }: SpfTerm, at: string, findings: Found): void {
  const allows = qualifier === '+';
  if (name === 'ptr') findings.add('spf_ptr', `${at}: \`${text}\`.`);
  if (name === 'all' && allows) findings.add('spf_plus_all', `${at}: \`${text}\`.`);
  if (name === 'exists' && domain?.includes('%')) findings.add('spf_macro', `${at}: \`${text}\`.`);
  if (prefix === null || !allows) return;
  if (prefix === 0) findings.add('spf_plus_all', `${at}: \`${text}\`.`);
  else if (prefix < WIDE[name === 'ip6' ? 'ip6' : 'ip4']) findings.add('spf_wide_range', `${at}: \`${text}\`.`);
}

function judgeIgnored(terms: readonly SpfTerm[], effective: readonly SpfTerm[], at: string, findings: Found): void {
  for (const term of terms) {
    if (effective.includes(term)) continue;
    findings.add(term.isModifier ? 'spf_redirect_ignored' : 'spf_after_all', `${at}: \`${term.text}\`.`);
  }
}

function lookupsOf(nodes: readonly SpfNode[]): number {
  return nodes.reduce((sum, { lookups }) => sum + lookups, 0);
}

/** RFC 7208 §4.6.4. */
function judgeLimits({ isCut }: SpfTree, nodes: readonly SpfNode[], findings: Found): void {
  const lookups = lookupsOf(nodes);
  const isWhole = !isCut && !nodes.some(({ state }) => state === 'could_not_check' || state === 'loop');
  if (lookups > 10) findings.add('spf_too_many_lookups', `It needs ${isWhole ? '' : 'at least '}${lookups}.`);
  else if (lookups >= 9) findings.add('spf_lookups_near_limit', `It needs ${lookups}.`);
  const voids = nodes.flatMap(({ probes }) => probes).filter(({ outcome }) => outcome === 'void');
  if (voids.length > 2) findings.add('spf_too_many_void_lookups', `There are ${voids.length}.`);
}

/** The result for servers that no term matches: from the record itself, or from the one it redirects to. */
function judgeEnd(root: SpfNode, findings: Found): void {
  let node: SpfNode | undefined = root;
  while (node?.record) {
    const effective = effectiveTerms(node.record);
    const all = effective.find(({ name, isModifier }) => name === 'all' && !isModifier);
    const redirect: SpfNode | undefined = node.children.find(({ via }) => via === 'redirect');
    if (all?.qualifier === '?') findings.add('spf_neutral_all', `${node.name}: \`${all.text}\`.`);
    if (all === undefined && redirect === undefined) {
      const isFollowed = !effective.some(({ name, isModifier }) => name === 'redirect' && isModifier);
      if (isFollowed) findings.add('spf_no_all', `${node.name}.`);
    }
    node = redirect;
  }
}
