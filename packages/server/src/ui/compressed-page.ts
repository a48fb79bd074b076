import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, encodeQuickly } from './encodings.ts';

/** Shorter pages fit into the first packets anyway. */
const MIN_CHARACTERS = 1_024;

/**
 * The body of a page, compressed if the browser accepts it, with the headers that say so. Responses to forms are not compressed: one of
 * them shows a new key. Neither are pages that another site has opened: by what it puts into the address, and the size of the response, it
 * could guess a text of the page (BREACH).
 */
export async function compressedPage(reply: FastifyReply, markup: string): Promise<string | Buffer> {
  const { request } = reply;
  reply.header('vary', 'accept-encoding, sec-fetch-site');
  if (request.method === 'POST' || markup.length < MIN_CHARACTERS || !isOpenedHere(request)) return markup;
  const encoding = chooseEncoding(request.headers['accept-encoding'], 'text/html');
  if (encoding === null) return markup;
  reply.header('content-encoding', encoding);
  return await encodeQuickly(Buffer.from(markup), encoding);
}

/** By the user, or a page of this server. Browsers do not let pages change the header; those without it are older than 2023. */
function isOpenedHere({ headers }: FastifyRequest): boolean {
  return ['none', 'same-origin'].includes(headers['sec-fetch-site']?.toString() ?? 'none');
}
