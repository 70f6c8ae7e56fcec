import type * as z from 'zod'
import { passedInSlices } from '../../kernel/in-slices.ts'
import { type Answer, type Env, type Refused, refuse } from '../../kernel/index.ts'
import { firstFault } from '../../operation/known-fields.ts'
import type { Account } from '../accounts/model.ts'
import { saveOrganization } from '../accounts/save-organization.ts'
import { newAccount } from '../accounts/save-user.ts'
import { type UpdateProfileInput, updateProfile } from '../accounts/update-profile.ts'
import { type CreateBoxInput, createBox, tagKey } from '../boxes/create.ts'
import type { Box } from '../boxes/model.ts'
import { foldName, usernameProblem } from '../boxes/names.ts'
import { createProvider } from '../providers/create.ts'
import type { ProviderFields } from '../providers/fields.ts'
import type { Provider } from '../providers/model.ts'
import { type CreateVersionInput, createVersion } from '../versions/create.ts'
import type { Version } from '../versions/model.ts'
import { BoxRecord, type ProviderRecord, UnreadRecords, type VersionRecord } from '../wire/records.ts'

/** A box that was read, ready to be stored. */
export interface ReadBox {
  readonly box: Box
  readonly versions: readonly Version[]
  readonly downloads: number
}

/** All records. Owners that are not in the list of organizations have only a name. */
export interface ReadRecords {
  readonly accounts: readonly Account[]
  readonly boxes: readonly ReadBox[]
}

/** Every field that a command takes: one that a load does not fill does not compile. */
type All<Input> = Readonly<Record<keyof Input, unknown>>

/** The fields of a record that its command does not take, except generated ones. */
type Rest<Stored, Input, Made extends keyof Stored> = Pick<Stored, Exclude<keyof Stored, keyof Input | Made>>

type Bad = Refused<'bad_record'>
type Read<T> = Answer<T, 'bad_record'>

/**
 * Parses records with the same commands that create such objects one by one, in slices that let the event loop
 * continue. An invalid one is named by its path.
 */
export async function readRecords(records: unknown, env: Env): Promise<Read<ReadRecords>> {
  const parsed = UnreadRecords.safeParse(records)
  if (!parsed.success) return badIssue(parsed.error, ['catalog'])
  const accounts = new Map<string, Account>()
  for await (const [index, record] of passedInSlices(parsed.data.organizations.entries())) {
    const path = `catalog.organizations[${index}]`
    const made = saveOrganization(undefined, record, env)
    if (!made.ok) return bad(`${path}.username`, made.refusal.message)
    const shown = {
      profile: record.profile_markdown ?? '',
      avatarUrl: record.avatar_url ?? '',
      // No API returns it, so no record contains it.
      delinquent: undefined,
    } satisfies All<UpdateProfileInput>
    const described = updateProfile(made.value, shown, env)
    if (!described.ok) return bad(path, described.refusal.message)
    if (accounts.has(foldName(record.username))) return bad(`${path}.username`, 'is given twice')
    accounts.set(foldName(record.username), described.value)
  }
  const boxes: ReadBox[] = []
  const firstAt = new Map<string, number>()
  for await (const [index, unread] of passedInSlices(parsed.data.boxes.entries())) {
    const path = `catalog.boxes[${index}]`
    const record = BoxRecord.safeParse(unread)
    if (!record.success) return badIssue(record.error, ['catalog', 'boxes', index])
    const read = readBox(record.data, path, env)
    if (!read.ok) return read
    const { box } = read.value
    const first = firstAt.get(tagKey(box))
    if (first !== undefined)
      return bad(path, `${box.username}/${box.name} is already catalog.boxes[${first}]`)
    firstAt.set(tagKey(box), index)
    const owner = foldName(box.username)
    if (!accounts.has(owner)) accounts.set(owner, newAccount(box.username, 'organization', env))
    boxes.push(read.value)
  }
  return { ok: true, value: { accounts: [...accounts.values()], boxes } }
}

