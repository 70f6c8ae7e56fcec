import type * as z from 'zod'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { routeOperation, type Work } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import {
  answerDone,
  answerKeys,
  answerWith,
  notFound,
  operationRoute,
  type SecretsContext,
} from '../core/context.ts'
import { orNothing } from '../core/reply-shapes.ts'
import { aliasOperations, findAlias } from './alias-operations.ts'
import { answerInfo } from './context.ts'
import type { AliasKind, IdentityName } from './finding.ts'
import { IdentityKeys, IdentityReply, LookupBody } from './wire.ts'

/** The common fields of a write of an entity and of a group. */
interface NamedFields {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** An operation on the identity store that finds a value. */
type Finds<Args extends readonly unknown[], Value> = Work<
  SecretsContext,
  Args,
  Promise<{ readonly ok: true; readonly value: Value }>,
  never
>

/** The differences between the routes of entities and those of groups. */
interface Member<Fields extends NamedFields, Input, Written, Seen> {
  readonly kind: AliasKind
  /** Its name with the article. */
  readonly one: string
  readonly many: string
  /** The summary of the deletion. */
  readonly deletion: string
  readonly body: z.ZodType<Fields>
  /** Creates or changes one. */
  readonly write: Work<
    SecretsContext,
    [by: IdentityName | undefined, input: Input],
    Promise<Answer<Written, 'identity_invalid'>>,
    'identity_invalid'
  >
  readonly inputOf: (body: Fields, by: IdentityName | undefined) => Input
  /** The data of the answer for a new one; `undefined` for a changed one. */
  readonly writtenWire: (written: Written) => object | undefined
  /** Reads one; `undefined` for an unknown one. */
  readonly read: Finds<[by: IdentityName], Seen | undefined>
  readonly wire: (seen: Seen, context: SecretsContext) => Promise<object>
  readonly delete: Work<SecretsContext, [by: IdentityName], Promise<Answer<boolean>>, never>
  readonly list: Finds<[], readonly { readonly name: string }[]>
  /** The data of each one in a list by identifiers. */
  readonly info: Finds<[], Readonly<Record<string, object>>>
}

/** The two ways to identify an entity or a group in a path. */
const ways = [
  { by: 'id', segment: ':key', name: (id: string): IdentityName => ({ id }) },
  { by: 'name', segment: '*key', name: (name: string): IdentityName => ({ name }) },
] as const
type Way = (typeof ways)[number]

/** Finds an entity or a group by its identifier, its name, or an alias. */
const lookup = <Seen>(kind: AliasKind, read: Finds<[by: IdentityName], Seen | undefined>) =>
  routeOperation({
    refuses: ['identity_invalid'],
    run: async (context: SecretsContext, asked: z.output<typeof LookupBody>) => {
      const alias = asked.alias_id
        ? (await aliasOperations.read.run(context, asked.alias_id)).value
        : asked.alias_name && asked.alias_mount_accessor
          ? await findAlias(context, kind, asked.alias_mount_accessor, asked.alias_name)
          : undefined
      const by = asked.id ? { id: asked.id } : asked.name ? { name: asked.name } : alias && { id: alias.of }
      if (by) return read.run(context, by)
      return asked.alias_id || asked.alias_name
        ? found(undefined)
        : refuse('identity_invalid', 'query parameter not supplied')
    },
  })

/** What all routes that create or change an entity or a group have in common. */
const writesOf = <Fields extends NamedFields, Input, Written, Seen>(
  member: Member<Fields, Input, Written, Seen>,
) =>
  ({
    method: 'POST',
    access: 'update',
    body: member.body,
    reply: IdentityReply,
    also: { 204: { description: `changed ${member.one}` } },
    run: member.write,
    show: (written: Written, { context }: { readonly context: SecretsContext }) => {
      const data = member.writtenWire(written)
      return data ? answerWith(context, { data }) : answerDone(context)
    },
  }) as const

/** The routes of those that a path identifies in this way. */
function routesBy<Fields extends NamedFields, Input, Written, Seen>(
  member: Member<Fields, Input, Written, Seen>,
  { by, segment, name }: Way,
) {
  const { kind, one } = member
  const path = `/${kind}/${by}/${segment}` as const
  return [
    operationRoute({
      id: `identity.read-${kind}-by-${by}`,
      method: 'GET',
      path,
      summary: `Read ${one} by its ${by}`,
      access: 'read',
      reply: IdentityReply,
      ...orNothing,
      run: member.read,
      with: ({ params }) => [name(params['key'] ?? '')],
      show: async (seen, { context }) =>
        seen ? answerWith(context, { data: await member.wire(seen, context) }) : notFound,
    }),
    operationRoute({
      ...writesOf(member),
      id: `identity.write-${kind}-by-${by}`,
      path,
      summary: by === 'id' ? `Change ${one}` : `Create or change ${one} by its name`,
      with: ({ params, body }) => {
        const named = name(params['key'] ?? '')
        return [named, member.inputOf(body, named)]
      },
    }),
    operationRoute({
      id: `identity.delete-${kind}-by-${by}`,
      method: 'DELETE',
      path,
      summary: member.deletion,
      access: 'delete',
      run: member.delete,
      with: ({ params }) => [name(params['key'] ?? '')],
    }),
    listBy(member, by),
  ]
}

function listBy<Fields extends NamedFields, Input, Written, Seen>(
  { kind, many, list, info }: Member<Fields, Input, Written, Seen>,
  by: Way['by'],
) {
  const lists = {
    id: `identity.${many}-by-${by}`,
    method: 'LIST',
    path: `/${kind}/${by}`,
    summary: `List the ${many} by ${by}`,
    access: 'list',
    reply: IdentityKeys,
    ...orNothing,
  } as const
  return by === 'name'
    ? operationRoute({
        ...lists,
        run: list,
        show: (all, { context }) => answerKeys(context, all.map((each) => each.name).sort()),
      })
    : operationRoute({
        ...lists,
        run: info,
        show: (data, { context }) => answerInfo(context, data),
      })
}

/** The common routes of entities and groups, relative to the identity store. */
export function memberRoutes<Fields extends NamedFields, Input, Written, Seen>(
  member: Member<Fields, Input, Written, Seen>,
) {
  const { kind, one } = member
  return [
    operationRoute({
      ...writesOf(member),
      id: `identity.write-${kind}`,
      path: `/${kind}`,
      summary: `Create ${one}, or change the one with an identifier or a name`,
      with: ({ body }) => {
        const by = body.id ? { id: body.id } : body.name ? { name: body.name } : undefined
        return [by, member.inputOf(body, by)]
      },
    }),
    ...ways.flatMap((way) => routesBy(member, way)),
    operationRoute({
      id: `identity.lookup-${kind}`,
      method: 'POST',
      path: `/lookup/${kind}`,
      summary: `Find ${one} by its ID, its name, or an alias`,
      access: 'update',
      body: LookupBody,
      reply: IdentityReply,
      also: { 204: { description: `there is no such ${kind}` } },
      run: lookup(kind, member.read),
      with: ({ body }) => [body],
      show: async (seen, { context }) =>
        seen ? answerWith(context, { data: await member.wire(seen, context) }) : answerDone(context),
    }),
  ]
}
