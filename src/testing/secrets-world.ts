import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { type Env, type Instant, type Outcome, unwrap, unwrapStep } from '../kernel/index.ts'
import {
  compileAcl,
  decide,
  defaultPolicyText,
  needsSudo,
  type Operation,
  type Policy,
  parsePolicy,
  rootPolicy,
} from '../secrets/acl/index.ts'
import {
  configureKv,
  defaultConfig,
  readSecret,
  type Secret,
  writeMetadata,
  writeSecret,
} from '../secrets/kv2/index.ts'
import {
  type CreateTokenInput,
  createToken,
  isAlive,
  rootToken,
  type Token,
} from '../secrets/tokens/index.ts'
import { checkedInstant, seededIds } from './clock.ts'

/** Options for {@link secretsWorld}. */
export interface SecretsWorldOptions {
  /** The start time of its clock; 2026-01-01T00:00:00Z by default. */
  readonly now?: Instant | undefined
  /** Which identifiers it gives; 1 by default. */
  readonly seed?: number | undefined
  /** Settings of its secrets; those of a fresh mount by default. */
  readonly config?: Parameters<typeof configureKv>[1] | undefined
}

/** How a secret is written. */
export interface WorldWrite {
  /** The version that the writer believes is newest. */
  readonly cas?: number | undefined
  /** Seconds that this and later versions of the secret live. */
  readonly ttlSeconds?: number | undefined
}

/** A command of an engine, as {@link SecretsWorld} applies it. */
export type WorldCommand<State, Input, Next, Policy = undefined> = (
  state: State,
  input: Input,
  env: Env,
  policy: Policy,
) => Outcome<Next, unknown, unknown, string>

/** The result of {@link secretsWorld}. */
export interface SecretsWorld {
  /** The environment of a command at the current time: pass it to commands of the engines. */
  readonly env: () => Env
  /** The present instant. */
  readonly now: () => Instant
  /** Moves time forward. */
  readonly advance: (ms: number) => void
  /** Writes a version of a secret and returns its number. Throws a {@link DomainError} if it is refused. */
  readonly write: (path: string, data: unknown, how?: WorldWrite) => number
  /** Returns the data of a version, by default the newest; `undefined` if it cannot be read. */
  readonly read: (path: string, version?: number) => unknown
  /** A secret as the engine has it. */
  readonly secret: (path: string) => Secret | undefined
  /** Applies a command of the engine to a stored secret: `world.change('app', deleteVersions, { versions: [1] })`. */
  readonly change: <Input>(path: string, command: WorldCommand<Secret, Input, Secret>, input: Input) => void
  /**
   * Applies a command of any engine at the current time, and returns the next state. Throws a {@link DomainError} if it
   * is refused.
   *
   * @param given - the state, unless the command creates it, and the command's policy
   */
  readonly apply: <State, Input, Next, Policy>(
    command: WorldCommand<State, Input, Next, Policy>,
    input: Input,
    ...given: undefined extends Policy
      ? undefined extends State
        ? [state?: State, policy?: Policy]
        : [state: State, policy?: Policy]
      : [state: State, policy: Policy]
  ) => Next
  /** Writes a policy from its text. */
  readonly policy: (name: string, text: string) => void
  /** The token that may do everything. */
  readonly root: Token
  /** Creates a token: by default a child of the root token, with the policy `default`. */
  readonly token: (input?: Omit<CreateTokenInput, 'digest' | 'accessor'>, parent?: Token) => Token
  /** Ends a token and all that it made. */
  readonly revoke: (token: Token) => void
  /** Whether a token, and every token above it, is still there and not expired. */
  readonly isAlive: (token: Token) => boolean
  /**
   * Whether the policies of a live token allow an operation at a path. Throws if one of them was never written, and for
   * requests that `decide` of `plinth/acl` refuses.
   */
  readonly allows: (token: Token, operation: Operation, path: string) => boolean
}

/**
 * Creates secrets, tokens and policies in memory, over the pure engines: no service, no HTTP and no waiting. For
 * features of a service (logins, wrapping, sealing), use `devSecrets` of `plinth/secrets`.
 *
 * @throws TypeError that names an option which it does not have
 *
 * @example
 * ```ts
 * import { secretsWorld } from 'plinth/testing'
 *
 * const world = secretsWorld()
 * world.write('app', { password: 'hunter2' }, { ttlSeconds: 60 })
 * world.read('app') // { password: 'hunter2' }
 * world.advance(60_000)
 * world.read('app') // undefined
 * ```
 *
 * @example
 * ```ts
 * import { secretsWorld } from 'plinth/testing'
 *
 * const world = secretsWorld()
 * world.policy('reader', 'path "secret/data/*" { capabilities = ["read"] }')
 * const token = world.token({ policies: ['reader'], ttlSeconds: 3600 })
 * world.allows(token, 'read', 'secret/data/app') // true
 * world.allows(token, 'update', 'secret/data/app') // false
 * world.advance(3_600_000)
 * world.allows(token, 'read', 'secret/data/app') // false
 * ```
 */
