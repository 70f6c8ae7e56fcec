import type { Access } from '../../acl/access.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'

/** Every namespace. */
export const everyNamespace = '*'

/** Whether the caller can see rows of a namespace; evaluated once per namespace. */
export function visibleNamespaces(
  access: Access,
  ...anyOf: readonly NamespaceCapability[]
): ((row: { readonly Namespace: string }) => boolean) | undefined {
  if (access.management) return undefined
  const seen = new Map<string, boolean>()
  return ({ Namespace }) => {
    const known = seen.get(Namespace)
    if (known !== undefined) return known
    const may = access.namespace(Namespace, ...anyOf)
    seen.set(Namespace, may)
    return may
  }
}

/** Combines two tests: both must hold. */
export const both = <Row>(
  first: ((row: Row) => boolean) | undefined,
  second: ((row: Row) => boolean) | undefined,
): ((row: Row) => boolean) | undefined =>
  first && second ? (row) => first(row) && second(row) : (first ?? second)
