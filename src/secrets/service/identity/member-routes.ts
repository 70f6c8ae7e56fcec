import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { mayWarn, orNothing } from '../core/reply-shapes.ts'
import { aliasOperations, findAlias } from './alias-operations.ts'
import { answerInfo } from './context.ts'
import type { AliasKind, IdentityName } from './finding.ts'
import { IdentityKeys, IdentityReply, LookupBody } from './wire.ts'

const at = route<SecretsContext>()
const refusals = ['identity_invalid'] as const

/** The common fields of a write of an entity and of a group. */
interface NamedFields {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** The differences between the routes of entities and those of groups. */
export interface Member<Fields extends NamedFields> {
  readonly kind: AliasKind
  /** Its name with the article. */
  readonly one: string
  readonly many: string
  /** The summary of the deletion. */
  readonly deletion: string
  readonly body: z.ZodType<Fields>
  /** Creates or changes one; its value is the data of the answer for a new one. */
  readonly write: (
    context: SecretsContext,
    by: IdentityName | undefined,
    body: Fields,
  ) => Promise<Answer<object | undefined, 'identity_invalid'>>
  /** Reads one; `undefined` for an unknown one. */
  readonly read: (context: SecretsContext, by: IdentityName) => Promise<object | undefined>
  readonly delete: (context: SecretsContext, by: IdentityName) => Promise<unknown>
  readonly names: (context: SecretsContext) => Promise<readonly string[]>
  /** The data of each one in a list by identifiers. */
  readonly info: (context: SecretsContext) => Promise<Readonly<Record<string, object>>>
}

/** The two ways to identify an entity or a group in a path. */
const ways = [
  { by: 'id', segment: ':key', name: (id: string): IdentityName => ({ id }) },
  { by: 'name', segment: '*key', name: (name: string): IdentityName => ({ name }) },
] as const

/** The common routes of entities and groups, relative to the identity store. */
export function memberRoutes<Fields extends NamedFields>(member: Member<Fields>) {
  const { kind, one, many } = member
  const written = async (
    context: SecretsContext,
    by: IdentityName | undefined,
    body: Fields,
  ): Promise<Reply | Refused<'identity_invalid'>> => {
    const result = await member.write(context, by, body)
    if (!result.ok) return result
    return result.value ? answerWith(context, { data: result.value }) : answerDone(context)
  }
  const writes = {
    method: 'POST',
    access: 'update',
    body: member.body,
    refusals,
    reply: IdentityReply,
    also: mayWarn.also,
  } as const
  return [
    at({
      ...writes,
      id: `identity.write-${kind}`,
      path: `/${kind}`,
      summary: `Create ${one}, or change the one with an identifier or a name`,
      handle: ({ context, body }) =>
        written(context, body.id ? { id: body.id } : body.name ? { name: body.name } : undefined, body),
    }),
    ...ways.flatMap(({ by, segment, name }) => {
      const list = `/${kind}/${by}` as const
      const path = `${list}/${segment}` as const
      return [
        at({
          id: `identity.read-${kind}-by-${by}`,
          method: 'GET',
          path,
          summary: `Read ${one} by its ${by}`,
          access: 'read',
          reply: IdentityReply,
          ...orNothing,
          handle: async ({ context, params }) => {
            const data = await member.read(context, name(params['key'] ?? ''))
            return data ? answerWith(context, { data }) : notFound
          },
        }),
        at({
          ...writes,
          id: `identity.write-${kind}-by-${by}`,
          path,
          summary: by === 'id' ? `Change ${one}` : `Create or change ${one} by its name`,
          handle: ({ context, params, body }) => written(context, name(params['key'] ?? ''), body),
        }),
        at({
          id: `identity.delete-${kind}-by-${by}`,
          method: 'DELETE',
          path,
          summary: member.deletion,
          access: 'delete',
          success: 204,
          handle: async ({ context, params }) => {
            await member.delete(context, name(params['key'] ?? ''))
            return answerDone(context)
          },
        }),
        at({
          id: `identity.${many}-by-${by}`,
          method: 'LIST',
          path: list,
          summary: `List the ${many} by ${by}`,
          access: 'list',
          reply: IdentityKeys,
          ...orNothing,
          handle: async ({ context }) =>
            by === 'name'
              ? answerKeys(context, [...(await member.names(context))].sort())
              : answerInfo(context, await member.info(context)),
        }),
      ]
    }),
    at({
      id: `identity.lookup-${kind}`,
      method: 'POST',
      path: `/lookup/${kind}`,
      summary: `Find ${one} by its ID, its name, or an alias`,
      access: 'update',
      body: LookupBody,
      refusals,
      reply: IdentityReply,
      also: { 204: { description: `there is no such ${kind}` } },
      handle: async ({ context, body }) => {
        const alias = body.alias_id
          ? (await aliasOperations.read.run(context, body.alias_id)).value
          : body.alias_name && body.alias_mount_accessor
            ? await findAlias(context, kind, body.alias_mount_accessor, body.alias_name)
            : undefined
        const by = body.id ? { id: body.id } : body.name ? { name: body.name } : alias && { id: alias.of }
        if (by === undefined && !body.alias_id && !body.alias_name)
          return refuse('identity_invalid', 'query parameter not supplied')
        const data = by && (await member.read(context, by))
        return data ? answerWith(context, { data }) : answerDone(context)
      },
    }),
  ]
}
