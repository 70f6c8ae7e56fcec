/** Reserved names, which have another meaning in paths. */
export const reservedNames = ['.', '..', 'root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity'] as const

/** The stored form of a namespace path: empty for the root, otherwise with exactly one trailing slash. */
export function canonicalNamespace(text: string): string {
  // Most requests name none.
  if (text === '') return ''
  const path = text.split('/').filter(Boolean).join('/')
  return path === '' || path === 'root' ? '' : `${path}/`
}

/** Returns what is wrong with a name for a namespace, or `undefined`. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'a namespace needs a name'
  if (name.includes('/')) return 'a namespace is created in its parent: the name cannot contain "/"'
  if (/[\s+*\u0000-\u001f\u007f]/.test(name)) return 'a namespace name cannot contain whitespace, "+" or "*"'
  if (name.length > 128) return 'a namespace name has at most 128 characters'
  return reservedNames.some((reserved) => reserved === name) ? `"${name}" is a reserved name` : undefined
}

/** The target of a request: the namespace, and the path within it. */
export interface Located {
  /** Empty for the root, otherwise with a trailing slash. */
  readonly namespace: string
  readonly path: string
}

/**
 * Splits header and path into namespace and path: any split of the same whole path leads to the same target. The header
 * must name a complete namespace; the path may add to it.
 *
 * @returns `undefined` when the header names no namespace
 */
export function locate(
  header: string,
  path: string,
  namespaces: Readonly<Record<string, unknown>>,
): Located | undefined {
  let namespace = canonicalNamespace(header)
  if (namespace !== '' && !Object.hasOwn(namespaces, namespace)) return undefined
  let rest = path
  for (;;) {
    const slash = rest.indexOf('/')
    const next = slash < 0 ? '' : namespace + rest.slice(0, slash + 1)
    if (next === '' || !Object.hasOwn(namespaces, next)) return { namespace, path: rest }
    namespace = next
    rest = rest.slice(slash + 1)
  }
}

/** System paths that concern the whole server, and exist in the root namespace only. */
export const isRootOnly = (path: string): boolean =>
  /^sys\/(?:init|seal-status|unseal|seal|health|leader|step-down|rotate|key-status|rekey|generate-root|raw|audit|config\/cors|config\/ui|config\/auditing|quotas)(?:\/|$)/.test(
    path,
  )