export function secretsWorld(options: SecretsWorldOptions = {}): SecretsWorld {
  checkOptions('secretsWorld', options, { now: true, seed: true, config: true })
  let now = checkedInstant('now', options.now ?? Date.UTC(2026, 0, 1))
  const newId = seededIds(options.seed ?? 1)
  const config = unwrap(configureKv(defaultConfig, options.config ?? {}))
  const env = (): Env => ({ now, newId })
  const apply: SecretsWorld['apply'] = (command, input, ...[state, policy]) =>
    // What is omitted may be.
    unwrapStep(
      command(state as Parameters<typeof command>[0], input, env(), policy as Parameters<typeof command>[3]),
    ).state
  return {
    env,
    now: () => now,
    advance: (ms) => {
      checkNumbers({ least: 0, unit: 'milliseconds' }, { ms })
      now += ms
    },
    apply,
    ...worldSecrets(env, apply, config),
    ...worldTokens(env, apply),
  }
}

function worldSecrets(
  env: () => Env,
  apply: SecretsWorld['apply'],
  config: typeof defaultConfig,
): Pick<SecretsWorld, 'write' | 'read' | 'secret' | 'change'> {
  const secrets = new Map<string, Secret>()
  const data = new Map<string, unknown>()
  const keyOf = ({ incarnation }: Secret, version: number) => `${incarnation} ${version}`
  return {
    write: (path, given, { cas, ttlSeconds } = {}) => {
      // A copy: later changes by the test do not affect the stored data. What cannot be copied is not written.
      const stored = structuredClone(given)
      const before = secrets.get(path)
      const described =
        ttlSeconds === undefined
          ? before
          : apply(writeMetadata, { deleteVersionAfterSeconds: ttlSeconds }, before, config)
      const { state: secret, value } = unwrapStep(writeSecret(described, { cas }, env(), config))
      secrets.set(path, secret)
      data.set(keyOf(secret, value.version.version), stored)
      for (const version of value.pruned) data.delete(keyOf(secret, version))
      return value.version.version
    },
    read: (path, version = 0) => {
      const secret = secrets.get(path)
      const found = readSecret(secret, version, env().now)
      return secret !== undefined && found.kind === 'live'
        ? structuredClone(data.get(keyOf(secret, found.version.version)))
        : undefined
    },
    secret: (path) => secrets.get(path),
    change: (path, command, input) => {
      const secret = secrets.get(path)
      if (secret === undefined) throw new Error(`there is no secret at ${path}`)
      secrets.set(path, apply(command, input, secret))
    },
  }
}

function worldTokens(
  env: () => Env,
  apply: SecretsWorld['apply'],
): Pick<SecretsWorld, 'policy' | 'root' | 'token' | 'revoke' | 'isAlive' | 'allows'> {
  const policies = new Map<string, Policy>([
    ['root', rootPolicy],
    ['default', unwrap(parsePolicy('default', defaultPolicyText))],
  ])
  const root = rootToken({}, env())
  const tokens = new Map([[root.digest, root]])
  const lives = (token: Token) =>
    (token.type === 'batch' || tokens.has(token.digest)) &&
    isAlive(token, env().now, (digest) => tokens.get(digest))
  return {
    policy: (name, text) => void policies.set(name, unwrap(parsePolicy(name, text))),
    root,
    token: (input = {}, parent = root) => {
      const own = parent === root ? { policies: ['default'] } : {}
      const token = apply(createToken, { ...own, ...input }, parent)
      // Batch tokens are in no store.
      if (token.type === 'service') tokens.set(token.digest, token)
      return token
    },
    revoke: (token) => void tokens.delete(token.digest),
    isAlive: lives,
    allows: (token, operation, path) => {
      const grants = token.policies.map((name) => {
        const policy = policies.get(name)
        if (policy === undefined) throw new Error(`there is no policy ${name}; write it with policy()`)
        return { policy }
      })
      const { allowed } = decide(compileAcl(grants), {
        path,
        operation,
        needsSudo: needsSudo(path, operation),
      })
      return allowed && lives(token)
    },
  }
}
