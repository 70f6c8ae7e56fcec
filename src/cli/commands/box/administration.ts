import { membersOf } from '../../client/members.ts'
import type { Flags } from '../../command/declaration.ts'
import type { Administer } from '../administered.ts'

/** Flags of every command that manages accounts and tokens. */
export const addressFlag = {
  to: { type: 'string', value: 'URL', about: 'address of the catalog (http://127.0.0.1:8300)' },
} as const satisfies Flags

export const administratorEnvironment = {
  CATALOG_ADDR: 'address of the catalog; --to takes precedence',
  CATALOG_TOKEN: 'the token of an administrator of the catalog',
} as const

/**
 * Connects to a catalog; the result sends a request that must succeed, and returns the fields of the answer.
 *
 * @param below - where the paths begin: `call` for those of the protocol
 */
export async function administrate(
  to: string | undefined,
  below: 'call' | 'administer' = 'administer',
): Promise<Administer> {
  const { made, targetOf } = await import('../../box/catalog-client.ts')
  const catalog = targetOf(to)
  return async (what, method, parts, more) =>
    made(await catalog[below](method, parts, more), `cannot ${what}`)
}

/** Every account of a kind, in pages of a hundred. */
export async function everyAccount(
  to: string | undefined,
  kind: 'users' | 'organizations',
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const ask = await administrate(to)
  const all: Readonly<Record<string, unknown>>[] = []
  for (let page = 1; ; page += 1) {
    const answer = await ask(`list the ${kind}`, 'GET', [kind], { query: `?page=${page}` })
    const listed: unknown = answer[kind]
    if (!Array.isArray(listed) || listed.length === 0) return all
    all.push(...listed.map(membersOf))
    if (all.length >= Number(answer['total'])) return all
  }
}
