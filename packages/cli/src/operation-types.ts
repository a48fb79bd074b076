import type { OperationId, OperationTypes } from '@postrider/sdk';
import type { Shown } from './output/json-value.ts';

/** The input of an operation by its place in the HTTP request, and nothing else. */
export type CallInput<Id extends OperationId> = Part<'params', OperationTypes[Id]['parameters']['path']> &
  Part<'query', OperationTypes[Id]['parameters']['query']> &
  Part<'headers', OperationTypes[Id]['parameters']['header']> &
  Part<'body', BodyOf<OperationTypes[Id]>>;

type Part<Name extends string, Given> = [Given] extends [undefined]
  ? { readonly [Key in Name]?: never }
  : undefined extends Given
    ? { readonly [Key in Name]?: Given }
    : { readonly [Key in Name]: Given };

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? OptionalBody<Body>
    : undefined;

/** Inference gives unknown for an operation without a body. */
type OptionalBody<Body> = unknown extends Body ? undefined : Body | undefined;

/** The field names of an operation's response. A server of another version may omit any of them. */
export type ShownOutput<Id extends OperationId> = Shown<OutputOf<OperationTypes[Id]['responses']>>;

type OutputOf<Responses> = Responses[keyof Responses] extends infer Response
  ? Response extends { content: { 'application/json': infer Body } }
    ? Body
    : never
  : never;
