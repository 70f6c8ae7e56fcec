import * as z from 'zod'
import {
  anything,
  type Check,
  like,
  optional,
  type Takes,
  aText as text,
} from '../../../operation/arguments.ts'
import { asRead, fields } from '../../../operation/known-fields.ts'
import type { Operation } from '../../acl/index.ts'
import { IdpConfig, IdpUser } from '../../idp/model.ts'
import { KvConfig, Secret } from '../../kv2/model.ts'
import { Mount } from '../../mounts/model.ts'
import { tokenTypes } from '../../tokens/token-settings.ts'
import type { IdpHandle } from './idp.ts'
import type { KvHandle } from './kv.ts'
import type { NamespacesHandle } from './namespaces.ts'
import type { PlainKvHandle } from './plain-kv.ts'
import type { MountsHandle, PoliciesHandle, TokensHandle } from './system.ts'

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

/** A text that something is kept under. What is no Unicode could be kept, and not be found again. */
const name: Check = (value) =>
  text(value) ??
  (/\p{Surrogate}/u.test(String(value)) ? { path: [], message: 'expected valid Unicode' } : undefined)

const texts = z.array(z.string())
const seconds = z.int()
const versions = like(z.array(z.int()))
const cas = optional(fields({ cas: z.int().optional() }))
const tokenName = like(
  z.union([z.strictObject({ token: z.string() }), z.strictObject({ accessor: z.string() })], {
    error: 'expected { token } or { accessor }',
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
    list: { kind: optional(like(z.enum(['secret', 'auth']))) },
    enable: {
      input: fields({
        ...asRead(Mount),
        ...mount
          .extend({ defaultLeaseTtlSeconds: seconds, maxLeaseTtlSeconds: seconds })
          .extend(Mount.pick({ local: true, sealWrap: true }).shape)
          .partial().shape,
        path: z.string(),
        type: z.string(),
      }),
    },
    tune: {
      input: fields({
        ...asRead(Mount),
        ...mount.extend({ defaultLeaseTtlSeconds: leaseSeconds, maxLeaseTtlSeconds: leaseSeconds }).partial()
          .shape,
        path: z.string(),
      }),
    },
    move: { from: text, to: text },
    disable: { path: text },
  },
  policies: {
    list: {},
    read: { name },
    write: { name, text },
    delete: { name },
    explain: {
      policies: like(texts),
      request: like(z.object({ path: z.string(), operation: z.enum(operations) })),
    },
  },
  tokens: {
    create: {
      input: fields({
        ...z
          .object({
            role: z.string(),
            token: z.string(),
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
          .partial().shape,
        policies: texts,
      }),
    },
    lookup: { name: tokenName },
    renew: { name: tokenName, incrementSeconds: optional(like(seconds)) },
    revoke: { name: tokenName },
    accessors: {},
  },
  kv: {
    write: { path: text, data: anything, options: cas },
    patch: { path: text, patch: anything, options: cas },
    read: { path: text, version: optional(like(z.int())) },
    list: { folder: optional(text) },
    delete: { path: text, versions: optional(versions) },
    undelete: { path: text, versions },
    destroy: { path: text, versions },
    remove: { path: text },
    readMetadata: { path: text },
    writeMetadata: { path: text, input: fields({ ...asRead(Secret), ...metadata.partial().shape }) },
    patchMetadata: {
      path: text,
      patch: fields(
        z
          .object({
            maxVersions: metadata.shape.maxVersions.nullable(),
            casRequired: metadata.shape.casRequired.nullable(),
            deleteVersionAfterSeconds: metadata.shape.deleteVersionAfterSeconds.nullable(),
            customMetadata: z.record(z.string(), z.string().nullable()).nullable(),
          })
          .partial().shape,
      ),
    },
    readConfig: {},
    // Any negative time is taken for -1.
    configure: {
      input: fields(KvConfig.extend({ deleteVersionAfterSeconds: seconds }).partial().shape),
    },
  },
  kv1: {
    write: { path: text, data: anything },
    read: { path: text },
    list: { folder: optional(text) },
    remove: { path: text },
  },
  idp: {
    readConfig: {},
    configure: {
      input: fields(
        IdpConfig.extend({
          tokens: z
            .strictObject({
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
        }).partial().shape,
      ),
    },
    readUser: { username: name },
    writeUser: {
      username: name,
      input: fields({ ...asRead(IdpUser), ...IdpUser.omit({ username: true }).partial().shape }),
    },
    readGroup: { name },
    writeGroup: { name, policies: like(texts) },
    login: {
      input: fields({
        ...z
          .object({ passcode: z.string(), provider: z.string(), nonce: z.string(), address: z.string() })
          .extend({ signal: z.instanceof(AbortSignal) })
          .partial().shape,
        username: z.string(),
        password: z.string(),
      }),
    },
    answerOf: { nonce: text },
  },
  namespaces: {
    list: { parent: optional(name) },
    create: { path: name },
    delete: { path: name },
  },
  seal: {
    status: {},
    initialize: {
      input: fields({
        shares: z.int(),
        threshold: z.int(),
        rootToken: z.string().optional(),
        withIdp: z.boolean().optional(),
      }),
    },
    unseal: { share: text },
    seal: {},
  },
}
