import * as z from 'zod'
import type { Operation } from '../acl/index.ts'
import { IdpConfig, IdpUser } from '../idp/model.ts'
import { KvConfig, Secret } from '../kv2/model.ts'
import { Mount } from '../mounts/model.ts'
import { tokenTypes } from '../tokens/token-settings.ts'
import type { MountsHandle, PoliciesHandle, TokensHandle } from './handles.ts'
import type { KvHandle, PlainKvHandle } from './kv-handles.ts'
import type { IdpHandle, NamespacesHandle } from './login-handles.ts'

/** What is wrong with an argument, and where within it; `undefined` when nothing is. */
type Check = (
  value: unknown,
) => { readonly path: readonly PropertyKey[]; readonly message: string } | undefined

/** What a typed method takes: its arguments, in order, by name. */
export type Takes = readonly (readonly [argument: string, check: Check])[]

/** The handles of a service, by what messages call them. */
export interface Handles {
  readonly mounts: MountsHandle
  readonly policies: PoliciesHandle
  readonly tokens: TokensHandle
  readonly kv: KvHandle
  readonly kv1: PlainKvHandle
  readonly idp: IdpHandle
  readonly namespaces: NamespacesHandle
  readonly seal: Readonly<Record<'status' | 'initialize' | 'unseal' | 'seal', unknown>>
}

const takes = (named: Readonly<Record<string, Check>> = {}): Takes => Object.entries(named)

// Texts by hand: what is read and written all the time has no other arguments.
const text: Check = (value) =>
  typeof value === 'string' ? undefined : { path: [], message: `expected string, received ${typeof value}` }
/** A text that something is kept under. What is no Unicode could be kept, and not be found again. */
const name: Check = (value) =>
  text(value) ??
  (/\p{Surrogate}/u.test(String(value)) ? { path: [], message: 'expected valid Unicode' } : undefined)
const like =
  (schema: z.ZodType): Check =>
  (value) =>
    schema.safeParse(value).error?.issues[0]
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value)

const texts = z.array(z.string())
const seconds = z.int()
const versions = like(z.array(z.int()))
const cas = optional(like(z.object({ cas: z.int().optional() })))
/** What a secret holds is left to its method: it may be large, and its refusals say more. */
const data: Check = () => undefined
const tokenName = like(
  z.union([z.strictObject({ text: z.string() }), z.strictObject({ accessor: z.string() })], {
    error: 'expected { text } or { accessor }',
  }),
)
const mount = Mount.pick({ description: true, options: true, tokenType: true, listingVisibility: true })
const leaseSeconds = seconds.or(z.literal('system'))
const metadata = Secret.pick({
  maxVersions: true,
  casRequired: true,
  deleteVersionAfterSeconds: true,
}).extend({ customMetadata: z.record(z.string(), z.string()) })
const operations = [
  'create',
  'read',
  'update',
  'delete',
  'list',
  'patch',
  'help',
] as const satisfies readonly Operation[]

/**
 * What the methods of the service take. Types say it to whoever compiles; this says it to everybody, before anything
 * is done, and without quoting what was given, which may be a secret.
 */
