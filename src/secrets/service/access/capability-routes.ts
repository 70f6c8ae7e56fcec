import * as z from 'zod'
import type { Reply } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { answerTwice, operationRoute, type SecretsContext } from '../core/context.ts'
import { body, listField, textField } from '../core/fields.ts'
import { enveloped, twice } from '../core/reply-shapes.ts'
import { accessOperations } from './operations.ts'

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

const withCapabilities = (rules: Readonly<Record<string, readonly string[]>>) => {
  const shown: Record<string, { readonly capabilities: readonly string[] }> = Object.create(null)
  for (const [pattern, names] of Object.entries(rules)) shown[pattern] = { capabilities: names }
  return shown
}

/** The maximum number of paths per request: each is matched against the rules, and every token may ask. */
const mostPaths = 1000

/** The queried paths, as arguments; none, or too many, are refused. */
const pathsOf = ({
  paths,
  path,
}: z.output<typeof PathsBody>): readonly [paths: readonly string[]] | Refused<'paths_missing'> => {
  const asked = paths ?? path ?? []
  if (asked.length === 0) return refuse('paths_missing', 'paths must be supplied')
  return asked.length > mostPaths
    ? refuse('paths_missing', `at most ${mostPaths} paths can be queried together`)
    : [asked]
}

/** The body and the answer of a query for capabilities. */
const asksForCapabilities = {
  method: 'POST',
  access: 'update',
  body: PathsBody,
  refusals: ['paths_missing'],
  reply: Capabilities,
  show: (
    found: Readonly<Record<string, readonly string[]>>,
    { context }: { readonly context: SecretsContext },
  ): Reply => answerTwice(context, found),
} as const

/** The routes of the capabilities of tokens. */
export const capabilityRoutes = [
  operationRoute({
    id: 'sys.resultant-acl',
    method: 'GET',
    path: '/internal/ui/resultant-acl',
    summary: 'List the rights of the calling token, by path',
    access: 'read',
    reply: ResultantAcl,
    run: accessOperations.own,
    show: ({ root, exact, globs }, { context }) =>
      answerTwice(context, {
        exact_paths: withCapabilities(exact),
        glob_paths: withCapabilities(globs),
        root,
        chroot_namespace: '',
      }),
  }),
  operationRoute({
    ...asksForCapabilities,
    id: 'sys.capabilities-self',
    path: '/capabilities-self',
    summary: 'Read the capabilities of the calling token on paths',
    run: accessOperations.ownCapabilities,
    with: ({ body }) => pathsOf(body),
  }),
  ...(['token', 'accessor'] as const).map((by) =>
    operationRoute({
      ...asksForCapabilities,
      id: `sys.capabilities-${by}`,
      path: by === 'token' ? '/capabilities' : '/capabilities-accessor',
      summary: `Read the capabilities of a token, by its ${by === 'token' ? 'ID' : by}, on paths`,
      run: accessOperations.capabilities,
      with: ({ body }) => {
        const asked = pathsOf(body)
        if (isRefused(asked)) return asked
        return [by === 'token' ? { token: body.token ?? '' } : { accessor: body.accessor ?? '' }, ...asked]
      },
    }),
  ),
]
