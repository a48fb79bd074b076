import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { Exchange } from './http-exchange.ts';

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface DescribedOperation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>;
  readonly requestBody?: unknown;
  readonly 'x-scope'?: string;
  readonly 'x-roles'?: readonly string[];
}

/** Headers of the connection and of HTTP itself, which OpenAPI leaves out. `content-type` is documented by `content`. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

type Item = Readonly<Record<string, DescribedOperation>> & { readonly 'x-allow': readonly string[] };

/** The published document, read as a stranger reads it: what it says of a response, and whether a response keeps to that. */
export function openDocument() {
  const document = parse(readFileSync('openapi.yaml', 'utf8'));
  const paths: Readonly<Record<string, Item>> = document.paths;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');

  const pathOf = (path: string) => path.replaceAll(/:([a-zA-Z]+)/g, '{$1}');
  const problemsAt = (pointer: readonly (string | number)[], value: unknown): string[] => {
    const $ref = `document#/${pointer.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'body'} ${message}`);
  };

  function describedAs({ path, method }: { readonly path: string; readonly method: string }): DescribedOperation {
    const described = paths[pathOf(path)]?.[method.toLowerCase()];
    if (described === undefined) throw new Error(`the document lacks ${method} ${path}`);
    return described;
  }

  /** Whether a body is what the document asks for. */
  function requestFaults(operation: { readonly path: string; readonly method: string }, body: unknown): string[] {
    const described = describedAs(operation);
    if (described.requestBody === undefined) return body === undefined ? [] : ['no body is documented'];
    if (body === undefined) return [];
    const pointer = ['paths', pathOf(operation.path), operation.method.toLowerCase(), 'requestBody'];
    return problemsAt([...pointer, 'content', 'application/json', 'schema'], body);
  }

  /** What a response has that the document does not say. */
  function responseFaults(operation: { readonly path: string; readonly method: string }, exchange: Exchange): string[] {
    const { status } = exchange;
    const inline = describedAs(operation).responses[status];
    if (inline === undefined) return [`status ${status} is not documented`];
    const shared = inline.$ref?.replace('#/components/responses/', '');
    const response: DescribedResponse = shared === undefined ? inline : document.components.responses[shared];
    const place =
      shared === undefined
        ? ['paths', pathOf(operation.path), operation.method.toLowerCase(), 'responses', status]
        : ['components', 'responses', shared];
    return [...headerFaults(response, place, exchange), ...bodyFaults(response, place, exchange)];
  }

  function headerFaults(response: DescribedResponse, place: readonly (string | number)[], { headers }: Exchange) {
    return Object.entries(headers).flatMap(([name, value]) => {
      if (TRANSPORT_HEADERS.has(name)) return [];
      // biome-ignore lint/suspicious/noExplicitAny: the document is read as a stranger reads it
      const described: any = response.headers?.[name];
      if (described === undefined) return [`header ${name}: ${value} is not documented`];
      const component = described.$ref?.replace('#/components/headers/', '');
      const pointer = component === undefined ? [...place, 'headers', name] : ['components', 'headers', component];
      const { type } = (component === undefined ? described : document.components.headers[component]).schema;
      const given = type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
      return problemsAt([...pointer, 'schema'], given).map((fault) => `header ${name}: ${value} ${fault}`);
    });
  }

  function bodyFaults(response: DescribedResponse, place: readonly (string | number)[], exchange: Exchange): string[] {
    const { headers, body, isHead } = exchange;
    const types = Object.keys(response.content ?? {});
    if (types.length === 0) return body === '' ? [] : [`a body is not documented: ${body.slice(0, 100)}`];
    const given = bare(headers['content-type'] ?? '');
    const type = types.find((one) => bare(one) === given);
    if (type === undefined) return [`content type ${given} is not documented`];
    if (isHead) return body === '' ? [] : ['HEAD has a body'];
    const value = /json$/.test(given) ? JSON.parse(body) : body;
    return problemsAt([...place, 'content', type, 'schema'], value).map((fault) => `${fault} in ${body.slice(0, 200)}`);
  }

  return { paths, describedAs, requestFaults, responseFaults };
}

function bare(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
