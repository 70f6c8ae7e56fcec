import * as z from 'zod'
import type { Reply } from '../../../http/index.ts'
import { route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { capabilitiesOf, resultantAcl } from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'
import { answerTwice, type SecretsContext } from '../core/context.ts'
import { isRefused } from '../core/core.ts'
import { body, listField, textField } from '../core/fields.ts'
import { enveloped, twice } from '../core/reply-shapes.ts'
import { findToken } from '../tokens/find-token.ts'
import { rightsOf } from './rights.ts'

const at = route<SecretsContext>()

const PathsBody = body({ paths: listField, path: listField, token: textField, accessor: textField })

const text = z.string()
const texts = z.array(text)
const yes = z.boolean()

const rights = z.record(text, z.object({ capabilities: texts }))
export const ResultantAcl = twice({
  exact_paths: rights,
  glob_paths: rights,
  root: yes,
  chroot_namespace: text,
})
export const Capabilities = enveloped(z.record(text, texts)).catchall(z.unknown())

/** The capabilities of a token at some paths: a map, and for a single path also the bare list. */
async function capabilities(
  context: SecretsContext,
  token: Token | undefined,
  asked: readonly string[],
): Promise<Reply> {
  const acl = await rightsOf(context.core, await context.core.fresh(), token)
  const found: Record<string, readonly string[]> = Object.create(null)
  for (const path of asked)
    found[path] = capabilitiesOf(acl, context.namespace.path + path.replace(/^\/+/, ''))
  const [only] = asked
  if (asked.length === 1 && only !== undefined) found['capabilities'] = found[only] ?? ['deny']
  return answerTwice(context, found)
}

const withCapabilities = (rules: Readonly<Record<string, readonly string[]>>) => {
  const shown: Record<string, { readonly capabilities: readonly string[] }> = Object.create(null)
  for (const [pattern, names] of Object.entries(rules)) shown[pattern] = { capabilities: names }
  return shown
}

/** The maximum number of paths per request: each is matched against the rules, and every token may ask. */
const mostPaths = 1000

/** The queried paths; none, or too many, are refused. */
const pathsOf = ({
  paths,
  path,
}: z.output<typeof PathsBody>): readonly string[] | Refused<'paths_missing'> => {
  const asked = paths ?? path ?? []
  if (asked.length === 0) return refuse('paths_missing', 'paths must be supplied')
  return asked.length > mostPaths
    ? refuse('paths_missing', `at most ${mostPaths} paths can be queried together`)
    : asked
}

/** The routes of the capabilities of tokens. */
export const capabilityRoutes = [
  at({
    id: 'sys.resultant-acl',
    method: 'GET',
    path: '/internal/ui/resultant-acl',
    summary: 'List the rights of the calling token, by path',
    access: 'read',
    reply: ResultantAcl,
    handle: async ({ context }) => {
      const acl = await rightsOf(context.core, await context.core.fresh(), context.caller?.token)
      const { root, exact, globs } = resultantAcl(acl)
      return answerTwice(context, {
        exact_paths: withCapabilities(exact),
        glob_paths: withCapabilities(globs),
        root,
        chroot_namespace: '',
      })
    },
  }),
  at({
    id: 'sys.capabilities-self',
    method: 'POST',
    path: '/capabilities-self',
    summary: 'Read the capabilities of the calling token on paths',
    access: 'update',
    body: PathsBody,
    refusals: ['paths_missing'],
    reply: Capabilities,
    handle: ({ context, body }) => {
      const asked = pathsOf(body)
      return isRefused(asked) ? asked : capabilities(context, context.caller?.token, asked)
    },
  }),
  ...(['token', 'accessor'] as const).map((by) =>
    at({
      id: `sys.capabilities-${by}`,
      method: 'POST',
      path: by === 'token' ? '/capabilities' : '/capabilities-accessor',
      summary: `Read the capabilities of a token, by its ${by === 'token' ? 'ID' : by}, on paths`,
      access: 'update',
      body: PathsBody,
      refusals: ['paths_missing', 'bad_token', 'bad_accessor'],
      reply: Capabilities,
      handle: async ({ context, body }) => {
        const asked = pathsOf(body)
        if (isRefused(asked)) return asked
        const name = by === 'token' ? { token: body.token ?? '' } : { accessor: body.accessor ?? '' }
        const found = await findToken(context.core, name, context.namespace)
        if (found) return capabilities(context, found, asked)
        return by === 'token' ? refuse('bad_token', 'bad token') : refuse('bad_accessor', 'invalid accessor')
      },
    }),
  ),
]
