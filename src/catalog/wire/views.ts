import { tagOf } from '../boxes/create.ts'
import type { Box } from '../boxes/model.ts'
import type { NewToken } from '../operations/tokens.ts'
import { defaultProviders } from '../providers/identity.ts'
import type { Provider } from '../providers/model.ts'
import { isUsable, publishedChecksum } from '../providers/usable.ts'
import type { AccountDetail, BoxDetail, ProviderDetail, VersionDetail } from '../service/details.ts'
import type { Version } from '../versions/model.ts'
import { answerRenderer } from './rendering.ts'

/** The context of an answer: the version of the API, and `base`, the `scheme://host` for URLs. */
export interface Voice {
  readonly api: 1 | 2
  readonly base: string
  /** Renders Markdown. */
  readonly html: (markdown: string) => string
}

export const voiceOf = (api: 1 | 2, { base }: { readonly base: string }): Voice => ({
  api,
  base,
  html: answerRenderer(),
})

const part = encodeURIComponent

/** Instants as ISO 8601 with milliseconds. */
const timestamp = (instant: number): string => new Date(instant).toISOString()

const boxPath = ({ username, name }: Pick<Box, 'username' | 'name'>): string =>
  `${part(username)}/${part(name)}`

const versionUrl = ({ base, api }: Voice, box: Box, version: Version): string =>
  `${base}/api/v${api}/box/${boxPath(box)}/version/${part(version.number)}`

/** The path of a provider below its API: version 1 has no architectures. */
export const providerUrl = (voice: Voice, { box, version, provider }: ProviderDetail): string =>
  `${versionUrl(voice, box, version)}/provider/${part(provider.name)}${voice.api === 2 ? `/${provider.architecture}` : ''}`

/** The download URL of an image, hosted here or elsewhere: this URL counts downloads. */
export const downloadUrl = ({ base, api }: Voice, box: Box, version: Version, provider: Provider): string => {
  const images = `${base}/${part(box.username)}/boxes/${part(box.name)}/versions/${part(version.number)}/providers`
  return api === 1
    ? `${images}/${part(provider.name)}.box`
    : `${images}/${part(provider.name)}/${provider.architecture}/vagrant.box`
}

export const providerView = (voice: Voice, { box, version, provider }: ProviderDetail) => ({
  name: provider.name,
  hosted: provider.url === null,
  hosted_token: null,
  original_url: provider.url,
  download_url: downloadUrl(voice, box, version, provider),
  created_at: timestamp(provider.createdAt),
  updated_at: timestamp(provider.updatedAt),
  checksum: publishedChecksum(provider)?.hex ?? null,
  checksum_type: publishedChecksum(provider)?.type ?? null,
  ...(voice.api === 2
    ? { architecture: provider.architecture, default_architecture: provider.defaultArchitecture }
    : {}),
})

/** The providers that a version of the API shows. */
const shown = ({ api }: Voice, providers: readonly Provider[]): readonly Provider[] =>
  api === 1 ? defaultProviders(providers) : providers

export const versionView = (voice: Voice, { box, version }: VersionDetail) => ({
  version: version.number,
  number: version.number,
  status: version.status,
  description_html: voice.html(version.description),
  description_markdown: version.description,
  created_at: timestamp(version.createdAt),
  updated_at: timestamp(version.updatedAt),
  release_url: `${versionUrl(voice, box, version)}/release`,
  revoke_url: `${versionUrl(voice, box, version)}/revoke`,
  providers: shown(voice, version.providers).map((provider) =>
    providerView(voice, { box, version, provider }),
  ),
})

/** A box in a list: clients that find `versions` in a list show each of them twice. */
export const listedBoxView = (voice: Voice, { box, current, downloads, updatedAt }: BoxDetail) => ({
  tag: tagOf(box),
  username: box.username,
  name: box.name,
  short_description: box.shortDescription,
  description_html: voice.html(box.description),
  description_markdown: box.description,
  private: box.private,
  downloads,
  created_at: timestamp(box.createdAt),
  updated_at: timestamp(updatedAt),
  current_version: current ? versionView(voice, { box, version: current }) : null,
})

export const boxView = (voice: Voice, detail: BoxDetail) => ({
  ...listedBoxView(voice, detail),
  versions: detail.versions.map((version) => versionView(voice, { box: detail.box, version })),
})

export const accountView = (voice: Voice, { account, boxes }: AccountDetail) => ({
  username: account.username,
  avatar_url: account.avatarUrl,
  profile_html: voice.html(account.profile),
  profile_markdown: account.profile,
  boxes: boxes.map((detail) => listedBoxView(voice, detail)),
})

export const tokenView = ({ description, token, tokenHash, createdAt }: NewToken) => ({
  description,
  token,
  token_hash: tokenHash,
  created_at: timestamp(createdAt),
})

/**
 * The metadata for `box add` and `box update` of the client: active, downloadable versions and their providers. A
 * client ignores a version's status, and fails on one without providers, so no other version may be listed.
 */
export const metadataView = (voice: Voice, { box, versions }: BoxDetail) => ({
  name: tagOf(box),
  description: box.description,
  short_description: box.shortDescription,
  versions: versions
    .filter(({ status, providers }) => status === 'active' && shown(voice, providers).some(isUsable))
    .map((version) => ({
      version: version.number,
      status: version.status,
      description_html: voice.html(version.description),
      description_markdown: version.description,
      providers: shown(voice, version.providers)
        .filter(isUsable)
        .map((provider) => ({
          name: provider.name,
          url: downloadUrl(voice, box, version, provider),
          checksum: publishedChecksum(provider)?.hex ?? null,
          checksum_type: publishedChecksum(provider)?.type ?? null,
          ...(voice.api === 2
            ? { architecture: provider.architecture, default_architecture: provider.defaultArchitecture }
            : {}),
        })),
    })),
})
