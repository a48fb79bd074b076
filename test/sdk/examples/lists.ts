import type { Postrider } from '@postrider/sdk';

export async function subjectsOf(postrider: Postrider, tag: string): Promise<string[]> {
  const firstPage = await postrider.emails.list({ tag: [tag], limit: 2 });
  console.log(`${firstPage.data.length} of ${firstPage.total}, further ones from ${firstPage.nextCursor}`);
  const subjects: string[] = [];
  for await (const email of postrider.emails.list({ tag: [tag], limit: 2 })) subjects.push(email.subject);
  return subjects;
}