function readBox(record: BoxRecord, path: string, env: Env): Read<ReadBox> {
  const [tagUser, tagName, ...rest] = (record.tag ?? '').split('/')
  if (record.tag !== undefined && (rest.length > 0 || !tagName))
    return bad(`${path}.tag`, 'must be username/name')
  const { username = tagUser ?? '', name = tagName ?? '' } = record
  const unsound = usernameProblem(username)
  if (unsound) return bad(`${path}.username`, unsound.refusal.message)
  const said = {
    username,
    name,
    shortDescription: record.short_description ?? undefined,
    description: record.description_markdown ?? record.description ?? undefined,
    private: record.private ?? record.is_private,
  } satisfies All<CreateBoxInput>
  const made = createBox(undefined, said, env)
  if (!made.ok) return bad(made.refusal.code === 'invalid_name' ? `${path}.name` : path, made.refusal.message)
  const createdAt = record.created_at ?? env.now
  const kept = {
    createdAt,
    updatedAt: record.updated_at ?? createdAt,
  } satisfies Rest<Box, CreateBoxInput, 'id'>
  const box: Box = Object.assign({}, made.value, kept)
  const { versions: listed, current_version: current } = record
  const sources = (listed ?? (current ? [current] : [])).map((version, at) => ({
    version,
    path: listed ? `${path}.versions[${at}]` : `${path}.current_version`,
  }))
  const versions = new Map<string, Version>()
  for (const source of sources) {
    const read = readVersion(source.version, source.path, box, env)
    if (!read.ok) return read
    const version = read.value
    if (versions.has(version.canonical))
      return bad(`${source.path}.version`, `${version.number} is given twice`)
    versions.set(version.canonical, version)
  }
  return { ok: true, value: { box, versions: [...versions.values()], downloads: record.downloads } }
}

function readVersion(record: VersionRecord, path: string, box: Box, env: Env): Read<Version> {
  const said = {
    version: record.version ?? record.number ?? '',
    description: record.description_markdown ?? record.description ?? undefined,
  } satisfies All<CreateVersionInput>
  const made = createVersion(undefined, { ...said, boxId: box.id }, env)
  if (!made.ok)
    return bad(
      `${path}.${made.refusal.code === 'text_too_long' ? 'description' : 'version'}`,
      made.refusal.message,
    )
  let version = made.value
  for (const [index, provider] of record.providers.entries()) {
    const read = readProvider(version, provider, `${path}.providers[${index}]`, env)
    if (!read.ok) return read
    version = read.value
  }
  const createdAt = record.created_at ?? box.createdAt
  const kept = {
    // Providers without a status are available.
    status: record.status ?? (version.providers.length > 0 ? 'active' : 'unreleased'),
    createdAt,
    updatedAt: record.updated_at ?? createdAt,
  } satisfies Rest<Version, CreateVersionInput, 'boxId' | 'number' | 'canonical' | 'providers'>
  return { ok: true, value: Object.assign({}, version, kept) }
}

function readProvider(version: Version, record: ProviderRecord, path: string, env: Env): Read<Version> {
  const url = record.url || record.original_url
  if (!url)
    return bad(
      `${path}.url`,
      'is missing: a load file has no image bytes, so every provider needs a url or an original_url',
    )
  const said = {
    name: record.name,
    architecture: record.architecture,
    defaultArchitecture: record.default_architecture,
    url,
    checksum: record.checksum,
    checksumType: record.checksum_type,
  } satisfies All<ProviderFields>
  const made = createProvider(version, said, env)
  if (!made.ok) return bad(`${path}${fieldOf[made.refusal.code]}`, made.refusal.message)
  const createdAt = record.created_at ?? env.now
  const kept = {
    createdAt,
    updatedAt: record.updated_at ?? createdAt,
  } satisfies Rest<Provider, ProviderFields, 'id' | 'asset'>
  const providers = made.state.providers.map((provider) =>
    provider.id === made.value.id ? Object.assign({}, provider, kept) : provider,
  )
  return { ok: true, value: Object.assign({}, made.state, { providers }) }
}

/** The path of the fault in a provider's record. */
const fieldOf = {
  invalid_provider_name: '.name',
  invalid_architecture: '.architecture',
  invalid_url: '.url',
  invalid_checksum: '.checksum',
  provider_taken: '',
  version_revoked: '',
} as const

const badIssue = (error: z.ZodError, at: readonly PropertyKey[]): Bad => {
  const { path, message } = firstFault(error, at)
  return bad(path, message)
}

const bad = (path: string, message: string): Bad => refuse('bad_record', `${path}: ${message}`, { path })
