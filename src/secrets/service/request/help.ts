import { helpText, openapi, type Reply, type Route, reply, type Words } from '../../../http/index.ts'
import type { SecretsContext } from '../core/context.ts'
import { documented } from './documented.ts'

/**
 * The help of a path and of the paths below it: a text, and an OpenAPI document whose paths are relative to the
 * queried one.
 *
 * @param routes - of the mount's type, relative to the mount
 * @param rest - the queried path within the mount
 */
export function helpFor(
  title: string,
  about: string,
  routes: readonly Route<SecretsContext>[],
  rest: string,
  words: Words,
): Reply {
  const below = routes.flatMap((entry) => {
    const path = relative(entry.path, rest)
    return path === undefined ? [] : [{ ...entry, path }]
  })
  return reply({
    help: `## ${title}\n\n${about}\n\n${helpText(below)}\n`,
    openapi: openapi(title, about, below, documented(words)),
  })
}

/** The rest of a route's path after the queried one; `undefined` if the route is neither at it nor below. */
export function relative(pattern: string, rest: string): string | undefined {
  const want = pattern.split('/').filter(Boolean)
  const have = rest.split('/').filter(Boolean)
  for (const segment of have) {
    const next = want[0]
    if (next === undefined) return undefined
    // A tail matches the whole rest.
    if (next.startsWith('*')) break
    if (!next.startsWith(':') && next !== segment) return undefined
    want.shift()
  }
  return `/${want.join('/')}`
}
