import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { unwrapStep } from '../../src/index.ts'
import { writePolicy } from '../../src/secrets/acl/index.ts'
import { makeApproleSecretId, writeApproleRole } from '../../src/secrets/approle/index.ts'
import { ApproleRole, ApproleSecretId } from '../../src/secrets/approle/model.ts'
import { startLogin, writeIdpConfig, writeIdpGroup, writeIdpUser } from '../../src/secrets/idp/index.ts'
import { IdpConfig } from '../../src/secrets/idp/model.ts'
import { writeJwtRole } from '../../src/secrets/jwt/index.ts'
import { JwtRole } from '../../src/secrets/jwt/model.ts'
import {
  configureKv,
  defaultConfig,
  deleteVersions,
  patchMetadata,
  patchSecret,
  undeleteVersions,
  writeEntry,
  writeMetadata,
  writeSecret,
} from '../../src/secrets/kv.ts'
import { KvConfig, Secret } from '../../src/secrets/kv2/model.ts'
import { moveMount } from '../../src/secrets/mounts/index.ts'
import {
  createToken,
  loginToken,
  renewToken,
  rootToken,
  writeTokenRole,
} from '../../src/secrets/tokens/index.ts'
import { Token, TokenRole } from '../../src/secrets/tokens/model.ts'
import { configureTransitKey, createTransitKey } from '../../src/secrets/transit/index.ts'
import { TransitKey } from '../../src/secrets/transit/model.ts'
import { writeUserpassUser } from '../../src/secrets/userpass/index.ts'
import { UserpassUser } from '../../src/secrets/userpass/model.ts'

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
      () => patchSecret(secret, untyped({ data: {}, patch: '{}' }), env),
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
    ['writeEntry', 'input.json is undefined, not string', () => writeEntry(undefined, untyped({}), env)],
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
    ['startLogin', 'input.username is undefined, not string', () => startLogin(undefined, untyped({}), env)],
    [
      'writeIdpUser',
      'input.username is undefined, not string',
      () => writeIdpUser(undefined, untyped({}), env),
    ],
    [
      'writeIdpGroup',
      'input.name is undefined, not string',
      () => writeIdpGroup(undefined, untyped({}), env),
    ],
  ])('%s: %s', (_command, message, call) => {
    expect(call).toThrow(new TypeError(message))
  })

  it.each<[string, string, () => unknown]>([
    ['writeSecret', 'input.cass is not one of cas', () => writeSecret(secret, untyped({ cass: 1 }), env)],
    [
      'patchMetadata',
      'input.maxVersion is not one of maxVersions,casRequired,metadataCasRequired,metadataCas,deleteVersionAfterSeconds,customMetadata',
      () => patchMetadata(secret, untyped({ maxVersion: 1, casRequired: null }), env),
    ],
    [
      'renewToken',
      'input.increment is not one of incrementSeconds',
      () => renewToken(token, untyped({ increment: 60 }), env),
    ],
    [
      'writeUserpassUser',
      'input.ttl is not one of ttlSeconds,maxTtlSeconds,explicitMaxTtlSeconds,periodSeconds,policies,boundCidrs,noDefaultPolicy,numUses,type,formerNames',
      () =>
        writeUserpassUser(undefined, { username: 'a', passwordHash: 'h', tokens: untyped({ ttl: '1h' }) }),
    ],
    [
      'moveMount',
      'input.source is not one of from,to',
      () => moveMount({ mounts: {} }, untyped({ source: 'a' }), env),
    ],
  ])('%s: %s', (_command, message, call) => {
    expect(call).toThrow(new TypeError(message))
  })
})

/** Numbers that programs compute by mistake: of a date that is none, of a division, of a string. */
const anyNumber = fc.oneof(
  fc.constantFrom(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -0,
    1.5,
    -1,
    2 ** 53,
    1e308,
  ),
  fc.integer({ min: -1, max: 10 }),
  fc.constant(undefined),
)
const numbers = (...names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, anyNumber]))).map(untyped)
const settings = numbers('ttlSeconds', 'maxTtlSeconds', 'explicitMaxTtlSeconds', 'periodSeconds', 'numUses')
const token = unwrapStep(createToken(root, { policies: ['web'], ttlSeconds: 60 }, env)).state
const approle = unwrapStep(writeApproleRole(undefined, { name: 'ci', drawnRoleId: 'r' }, env)).state
const key = unwrapStep(
  createTransitKey(undefined, { name: 'k', material: { key: 'a', hmacKey: 'b', publicKey: '' } }, env),
).state

