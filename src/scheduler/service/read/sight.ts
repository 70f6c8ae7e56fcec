import type { Access } from '../../acl/access.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'

/** Every namespace. */
export const everyNamespace = '*'

/** Whether rows of a namespace may be seen; asked once per namespace. */
export function namespaceSight(
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

/** Both must hold, where both are asked. */
export const both = <Row>(
  first: ((row: Row) => boolean) | undefined,
  second: ((row: Row) => boolean) | undefined,
): ((row: Row) => boolean) | undefined =>
  first && second ? (row) => first(row) && second(row) : (first ?? second)
