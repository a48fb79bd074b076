import type { Refusal } from './acceptance.ts';
import type { KeyRules } from './key-rules.ts';
import { type ClaimingSend, provenanceOf } from './provenance.ts';

/**
 * Why the persona does not permit what a send claims; null if it does. A lock fixes what the persona names: the agent's name, the source,
 * or both. What the persona leaves open stays open.
 */
export function checkPersonaLock(
  send: ClaimingSend,
  { lockPersona, persona }: Pick<KeyRules, 'lockPersona' | 'persona'>,
): Refusal | null {
  if (!lockPersona) return null;
  const { source, agentName } = provenanceOf(send);
  const faults = [
    ...(persona.agentName !== null && agentName !== persona.agentName ? [`agent name \`${agentName}\``] : []),
    ...(persona.source !== null && source !== persona.source ? [`source \`${source}\``] : []),
  ];
  if (faults.length === 0) return null;
  return {
    code: 'persona_locked',
    detail: `The key’s persona is locked, and the send claims the ${faults.join(' and the ')}.`,
  };
}
