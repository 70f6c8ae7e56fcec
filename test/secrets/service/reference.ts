// What a secrets service is held against: it knows nothing of it but who may do what.

export type Verb = 'read' | 'update' | 'delete' | 'list'

/** What a policy of the reference says: one rule a pattern, where a last `*` stands for anything. */
export type Rules = ReadonlyMap<string, readonly Verb[]>

export interface Token {
  readonly text: string
  readonly parent: Token | undefined
  /** Which life of a namespace, and of an auth method where a login made it. */
  readonly home: Space
  readonly login: Method | undefined
  readonly policies: readonly string[]
  /** The token role it was made with: renewing asks for it. */
  readonly role: string | undefined
  expiresAt: number
  uses: number
  revoked: boolean
}

/** One life of an auth method. */
export interface Method {
  stands: boolean
}

/** One life of a namespace. */
export interface Space {
  readonly path: string
  stands: boolean
  readonly policies: Map<string, Rules>
  /** Mounts by path. */
  readonly mounts: Map<string, Held>
  /** The token roles: how long their tokens live, in seconds. */
  readonly roles: Map<string, number>
  idp: Method | undefined
}

/** What a key/value mount holds. A versioned secret that is deleted has no value, and is listed all the same. */
export interface Held {
  readonly version: 1 | 2
  readonly secrets: Map<string, string | undefined>
}

/** An answer that was wrapped. */
export interface Wrapped {
  readonly text: string
  readonly value: string
  readonly home: Space
  readonly expiresAt: number
  used: boolean
}

export const verbOf: Readonly<Record<string, Verb>> = {
  GET: 'read',
  POST: 'update',
  DELETE: 'delete',
  LIST: 'list',
}
export const allVerbs: readonly Verb[] = ['read', 'update', 'delete', 'list']

export const isLive = (token: Token, now: number, asksNow: boolean): boolean =>
  !token.revoked &&
  (!asksNow || token.uses !== -1) &&
  now < token.expiresAt &&
  token.home.stands &&
  (token.login?.stands ?? true) &&
  (token.parent === undefined || isLive(token.parent, now, false))

/** The one rule for a path: the exact one, or that of the longest prefix; several policies with one pattern add up. */
export function isAllowed(token: Token, path: string, verb: Verb): boolean {
  if (token.policies.includes('root')) return path.startsWith(token.home.path)
  const rules = token.policies.flatMap((name) => [...(token.home.policies.get(name) ?? [])])
  const fitting = rules
    .map(([pattern, verbs]) => [token.home.path + pattern, verbs] as const)
    .filter(([pattern]) =>
      pattern.endsWith('*')
        ? path.startsWith(pattern.slice(0, -1))
        : path === pattern || (verb === 'list' && path === `${pattern}/`),
    )
    .sort(([a], [b]) => Number(a.endsWith('*')) - Number(b.endsWith('*')) || b.length - a.length)
  const [decides] = fitting
  const verbs = fitting.filter(([pattern]) => pattern === decides?.[0]).flatMap(([, granted]) => granted)
  // A rule without any right denies, even when another policy grants the same pattern.
  return (
    verbs.includes(verb) &&
    !fitting.some(([pattern, granted]) => pattern === decides?.[0] && granted.length === 0)
  )
}

export const textOf = (rules: Rules): string =>
  [...rules]
    .map(([pattern, verbs]) => {
      const names =
        verbs.length === 0
          ? ['deny']
          : verbs.flatMap((verb) => (verb === 'update' ? ['create', 'update'] : [verb]))
      return `path "${pattern}" { capabilities = ${JSON.stringify(names)} }`
    })
    .join('\n')

export const newSpace = (path: string): Space => ({
  path,
  stands: true,
  policies: new Map(),
  mounts: new Map(),
  roles: new Map(),
  idp: undefined,
})
