import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problem.ts';
import { chooseEncoding, type Encoding, encode } from './encodings.ts';

/** A file that pages load: a style sheet, a script, an icon. */
export interface AssetSource {
  /** The last part of its URL, unique in a set: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  readonly contentType: string;
  /** Called once, when the asset is first used. */
  readonly read: () => string | Uint8Array;
  /**
   * Lets pages of every origin load it, which a page in a sandbox needs for its module scripts: it has an opaque origin. Never for
   * anything that is secret or depends on the caller.
   */
  readonly isForEveryOrigin?: boolean;
}

/** Files with the hash of their content in the URL, so that browsers keep them for a year and load a changed file at once. */
export interface Assets {
  /**
   * The path of an asset, such as `/assets/0sN3vGkQ2mXh4TzR/console.css`.
   * @throws if there is no such asset, or its file cannot be read
   */
  url(name: string): string;
  /** Null if there is none, or its content has another hash. */
  find(hash: string, name: string): Asset | null;
}

interface Asset {
  readonly source: AssetSource;
  readonly hash: string;
  readonly bytes: Buffer;
  /** Compressed forms, each made when it is first requested. */
  readonly encoded: Map<Encoding, Promise<Buffer>>;
}

/**
 * Scripts import each other as they do on disk, `from './name.js'`. The names of assets are replaced by their URLs here, because a relative
 * one would have the hash of the importing file.
 */
export function createAssets(sources: readonly AssetSource[]): Assets {
  const byName = new Map(sources.map((source) => [source.name, source]));
  const loaded = new Map<string, Asset>();
  const reading = new Set<string>();

  function load(name: string): Asset {
    const source = byName.get(name);
    if (source === undefined) throw new Error(`There is no asset \`${name}\`.`);
    const known = loaded.get(name);
    if (known !== undefined) return known;
    // The URL of each would contain the hash of the other.
    if (reading.has(name)) throw new Error(`The asset \`${name}\` imports itself, through ${[...reading].join(', ')}.`);
    reading.add(name);
    try {
      const asset = toAsset(source, (text) => withUrls(text));
      loaded.set(name, asset);
      return asset;
    } finally {
      reading.delete(name);
    }
  }

  const withUrls = (script: string) =>
    script.replace(IMPORT, (whole, before: string, quote: string, name: string) =>
      byName.has(name) ? `${before}${quote}${url(name)}` : whole,
    );
  const url = (name: string) => `/assets/${load(name).hash}/${name}`;

  return {
    url,
    find(hash, name) {
      if (!byName.has(name)) return null;
      const asset = load(name);
      return asset.hash === hash ? asset : null;
    },
  };
}

/** Serves the assets. They are public: put nothing into them that depends on an account or a caller. */
export function addAssetRoutes(app: FastifyInstance, assets: Assets): void {
  app.get('/assets/:hash/:name', async (request, reply) => {
    const { hash, name } = request.params as { readonly hash: string; readonly name: string }; // The route has both.
    const asset = assets.find(hash, name);
    if (asset === null) throw new ProblemError('not_found', { detail: 'There is no such file in this version.' });
    const { contentType, isForEveryOrigin = false } = asset.source;
    const encoding = chooseEncoding(request.headers['accept-encoding'], contentType);
    if (isForEveryOrigin) reply.header('access-control-allow-origin', '*');
    if (encoding !== null) reply.header('content-encoding', encoding);
    return reply
      .header('content-type', contentType)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('cross-origin-resource-policy', isForEveryOrigin ? 'cross-origin' : 'same-origin')
      .header('vary', 'accept-encoding')
      .send(encoding === null ? asset.bytes : await encodedForm(asset, encoding));
  });
}

const IMPORT = /((?:from|import|resolve)[ (])(['"])\.\/([\w.-]{1,100})(?=['"])/g;
/** 96 bits, as base64url. */
const HASH_CHARACTERS = 16;

function toAsset(source: AssetSource, withUrls: (script: string) => string): Asset {
  const content = source.read();
  const isScript = source.contentType.startsWith('text/javascript');
  const bytes = Buffer.from(isScript ? withUrls(Buffer.from(content).toString()) : content);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, HASH_CHARACTERS);
  return { source, hash, bytes, encoded: new Map() };
}

function encodedForm({ bytes, encoded }: Asset, encoding: Encoding): Promise<Buffer> {
  const known = encoded.get(encoding);
  if (known !== undefined) return known;
  const form = encode(bytes, encoding);
  encoded.set(encoding, form);
  return form;
}