describe('a state that a command returns is one that can be stored, whatever numbers it was given', () => {
  it.each<[string, z.ZodType, fc.Arbitrary<never>, (input: never) => object]>([
    ['writeSecret', Secret, numbers('cas'), (input) => writeSecret(secret, input, env)],
    [
      'writeMetadata',
      Secret,
      numbers('maxVersions', 'deleteVersionAfterSeconds', 'metadataCas'),
      (input) => writeMetadata(secret, input, env),
    ],
    [
      'patchMetadata',
      Secret,
      numbers('maxVersions', 'deleteVersionAfterSeconds', 'metadataCas'),
      (input) => patchMetadata(secret, input, env),
    ],
    [
      'configureKv',
      KvConfig,
      numbers('maxVersions', 'deleteVersionAfterSeconds'),
      (input) => configureKv(defaultConfig, input, env),
    ],
    [
      'createToken',
      Token,
      numbers('ttlSeconds', 'explicitMaxTtlSeconds', 'periodSeconds', 'numUses'),
      (input) => createToken(root, input, env),
    ],
    ['renewToken', Token, numbers('incrementSeconds'), (input) => renewToken(token, input, env)],
    [
      'writeTokenRole',
      TokenRole,
      numbers('periodSeconds', 'explicitMaxTtlSeconds', 'numUses'),
      (input: object) => writeTokenRole(undefined, { ...input, name: 'ci' }),
    ],
    [
      'writeUserpassUser',
      UserpassUser,
      settings,
      (tokens) => writeUserpassUser(undefined, { username: 'ada', passwordHash: 'h', tokens }),
    ],
    [
      'writeIdpConfig',
      IdpConfig,
      settings,
      (tokens) => writeIdpConfig(undefined, { orgName: 'acme', tokens }),
    ],
    [
      'writeApproleRole',
      ApproleRole,
      numbers('secretIdNumUses', 'secretIdTtlSeconds'),
      (input: object) => writeApproleRole(undefined, { ...input, name: 'ci', drawnRoleId: 'r' }, env),
    ],
    [
      'makeApproleSecretId',
      ApproleSecretId,
      numbers('numUses', 'ttlSeconds'),
      (input: object) =>
        makeApproleSecretId(undefined, { ...input, digest: 'd', accessor: 'a' }, env, { role: approle }),
    ],
    [
      'writeJwtRole',
      JwtRole,
      numbers('expirationLeewaySeconds', 'notBeforeLeewaySeconds', 'clockSkewLeewaySeconds', 'maxAgeSeconds'),
      (input: object) =>
        writeJwtRole(
          undefined,
          { ...input, name: 'ci', roleType: 'jwt', userClaim: 'sub', boundSubject: 'ada' },
          env,
        ),
    ],
    [
      'configureTransitKey',
      TransitKey,
      numbers('minDecryptionVersion', 'minEncryptionVersion'),
      (input) => configureTransitKey(key, input),
    ],
  ])('%s', (_command, schema, inputs, run) => {
    fc.assert(
      fc.property(inputs, (input) => {
        let outcome: object
        try {
          outcome = run(input)
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
          expect(String(error)).toMatch(/input\.\w+ is \S+, not a whole number( from 0)?$/)
          return
        }
        if ('state' in outcome) schema.parse(outcome.state)
      }),
    )
  })

  it('so that no mistake in a date makes a token that lives for ever, or has uses without end', () => {
    const ttlSeconds = (Date.parse('tomorrow') - env.now) / 1000
    expect(() => createToken(root, { ttlSeconds }, env)).toThrow(
      'input.ttlSeconds is NaN, not a whole number',
    )
    expect(() => createToken(root, { numUses: 3 / 2 }, env)).toThrow(
      'input.numUses is 1.5, not a whole number',
    )
  })
})
