export const WEBHOOKS_PATH = '/console/webhooks';

export function endpointPath({ id }: { readonly id: string }): string {
  return `${WEBHOOKS_PATH}/${id}`;
}

export function deliveryPath(endpoint: { readonly id: string }, deliveryId: string): string {
  return `${endpointPath(endpoint)}/deliveries/${deliveryId}`;
}
