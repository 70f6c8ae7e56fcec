import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import type { IdentityEvent, IdTokenKey, IdTokenPair } from './model.ts'

/** The algorithms of ID tokens. */
export const idTokenAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number]

/** Whether ID tokens can be signed with it. */
export const isIdTokenAlgorithm = (name: string): name is IdTokenAlgorithm =>
  idTokenAlgorithms.some((known) => known === name)

/** The fields of a write to a key; omitted fields stay unchanged. */
export interface IdTokenKeyInput {
  readonly name: string
  /** `RS256` by default. */
  readonly algorithm?: string | undefined
  /** A day by default, at least a minute. */
  readonly rotationPeriodSeconds?: number | undefined
  /** A day by default, at most ten rotation periods. */
  readonly verificationTtlSeconds?: number | undefined
  /** None by default. */
  readonly allowedClientIds?: readonly string[] | undefined
  /** Two new pairs for the algorithm; needed by a new key, and by another algorithm. */
  readonly pairs?: readonly [current: IdTokenPair, next: IdTokenPair] | undefined
}

/** What a key must be consistent with: the longest TTL of its roles. */
export interface IdTokenKeyPolicy {
  readonly longestTtlSeconds: number
}

type Written = Outcome<IdTokenKey, IdTokenKey, IdentityEvent, 'id_token_invalid'>

const day = 24 * 3600

/** How many former public keys a caller can give a key: all are published. */
const mostRetired = 100

export const invalidIdToken = (message: string) => refuse('id_token_invalid', message)

/** Creates or changes a key. Another algorithm gives it new pairs; the old one still verifies for its TTL. */
export function writeIdTokenKey(
  key: IdTokenKey | undefined,
  input: IdTokenKeyInput,
  env: Env,
  policy: IdTokenKeyPolicy,
): Written {
  const { name, pairs } = input
  const wrong = nameProblem('key name', name)
  if (wrong !== undefined) return invalidIdToken(wrong)
  const algorithm = input.algorithm ?? key?.algorithm ?? 'RS256'
  if (!isIdTokenAlgorithm(algorithm))
    return invalidIdToken(`unknown signing algorithm ${JSON.stringify(algorithm)}`)
  const rotationPeriodSeconds = input.rotationPeriodSeconds ?? key?.rotationPeriodSeconds ?? day
  if (rotationPeriodSeconds < 60) return invalidIdToken('rotation_period must be at least one minute')
  const verificationTtlSeconds = input.verificationTtlSeconds ?? key?.verificationTtlSeconds ?? day
  if (verificationTtlSeconds > 10 * rotationPeriodSeconds)
    return invalidIdToken('verification_ttl cannot be longer than 10x rotation_period')
  if (policy.longestTtlSeconds > verificationTtlSeconds)
    return invalidIdToken(
      `unable to update key ${JSON.stringify(name)} because it is currently referenced by one or more roles with a token ttl greater than ${verificationTtlSeconds} seconds`,
    )
  const rotation = env.now + 1000 * rotationPeriodSeconds
  const settings = {
    name,
    algorithm,
    rotationPeriodSeconds,
    verificationTtlSeconds,
    allowedClientIds: [...(input.allowedClientIds ?? key?.allowedClientIds ?? [])],
    nextRotationAt: Math.min(rotation, key?.nextRotationAt ?? rotation),
  }
  const events = [{ type: 'identity.token_key_written', key: name }] as const
  if (key?.algorithm === algorithm) {
    const next = { ...key, ...settings }
    return { ok: true, state: next, value: next, events }
  }
  const crowded = key && replacementProblem(key, env.now)
  if (crowded) return crowded
  if (pairs === undefined) return invalidIdToken('the key was changed meanwhile; try again')
  const [current, next] = pairs
  const made = {
    ...settings,
    current,
    next,
    retired: key ? retiring(key, verificationTtlSeconds, env.now) : [],
  }
  return { ok: true, state: made, value: made, events }
}

/** Signs with the next pair from now on. */
export function rotateIdTokenKey(
  key: IdTokenKey,
  {
    pair,
    verificationTtlSeconds = key.verificationTtlSeconds,
  }: {
    /** A new pair for the key's algorithm. */
    readonly pair: IdTokenPair
    /** How long the present pair still verifies; as the key says by default. */
    readonly verificationTtlSeconds?: number | undefined
  },
  env: Env,
): Written {
  const next: IdTokenKey = {
    ...key,
    current: key.next,
    next: pair,
    nextRotationAt: env.now + 1000 * key.rotationPeriodSeconds,
    retired: retiring(key, verificationTtlSeconds, env.now),
  }
  return {
    ok: true,
    state: next,
    value: next,
    events: [{ type: 'identity.token_key_rotated', key: key.name }],
  }
}

/** Why a caller cannot replace the key's pairs now; rotations in time are few, and always possible. */
export const replacementProblem = (key: IdTokenKey, now: number) =>
  stillVerifying(key, now).length < mostRetired
    ? undefined
    : invalidIdToken(
        `the key has ${mostRetired} former public keys that still verify tokens: try again later`,
      )

/** The former public keys that still verify. */
export const stillVerifying = ({ retired }: IdTokenKey, now: number) =>
  retired.filter(({ expiresAt }) => expiresAt > now)

/** When the key has to be rotated or loses a former public key. */
export const nextChangeOf = ({ nextRotationAt, retired }: IdTokenKey): number =>
  Math.min(nextRotationAt, ...retired.map(({ expiresAt }) => expiresAt))

const retiring = (key: IdTokenKey, ttlSeconds: number, now: number): IdTokenKey['retired'] => {
  const { id, jwk } = key.current
  const left = stillVerifying(key, now)
  return ttlSeconds > 0 ? [...left, { id, jwk, expiresAt: now + 1000 * ttlSeconds }] : left
}
