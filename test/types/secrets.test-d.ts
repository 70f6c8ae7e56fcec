import { unwrap } from 'plinth'
import {
  createSecrets,
  type DevSecrets,
  devSecrets,
  type Env,
  type KvConfig,
  type KvRefusal,
  type Mount,
  type Refused,
  type SealStatus,
  type Secrets,
  type SecretsAnswer,
  type Timers,
  type TokenMade,
  type TokenView,
  type VersionView,
} from 'plinth/secrets'
import { testClock } from 'plinth/testing'
import { expectAssignable, expectError, expectNotAssignable, expectType } from 'tsd'

// Everything has a default, and a test clock can be spread into the options.
expectType<Secrets>(createSecrets())
expectType<Promise<DevSecrets>>(devSecrets({ ...testClock(), rootToken: 'root' }))
expectError(createSecrets({ clock: testClock() }))

const { service } = await devSecrets()

// A version's data are there only once it is known to be there, in each of three ways.
const found = await service.kv().read('app/db')
expectError(found.value)
const secret = unwrap(found)
expectError(secret.data)
if (secret.kind === 'live') expectType<Readonly<Record<string, unknown>>>(secret.data)
if (secret.kind === 'gone') expectType<number>(secret.version.version)
expectType<'live' | 'gone' | 'absent'>(secret.kind)

// Every refusal has a code that the type names, a sealed service among them.
const written = await service.kv().write('app/db', { password: 'hunter2' }, { cas: 0 })
if (!written.ok) {
  const { code } = written.refusal
  expectAssignable<typeof code>('cas_mismatch')
  expectAssignable<typeof code>('sealed')
  expectNotAssignable<typeof code>('no_such_code')
}

// A token is told once, with its lifetime in seconds.
const made = unwrap(await service.tokens.create({ policies: ['default'], ttlSeconds: 60 }))
expectType<TokenMade>(made)
expectError(service.tokens.create({ policies: ['default'], ttl: '60s' }))

// Initialising and unsealing answer as everything else does.
const { unsealKeys } = unwrap(await service.seal.initialize({ shares: 1, threshold: 1 }))
expectType<readonly string[]>(unsealKeys)
expectType<boolean>(unwrap(await service.seal.unseal('00')).opened)

// What the methods give and take can be written down with what this subpath exports.
expectType<SecretsAnswer<KvConfig, KvRefusal>>(await service.kv().readConfig())
expectType<SecretsAnswer<readonly Mount[]>>(await service.mounts.list())
expectType<SecretsAnswer<TokenView | undefined>>(await service.tokens.lookup({ token: 's.x' }))
expectType<SealStatus>(await service.seal.status())
expectAssignable<VersionView>(unwrap(written))
expectAssignable<{ env?: () => Env; timers?: Timers }>(testClock())
if (!written.ok) expectAssignable<Refused<string>>(written)
