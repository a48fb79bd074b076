import { renderDocComment } from './doc-comment.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';
import { type Call, type NamedType, toCamelCase, upperFirst } from './sdk-calls.ts';

/** One class per resource, with a method per operation. */
export function renderResource(resource: string, calls: readonly Call[]): string {
  const types = calls.flatMap(typesOf).map((type) => ordinary(type, calls));
  return `${TYPESCRIPT_NOTICE}

${renderImports(calls, types).join('\n')}
${renderAliases(types)}
export class ${className(resource)} {
  readonly #client: OperationCaller;

  constructor(client: OperationCaller) {
    this.#client = client;
  }

${calls.map(renderMethod).join('\n')}}
`;
}

/** The base class of the client, with every resource as a property. */
export function renderResources(resources: readonly string[]): string {
  const imports = resources.map((name) => `import { ${className(name)} } from './resources/${name}.ts';`);
  const properties = resources.map(
    (name) => `  readonly ${toCamelCase(name)}: ${className(name)} = new ${className(name)}(this);`,
  );
  return `${TYPESCRIPT_NOTICE}

import type { ApiResponse, CallOptions, OpenResponse, OperationCaller, OperationInput } from '../call.ts';
import type { OperationId } from './operations.ts';
${imports.join('\n')}

/** Every resource of the API. */
export abstract class Resources implements OperationCaller {
${properties.join('\n')}

  abstract requestOperation<Data = unknown>(
    id: OperationId,
    input?: OperationInput,
    options?: CallOptions,
  ): Promise<ApiResponse<Data>>;

  abstract openOperation(id: OperationId, input?: OperationInput, options?: CallOptions): Promise<OpenResponse>;
}
`;
}

/** For a body whose fields determine the response, the model is the body that requests the usual one. */
function ordinary(type: NamedType, calls: readonly Call[]): NamedType {
  const fields = calls.find(({ body }) => body === type)?.alternatives.map(({ when }) => `${when}?: false`) ?? [];
  if (type.kind !== 'alias' || fields.length === 0) return type;
  return { ...type, definition: `${type.definition} & { ${fields.join('; ')} }` };
}

/** The types in the signature of a call's method. */
function typesOf({ body, query, output, alternatives, page }: Call): NamedType[] {
  const answers = [page?.item ?? output, ...alternatives.map((alternative) => alternative.output)];
  return [...(body ? [body] : []), ...(query ? [query.type] : []), ...answers];
}

function renderImports(calls: readonly Call[], types: readonly NamedType[]): string[] {
  const models = types.filter(({ kind }) => kind === 'model').map(({ name }) => name);
  const lists = calls.some(({ page }) => page !== null);
  const parts = types.some(({ kind }) => kind === 'alias');
  const files = types.some(isFile);
  const data = calls.some((call) => call.page === null && !isFile(call.output));
  return [
    `import type { CallOptions, OperationCaller } from '../../call.ts';`,
    ...(data ? [`import { type CallPromise, callOperation } from '../../call-promise.ts';`] : []),
    ...(files ? [`import { type DownloadPromise, download } from '../../download.ts';`] : []),
    ...(lists ? [`import { listPages, type PagePromise } from '../../pagination.ts';`] : []),
    ...(models.length > 0 ? [`import type { ${[...new Set(models)].sort().join(', ')} } from '../models.ts';`] : []),
    ...(parts ? [`import type { operations } from '../schema.ts';`] : []),
  ];
}

function renderAliases(types: readonly NamedType[]): string {
  const aliases = types.flatMap((type) => (type.kind === 'alias' ? [`type ${type.name} = ${type.definition};\n`] : []));
  return aliases.length === 0 ? '' : `\n${aliases.join('')}`;
}

function renderMethod(call: Call): string {
  const comment = renderDocComment(describeMethod(call), '  ');
  return `${comment}${renderOverloads(call)}${call.page === null ? renderCall(call) : renderList(call, call.page)}`;
}

/**
 * If a field of the body determines the response, its type determines the return type. The body's model omits that field, so that callers
 * get the usual response; only a body of unknown type returns a union.
 */
function renderOverloads(call: Call): string {
  if (call.alternatives.length === 0 || call.body === null) return '';
  const { name } = call.body;
  const signature = (body: string, answer: string) =>
    `  ${call.method}(${renderArguments(call, body).replaceAll(' = {}', '').replace('options:', 'options?:')}): CallPromise<${answer}>;\n`;
  return [
    signature(name, call.output.name),
    ...call.alternatives.map(({ when, output }) => signature(withField(name, `${when}: true`, when), output.name)),
    signature(undecided(call, name), answerType(call)),
  ].join('');
}

function undecided({ alternatives }: Call, name: string): string {
  const fields = alternatives.map(({ when }) => when);
  return withField(name, fields.map((field) => `${field}?: boolean | undefined`).join('; '), ...fields);
}

function withField(name: string, declared: string, ...fields: readonly string[]): string {
  return `Omit<${name}, ${fields.map((field) => `'${field}'`).join(' | ')}> & { ${declared} }`;
}

function answerType({ output, alternatives }: Call): string {
  return [output.name, ...alternatives.map((alternative) => alternative.output.name)].join(' | ');
}

function isFile({ name }: NamedType): boolean {
  return name === 'DownloadPromise';
}

function renderCall(call: Call): string {
  const type = answerType(call);
  if (isFile(call.output)) {
    return `  ${call.method}(${renderArguments(call)}): ${type} {
    return download(this.#client, '${call.id}', ${renderInput(call)}, options);
  }
`;
  }
  const body = call.alternatives.length > 0 && call.body !== null ? undecided(call, call.body.name) : undefined;
  return `  ${call.method}(${renderArguments(call, body)}): CallPromise<${type}> {
    return callOperation(this.#client, '${call.id}', ${renderInput(call)}, options);
  }
`;
}

function renderList(call: Call, { itemsName, item }: NonNullable<Call['page']>): string {
  return `  ${call.method}(${renderArguments(call)}): PagePromise<${item.name}> {
    return listPages(this.#client, '${call.id}', '${itemsName}', ${renderInput(call)}, options);
  }
`;
}

/** Parameters: ids in the order of the path, then the body, the query, and the call options. */
function renderArguments({ params, body, query }: Call, bodyType = body?.name): string {
  return [
    ...params.map(({ name }) => `${name}: string`),
    ...(body === null ? [] : [`body: ${bodyType}`]),
    ...(query === null ? [] : [`query: ${query.type.name}${query.required ? '' : ' = {}'}`]),
    'options: CallOptions = {}',
  ].join(', ');
}

function renderInput({ params, body, query }: Call): string {
  const parts = [
    ...(params.length === 0 ? [] : [`params: { ${params.map(({ name }) => name).join(', ')} }`]),
    ...(body === null ? [] : ['body']),
    ...(query === null ? [] : ['query']),
  ];
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function describeMethod({ summary, description, params, errors, page }: Call): string[] {
  const codes = errors.map((code) => `\`${code}\``).join(', ');
  return [
    `${summary}.`,
    description,
    ...(page === null
      ? []
      : ['Awaited it is the first page, iterated with `for await` it is every item of every page.']),
    ...params.map((param) => `@param ${param.name} ${param.description}`),
    ...(codes === '' ? [] : [`@throws PostriderError with ${codes}, besides the codes that every call can return.`]),
  ];
}

function className(resource: string): string {
  return `${upperFirst(toCamelCase(resource))}Resource`;
}
