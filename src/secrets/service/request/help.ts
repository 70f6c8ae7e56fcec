import { helpText, openapi, type Reply, type Route, reply, type Words } from '../../../http/index.ts'
import type { SecretsContext } from '../context.ts'
import { documented } from './documented.ts'

/**
 * What a path tells about itself and what is below it: a text, and an OpenAPI document whose paths are relative to the
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

/** What is left of a route's path after a queried one; `undefined` when it is neither there nor below. */
export function relative(pattern: string, rest: string): string | undefined {
  const want = pattern.split('/').filter(Boolean)
  const have = rest.split('/').filter(Boolean)
  for (const segment of have) {
    const next = want[0]
    if (next === undefined) return undefined
    // A tail takes everything that is left, and goes on below it.
    if (next.startsWith('*')) break
    if (!next.startsWith(':') && next !== segment) return undefined
    want.shift()
  }
  return `/${want.join('/')}`
}
