/** Whether a receipt, a JWS in compact form, has the addresses of members: those who decided. True for one that cannot be read. */
export function namesMembers(receipt: string): boolean {
  try {
    const claims: unknown = JSON.parse(Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString());
    const { deciders } = claims as { readonly deciders?: unknown };
    return !Array.isArray(deciders) || deciders.some((decider) => decider?.kind === 'member');
  } catch {
    return true;
  }
}
