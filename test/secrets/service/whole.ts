import { isRefused } from '../../../src/kernel/refusal.ts'
import {
  approleAccessors,
  approleRoleIds,
  approleRoles,
  approleSecretIds,
} from '../../../src/secrets/service/approle/records.ts'
import { concepts } from '../../../src/secrets/service/concepts.ts'
import { rootNamespace } from '../../../src/secrets/service/core/core.ts'
import { createCore } from '../../../src/secrets/service/core/create-core.ts'
import { debris, mountTables, namespaceTables, seals } from '../../../src/secrets/service/core/records.ts'
import { idpConfigs, idpGroups, idpUsers } from '../../../src/secrets/service/idp/records.ts'
import {
  entries,
  entryNames,
  kvConfigs,
  secretOf,
  secrets,
  textPieces,
  unfinishedTexts,
  versionData,
} from '../../../src/secrets/service/kv/records.ts'
import { policyRecords } from '../../../src/secrets/service/policies/records.ts'
import { mountPolicyTypes } from '../../../src/secrets/service/request/mount-types.ts'
import {
  cubbyholes,
  deadTokens,
  tokenChildren,
  tokenExpiries,
  tokenRecords,
  tokenRoles,
} from '../../../src/secrets/service/tokens/records.ts'
import { transitKeys } from '../../../src/secrets/service/transit/records.ts'
import { userpassUsers } from '../../../src/secrets/service/userpass/records.ts'
import type { Collection, Store, View } from '../../../src/store/index.ts'
import { realmFaults } from '../../store/realm-faults.ts'

const all = [
  ...[seals, mountTables, namespaceTables, debris, versionData, textPieces, entries],
  ...concepts.flatMap(({ held = [] }) => held),
] as readonly unknown[] as readonly Collection<unknown>[]

/**
 * What is wrong with all that a secrets service keeps, once it has swept: records without what they belong to, and the
 * other way round.
 */
export async function secretsFaults(store: Store, shares: readonly string[]): Promise<readonly string[]> {
  const core = createCore({ store }, mountPolicyTypes(['idp']), concepts, () => {
    throw new Error('not served')
  })
  for (const share of shares) await core.barrier.unseal(share)
  const opened = core.barrier.enter()
  if (isRefused(opened)) throw new Error('still sealed')
  const clear = opened.view.store
  const faults = [...(await realmFaults(clear, all)), ...(await clear.read(orphansIn))]
  await core.barrier.close()
  return faults
}

async function orphansIn(view: View): Promise<readonly string[]> {
  const list = async <T>(of: Collection<T>): Promise<readonly T[]> =>
    (await view.scan({ prefix: of.prefix })).map((entry) => of.stored(entry).value)
  const faults: string[] = []
  /** Records whose owner is not there. */
  const expectOwners = async <T>(
    of: Collection<T>,
    owner: (record: T) => string,
    owners: ReadonlySet<string>,
  ) => {
    for (const record of await list(of))
      if (!owners.has(owner(record))) faults.push(`${of.name} of ${owner(record)}, which is gone`)
  }
  const [{ table: spaces } = { table: { namespaces: {} } }] = await list(namespaceTables)
  const namespaces = new Set([rootNamespace.id, ...Object.values(spaces.namespaces).map(({ id }) => id)])
  const tables = await list(mountTables)
  const mounts = new Set(tables.flatMap(({ table }) => Object.values(table.mounts).map(({ id }) => id)))
  await expectOwners(mountTables, ({ namespace }) => namespace, namespaces)
  await expectOwners(policyRecords, ({ namespace }) => namespace, namespaces)
  await expectOwners(tokenRoles, ({ namespace }) => namespace, namespaces)
  for (const of of [
    ...[secrets, entryNames, entries, kvConfigs, idpConfigs, idpUsers, idpGroups],
    ...[userpassUsers, transitKeys, approleRoles, approleRoleIds, approleSecretIds, approleAccessors],
  ])
    await expectOwners(of as Collection<{ readonly mount: string }>, ({ mount }) => mount, mounts)

  const kept = new Set<string>()
  for (const { secret } of await list(secrets))
    for (const [number, { destroyed }] of Object.entries(secretOf(secret).versions))
      if (!destroyed) kept.add(`${secret.incarnation} ${number}`)
  await expectOwners(versionData, ({ incarnation, version }) => `${incarnation} ${version}`, kept)
  const texts = [...(await list(versionData)), ...(await list(entryNames))].flatMap(
    ({ pieces }) => pieces ?? [],
  )
  await expectOwners(textPieces, ({ id }) => id, new Set(texts.map(({ id }) => id)))
  const stored = new Set(
    (await list(versionData)).map(({ incarnation, version }) => `${incarnation} ${version}`),
  )
  for (const version of kept) if (!stored.has(version)) faults.push(`no data of ${version}`)
  const [named, held] = await Promise.all(
    [entryNames, entries].map(async (of) =>
      (await list(of as Collection<{ readonly mount: string; readonly path: string }>))
        .map(({ mount, path }) => `${mount} ${path}`)
        .join(),
    ),
  )
  if (named !== held) faults.push(`entries are named ${named} and held ${held}`)

  const tokens = await list(tokenRecords)
  const digests = new Set(tokens.map(({ digest }) => digest))
  await expectOwners(cubbyholes, ({ owner }) => owner, new Set(tokens.map(({ incarnation }) => incarnation)))
  await expectOwners(
    tokenRecords,
    ({ namespace, namespaceId }) => (namespace === '' ? rootNamespace.id : namespaceId),
    namespaces,
  )
  await expectOwners(tokenRecords, ({ parent, digest }) => parent?.digest ?? digest, digests)
  const expiries = tokens.flatMap(({ digest, expiresAt }) =>
    expiresAt === null ? [] : [`${expiresAt} ${digest}`],
  )
  await expectOwners(tokenExpiries, ({ at, digest }) => `${at} ${digest}`, new Set(expiries))
  if ((await list(tokenExpiries)).length !== expiries.length) faults.push('tokens that are never swept')
  const children = tokens.flatMap(({ digest, parent }) => (parent ? [`${parent.digest} ${digest}`] : []))
  await expectOwners(tokenChildren, ({ parent, digest }) => `${parent} ${digest}`, new Set(children))
  if ((await list(tokenChildren)).length !== children.length) faults.push('tokens that outlive their parents')
  for (const of of [debris, deadTokens, unfinishedTexts] as const)
    if ((await list<unknown>(of as Collection<unknown>)).length > 0) faults.push(`${of.name} is left`)
  return faults
}
