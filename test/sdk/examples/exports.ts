import type { Postrider } from '@postrider/sdk';

export async function countBytes(postrider: Postrider): Promise<number> {
  let bytes = 0;
  for await (const chunk of postrider.emails.export({ format: 'csv' })) bytes += chunk.length;
  return bytes;
}
