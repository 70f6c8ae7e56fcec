import * as z from 'zod'
import type { PathParams } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { Found, ListCall, ReadCall } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import {
  ListQuery,
  listCall,
  listRefusals,
  ReadQuery,
  readCall,
  readFlag,
  readRefusals,
} from '../wire/query.ts'
import { foundHeaders, listHeaders } from '../wire/replies.ts'
import { type MayWantSerialized, serialized } from '../wire/serialized-list.ts'
import { askerOf, type ClusterWork, foundReply, operationRoute, type SchedulerRoute } from './context.ts'

interface Common<
  Path extends `/${string}`,
  Args extends readonly unknown[],
  Value,
  Code extends SchedulerRefusal,
> {
  readonly id: string
  readonly path: Path
  readonly summary: string
  readonly access: string
  readonly reply: z.ZodType
  /** The operation that reads. */
  readonly run: ClusterWork<Args, Found<Value>, Code>
}

/** Declares the read of one thing. */
export const readOf = <
  const Path extends `/${string}`,
  Args extends readonly unknown[],
  Value,
  Code extends SchedulerRefusal,
  Name extends string = never,
>(
  spec: Common<Path, Args, Value, Code> & {
    readonly flags?: Readonly<Record<Name, Flag>>
    /** The arguments of the operation. */
    readonly with: (
      params: PathParams<Path>,
      call: ReadCall,
      flags: Readonly<Record<Name, boolean>>,
    ) => readonly [...Args]
  },
): SchedulerRoute => {
  const flags = Object.entries<Flag>(spec.flags ?? {})
  return operationRoute({
    id: spec.id,
    method: 'GET',
    path: spec.path,
    summary: spec.summary,
    access: spec.access,
    query: ReadQuery.extend(described(flags.map(([name, flag]) => [name, flag.about]))),
    reply: spec.reply,
    emits: foundHeaders,
    refusals: [...readRefusals, ...flagRefusals(flags)],
    run: spec.run,
    with: ({ context, params, query, exchange }) => {
      const call = readCall(query, askerOf(context, exchange))
      if (!call.ok) return call
      const given = readFlags<Name>(query, flags)
      if (!given.ok) return given
      return spec.with(params, call.value, given.value)
    },
    answer: foundReply,
  })
}

/** A boolean parameter of a read. */
export interface Flag {
  readonly about: string
  /** The default. */
  readonly otherwise?: boolean
  readonly refusal?: 'invalid_flag' | 'invalid_fields'
  /** The beginning of the refusal's message. */
  readonly lead?: string
}

/** What the flags of a read may be refused for. */
const flagRefusals = (flags: readonly (readonly [name: string, flag: Flag])[]) =>
  flags.map(([, { refusal = 'invalid_flag' }]) => refusal)

/** Declares a list: paged, filtered, and with flags of its own. */
export const listOf = <
  const Path extends `/${string}`,
  Args extends readonly unknown[],
  Value,
  Code extends SchedulerRefusal,
  Name extends string = never,
  Text extends string = never,
>(
  spec: Common<Path, Args, readonly Value[], Code> & {
    /** Whether a prefix narrows the list; where it does not, it is refused. */
    readonly prefix: boolean
    readonly flags?: Readonly<Record<Name, Flag>>
    /** Other parameters, as text, with what each is for. */
    readonly texts?: Readonly<Record<Text, string>>
    /** The arguments of the operation. */
    readonly with: (
      params: PathParams<Path>,
      call: ListCall & MayWantSerialized,
      flags: Readonly<Record<Name, boolean>>,
      texts: { readonly [Given in Text]?: string },
    ) => readonly [...Args]
  },
): SchedulerRoute => {
  const flags = Object.entries<Flag>(spec.flags ?? {})
  const texts = Object.entries<string>(spec.texts ?? {})
  const about = spec.prefix ? 'only names, or IDs, that begin with this' : 'not allowed here'
  return operationRoute({
    id: spec.id,
    method: 'GET',
    path: spec.path,
    summary: spec.summary,
    access: spec.access,
    query: ListQuery.extend({
      prefix: z.string().optional().describe(about),
      ...described(flags.map(([name, flag]) => [name, flag.about])),
      ...described(texts),
    }),
    reply: z.array(spec.reply),
    emits: listHeaders,
    refusals: [
      ...listRefusals,
      ...(spec.prefix ? [] : (['prefix_not_allowed'] as const)),
      ...flagRefusals(flags),
    ],
    run: spec.run,
    with: ({ context, params, query, exchange }) => {
      const call = listCall(query, askerOf(context, exchange))
      if (!call.ok) return call
      if (!spec.prefix && query.prefix) return refuse('prefix_not_allowed', 'prefix argument not allowed')
      const given = readFlags<Name>(query, flags)
      if (!given.ok) return given
      // Added to the fresh call, not to a copy: copies would each get a hidden class of their own.
      return spec.with(
        params,
        Object.assign(call.value, { [serialized]: true as const }),
        given.value,
        readTexts<Text>(query, texts),
      )
    },
    answer: foundReply,
  })
}

/** The text parameters of a read; empty ones are not given. */
function readTexts<Text extends string>(
  query: Readonly<Record<string, string | undefined>>,
  texts: readonly (readonly [name: string, about: string])[],
): { readonly [Given in Text]?: string } {
  const given: Record<string, string | undefined> = {}
  for (const [name] of texts) given[name] = query[name] || undefined
  // Every name of the table has a value now.
  return given as { readonly [Given in Text]?: string }
}

/** Every flag of a read, given or not. */
export function readFlags<Name extends string>(
  query: Readonly<Record<string, string | undefined>>,
  flags: readonly (readonly [name: string, flag: Flag])[],
):
  | { readonly ok: true; readonly value: Readonly<Record<Name, boolean>> }
  | Refused<'invalid_flag' | 'invalid_fields'> {
  const given: Record<string, boolean> = {}
  for (const [name, { otherwise, refusal = 'invalid_flag', lead }] of flags) {
    const flag = readFlag(query, name, refusal, lead, otherwise)
    if (!flag.ok) return flag
    given[name] = flag.value
  }
  // Every name of the table has a value now.
  return { ok: true, value: given as Record<Name, boolean> }
}

const described = (parameters: readonly (readonly [name: string, about: string])[]) =>
  Object.fromEntries(parameters.map(([name, about]) => [name, z.string().optional().describe(about)]))

const nodeLead = 'Failed to parse node list fields: '

/** The flags of every list of nodes. */
export const nodeFlags = {
  os: { about: 'adds the operating system', refusal: 'invalid_fields', lead: nodeLead },
  resources: {
    about: 'adds NodeResources and ReservedResources',
    refusal: 'invalid_fields',
    lead: nodeLead,
  },
} as const satisfies Readonly<Record<string, Flag>>

/** The flag of every list of jobs. */
export const jobFlags = { meta: { about: 'adds the meta of each job' } } as const satisfies Readonly<
  Record<string, Flag>
>
