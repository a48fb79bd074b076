import { resourceUri } from '@postrider/mcp';

/** A session watches resources by their URI, and the holds that it asked the user to decide under a name of their own. */
const ELICITATION = 'elicitation:';

export function elicitationName(approvalId: string): string {
  return `${ELICITATION}${approvalId}`;
}

export function isElicitation(name: string): boolean {
  return name.startsWith(ELICITATION);
}

/** The hold that a name is about; null if it is the name of a resource. */
export function approvalOfName(name: string): string | null {
  return isElicitation(name) ? name.slice(ELICITATION.length) : null;
}

/** The resource that is read for a name. */
export function uriOfName(name: string): string {
  const approvalId = approvalOfName(name);
  return approvalId === null ? name : resourceUri('approvals', approvalId);
}

/** Whether a hold, by its state as a resource, needs no decision any more; one that was removed needs none either. */
export function isDecided(state: string | null): boolean {
  return state?.startsWith('pending:') !== true;
}