export const methodInputs: {
  readonly [H in keyof Handles]: { readonly [M in keyof Handles[H]]: Takes }
} = {
  mounts: {
    list: takes({ kind: optional(like(z.enum(['secret', 'auth']))) }),
    enable: takes({
      input: like(
        mount
          .extend({ defaultLeaseTtlSeconds: seconds, maxLeaseTtlSeconds: seconds })
          .extend(Mount.pick({ local: true, sealWrap: true }).shape)
          .partial()
          .extend({ path: z.string(), type: z.string() })
          .loose(),
      ),
    }),
    tune: takes({
      input: like(
        mount
          .extend({ defaultLeaseTtlSeconds: leaseSeconds, maxLeaseTtlSeconds: leaseSeconds })
          .partial()
          .extend({ path: z.string() })
          .loose(),
      ),
    }),
    move: takes({ from: text, to: text }),
    disable: takes({ path: text }),
  },
  policies: {
    list: takes(),
    read: takes({ name }),
    write: takes({ name, text }),
    delete: takes({ name }),
    explain: takes({
      policies: like(texts),
      request: like(z.object({ path: z.string(), operation: z.enum(operations) })),
    }),
  },
  tokens: {
    create: takes({
      input: like(
        z
          .object({
            role: z.string(),
            text: z.string(),
            ttlSeconds: seconds,
            explicitMaxTtlSeconds: seconds,
            periodSeconds: seconds,
            type: z.enum(['service', 'batch']),
            renewable: z.boolean(),
            numUses: z.int(),
            meta: z.record(z.string(), z.string()),
            displayName: z.string(),
            noDefaultPolicy: z.boolean(),
          })
          .partial()
          .extend({ policies: texts }),
      ),
    }),
    lookup: takes({ name: tokenName }),
    renew: takes({ name: tokenName, incrementSeconds: optional(like(seconds)) }),
    revoke: takes({ name: tokenName }),
    accessors: takes(),
  },
  kv: {
    write: takes({ path: text, data, options: cas }),
    patch: takes({ path: text, patch: data, options: cas }),
    read: takes({ path: text, version: optional(like(z.int())) }),
    list: takes({ folder: optional(text) }),
    delete: takes({ path: text, versions: optional(versions) }),
    undelete: takes({ path: text, versions }),
    destroy: takes({ path: text, versions }),
    remove: takes({ path: text }),
    readMetadata: takes({ path: text }),
    writeMetadata: takes({ path: text, input: like(metadata.partial().loose()) }),
    patchMetadata: takes({
      path: text,
      patch: like(
        z
          .object({
            maxVersions: metadata.shape.maxVersions.nullable(),
            casRequired: metadata.shape.casRequired.nullable(),
            deleteVersionAfterSeconds: metadata.shape.deleteVersionAfterSeconds.nullable(),
            customMetadata: z.record(z.string(), z.string().nullable()).nullable(),
          })
          .partial(),
      ),
    }),
    readConfig: takes(),
    // Any negative time is taken for -1.
    configure: takes({
      input: like(KvConfig.extend({ deleteVersionAfterSeconds: seconds }).partial().loose()),
    }),
  },
  kv1: {
    write: takes({ path: text, data }),
    read: takes({ path: text }),
    list: takes({ folder: optional(text) }),
    remove: takes({ path: text }),
  },
  idp: {
    readConfig: takes(),
    configure: takes({
      input: like(
        IdpConfig.extend({
          tokens: z
            .object({
              ttlSeconds: seconds,
              maxTtlSeconds: seconds,
              explicitMaxTtlSeconds: seconds,
              periodSeconds: seconds,
              policies: texts,
              boundCidrs: texts,
              noDefaultPolicy: z.boolean(),
              numUses: z.int(),
              type: z.enum(tokenTypes),
            })
            .partial(),
        })
          .partial()
          .loose(),
      ),
    }),
    readUser: takes({ username: name }),
    writeUser: takes({ username: name, input: like(IdpUser.omit({ username: true }).partial().loose()) }),
    readGroup: takes({ name }),
    writeGroup: takes({ name, policies: like(texts) }),
    login: takes({
      input: like(
        z
          .object({ passcode: z.string(), provider: z.string(), nonce: z.string(), address: z.string() })
          .extend({ signal: z.instanceof(AbortSignal) })
          .partial()
          .extend({ username: z.string(), password: z.string() }),
      ),
    }),
    answerOf: takes({ nonce: text }),
  },
  namespaces: {
    list: takes({ parent: optional(name) }),
    create: takes({ path: name }),
    delete: takes({ path: name }),
  },
  seal: {
    status: takes(),
    initialize: takes({
      input: like(
        z.object({
          shares: z.int(),
          threshold: z.int(),
          rootToken: z.string().optional(),
          withIdp: z.boolean().optional(),
        }),
      ),
    }),
    unseal: takes({ share: text }),
    seal: takes(),
  },
}

/** What is wrong with the arguments of a method, and with which of them; `undefined` when nothing is. */
export function inputProblem(expected: Takes, given: readonly unknown[]): string | undefined {
  for (const [at, [argument, check]] of expected.entries()) {
    const wrong = check(given[at])
    if (wrong === undefined) continue
    const where = [argument, ...wrong.path].map(String).join('.')
    return `${where}: ${wrong.message.replace(/^Invalid input: /, '')}`
  }
  return undefined
}
