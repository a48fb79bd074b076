import { OPERATIONS } from '../generated/operations.ts';
import { type ReferenceParams, writeReference } from '../operation-references.ts';

export { OPERATIONS };

export type AnyOperation = (typeof OPERATIONS)[number];
export type OperationId = AnyOperation['id'];
export type OperationById<Id extends OperationId> = Extract<AnyOperation, { readonly id: Id }>;

/** Operations with typed input and output; `raw` ones have their own protocol. */
export type CallableOperation = Exclude<AnyOperation, { readonly response: 'raw' }>;
export type CallableId = CallableOperation['id'];

/** Every tool that the registry names. */
export type ToolName = ToolNameOf<AnyOperation['mcp']>;
type ToolNameOf<Exposure> = Exposure extends { readonly tool: infer Name extends string }
  ? Name | (Exposure extends { readonly also: readonly (infer Other)[] } ? ToolNameOf<Other> : never)
  : never;

const byId = new Map<string, AnyOperation>(OPERATIONS.map((operation) => [operation.id, operation]));

export function findOperation<Id extends OperationId>(id: Id): OperationById<Id> {
  // The map is keyed by the id of its value, which the type system cannot see.
  return byId.get(id) as OperationById<Id>;
}

/** Finds the operation that an API text names by method and path, for example in a fix. Other surfaces replace it by their own name. */
export function nameOperation(id: OperationId, params: ReferenceParams = {}): string {
  return writeReference(findOperation(id), params);
}
