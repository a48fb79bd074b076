/** What of a text lies outside of its fence, and what inside; the two marks bear the same nonce. */
export function splitAtFence(text: string): { readonly outside: string; readonly inside: string } {
  const fence = /\[untrusted ([0-9a-f]{16})\][^\n]*\n([\s\S]*)\n\[\/untrusted \1\]/.exec(text);
  return { outside: text.replace(fence?.[0] ?? '', ''), inside: fence?.[2] ?? '' };
}
