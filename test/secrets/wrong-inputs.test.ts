import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../src/index.ts'
import { writePolicy } from '../../src/secrets/acl/index.ts'
import {
  continueLogin,
  startLogin,
  writeIdpConfig,
  writeIdpGroup,
  writeIdpUser,
} from '../../src/secrets/idp/index.ts'
import {
  configureKv,
  deleteVersions,
  destroyVersions,
  patchMetadata,
  patchSecret,
  undeleteVersions,
  writeEntry,
  writeMetadata,
  writeSecret,
} from '../../src/secrets/kv.ts'
import {
  createToken,
  grantTtl,
  loginToken,
  renewToken,
  rootToken,
  writeTokenRole,
} from '../../src/secrets/tokens/index.ts'

const env = { now: Date.UTC(2026, 0, 1), newId: (kind: string) => kind }
const secret = unwrapStep(writeSecret(undefined, {}, env)).state
const root = rootToken({ digest: 'r', accessor: 'a' }, env)
const login = unwrapStep(startLogin(undefined, { username: 'ada' }, env)).state

/** As programs without types call a command. */
const untyped = (value: unknown) => value as never

describe('a command that is given something else than its input says which field is wrong', () => {
  it.each<[string, () => unknown]>([
    [
      'configureKv: input.maxVersions: expected number, received string',
      () => configureKv(untyped({}), untyped({ maxVersions: '3' })),
    ],
    [
      'writeSecret: input: expected object, received undefined',
      () => writeSecret(secret, untyped(undefined), env),
    ],
    [
      'writeSecret: input.cas: expected number, received string',
      () => writeSecret(secret, untyped({ cas: '1' }), env),
    ],
    [
      'patchSecret: input.data: expected string, received object',
      () => patchSecret(secret, untyped({ data: {}, patch: {} }), env),
    ],
    [
      'deleteVersions: input: expected object, received undefined',
      () => deleteVersions(secret, untyped(undefined), env),
    ],
    [
      'deleteVersions: input.versions: expected list of numbers, received number',
      () => deleteVersions(secret, untyped({ versions: 1 }), env),
    ],
    [
      'undeleteVersions: input.versions: expected list of numbers, received undefined',
      () => undeleteVersions(secret, untyped({}), env),
    ],
    [
      'destroyVersions: input.versions: expected list of numbers, received list of strings',
      () => destroyVersions(secret, untyped({ versions: ['1'] }), env),
    ],
    [
      'writeMetadata: input.customMetadata: expected object, received string',
      () => writeMetadata(secret, untyped({ customMetadata: 'a' }), env),
    ],
    ['patchMetadata: input: expected object, received null', () => patchMetadata(secret, untyped(null), env)],
    [
      'writeEntry: input.json: expected string, received undefined',
      () => writeEntry(undefined, untyped({ data: {} }), env),
    ],
    [
      'createToken: input.digest: expected string, received undefined',
      () => createToken(root, untyped({ policies: ['web'] }), env),
    ],
    [
      'createToken: input.policies: expected list of strings, received string',
      () => createToken(root, untyped({ digest: 'd', accessor: 'a', policies: 'web' }), env),
    ],
    [
      'createToken: input.ttlSeconds: expected number, received string',
      () => createToken(root, untyped({ digest: 'd', accessor: 'a', ttlSeconds: '1h' }), env),
    ],
    [
      'grantTtl: input.maxTtlSeconds: expected number, received string',
      () => grantTtl(untyped({ maxTtlSeconds: '1h' }), env.now),
    ],
    [
      'renewToken: input.incrementSeconds: expected number, received string',
      () => renewToken(root, untyped({ incrementSeconds: '1h' }), env),
    ],
    [
      'loginToken: input.login: expected object, received undefined',
      () => loginToken(undefined, untyped({ digest: 'd', accessor: 'a', path: 'p', displayName: 'n' }), env),
    ],
    [
      'writeTokenRole: input.name: expected string, received undefined',
      () => writeTokenRole(undefined, untyped({}), env),
    ],
    [
      'writePolicy: input.text: expected string, received undefined',
      () => writePolicy(undefined, untyped({ name: 'app' }), env),
    ],
    [
      'startLogin: input.username: expected string, received undefined',
      () => startLogin(undefined, untyped({ user: 'ada' }), env),
    ],
    [
      'continueLogin: input: expected object, received undefined',
      () => continueLogin(login, untyped(undefined), env),
    ],
    [
      'writeIdpUser: input.groups: expected list of strings, received string',
      () => writeIdpUser(undefined, untyped({ username: 'ada', groups: 'dev' }), env),
    ],
    [
      'writeIdpGroup: input.name: expected string, received undefined',
      () => writeIdpGroup(undefined, untyped({ group: 'dev' }), env),
    ],
    [
      'writeIdpConfig: input.orgName: expected string, received number',
      () => writeIdpConfig(undefined, untyped({ orgName: 1 }), env),
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(new TypeError(message))
  })
})
