import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../src/index.ts'
import { writePolicy } from '../../src/secrets/acl/index.ts'
import { startLogin, writeIdpGroup, writeIdpUser } from '../../src/secrets/idp/index.ts'
import {
  deleteVersions,
  patchSecret,
  undeleteVersions,
  writeEntry,
  writeMetadata,
  writeSecret,
} from '../../src/secrets/kv.ts'
import {
  createToken,
  loginToken,
  renewToken,
  rootToken,
  writeTokenRole,
} from '../../src/secrets/tokens/index.ts'

const env = { now: Date.UTC(2026, 0, 1), newId: (kind: string) => kind }
const secret = unwrapStep(writeSecret(undefined, {}, env)).state
const root = rootToken({ digest: 'r', accessor: 'a' }, env)

/** As programs without types call a command. */
const untyped = (value: unknown) => value as never

describe('a command that is given something else than its input says which field is wrong', () => {
  it.each<[string, string, () => unknown]>([
    [
      'writeSecret',
      'input.cas is string, not number or undefined',
      () => writeSecret(secret, untyped({ cas: '1' }), env),
    ],
    [
      'patchSecret',
      'input.data is object, not string',
      () => patchSecret(secret, untyped({ data: {}, patch: {} }), env),
    ],
    [
      'deleteVersions',
      'input.versions is undefined, not object',
      () => deleteVersions(secret, untyped(undefined), env),
    ],
    [
      'deleteVersions',
      'input.versions is number, not object',
      () => deleteVersions(secret, untyped({ versions: 1 }), env),
    ],
    [
      'undeleteVersions',
      'input.versions is undefined, not object',
      () => undeleteVersions(secret, untyped({}), env),
    ],
    [
      'writeMetadata',
      'input.customMetadata is string, not object or undefined',
      () => writeMetadata(secret, untyped({ customMetadata: 'a' }), env),
    ],
    [
      'writeEntry',
      'input.json is undefined, not string',
      () => writeEntry(undefined, untyped({ data: {} }), env),
    ],
    [
      'createToken',
      'input.digest is number, not string or undefined',
      () => createToken(root, untyped({ digest: 1 }), env),
    ],
    [
      'createToken',
      'input.ttlSeconds is string, not number or undefined',
      () => createToken(root, untyped({ digest: 'd', accessor: 'a', ttlSeconds: '1h' }), env),
    ],
    [
      'renewToken',
      'input.incrementSeconds is string, not number or undefined',
      () => renewToken(root, untyped({ incrementSeconds: '1h' }), env),
    ],
    [
      'createToken',
      'input.policies is string, not object or undefined',
      () => createToken(root, untyped({ digest: 'd', accessor: 'a', policies: 'web' }), env),
    ],
    [
      'loginToken',
      'input.digest is undefined, not string',
      () => loginToken(undefined, untyped({ accessor: 'a', path: 'p', displayName: 'n' }), env),
    ],
    [
      'writeTokenRole',
      'input.name is undefined, not string',
      () => writeTokenRole(undefined, untyped({}), env),
    ],
    [
      'writePolicy',
      'input.text is undefined, not string',
      () => writePolicy(undefined, untyped({ name: 'app' }), env),
    ],
    [
      'startLogin',
      'input.username is undefined, not string',
      () => startLogin(undefined, untyped({ user: 'ada' }), env),
    ],
    [
      'writeIdpUser',
      'input.username is undefined, not string',
      () => writeIdpUser(undefined, untyped({ name: 'ada' }), env),
    ],
    [
      'writeIdpGroup',
      'input.name is undefined, not string',
      () => writeIdpGroup(undefined, untyped({ group: 'dev' }), env),
    ],
  ])('%s: %s', (_command, message, call) => {
    expect(call).toThrow(new TypeError(message))
  })
})
