import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { createMcpServer } from '@postrider/mcp';

/** The tools a server lists, asked for over the protocol and without a network. */
export async function listTools(server: ReturnType<typeof createMcpServer>) {
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: 'test', version: '0.0.0' });
  await client.connect(clientSide);
  const { tools } = await client.listTools();
  await client.close();
  return tools;
}
