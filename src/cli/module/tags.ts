import { join } from 'node:path'
import { compareVersions, parseVersion } from '../../registry/versions/number.ts'
import { git } from './git.ts'

/** The tags of a folder's repository that are a prefix and a version, lowest version first. */
export async function versionTags(
  folder: string,
  prefix: string,
): Promise<readonly { readonly tag: string; readonly number: string }[]> {
  const names = (await git(['-C', folder, 'tag', '--list'])).split('\n')
  return names
    .filter((tag) => tag.startsWith(prefix))
    .flatMap((tag) => {
      const version = parseVersion(tag.slice(prefix.length))
      return version ? [{ tag, version }] : []
    })
    .sort((a, b) => compareVersions(a.version, b.version))
    .map(({ tag, version }) => ({ tag, number: version.canonical }))
}

/** Writes the files that a folder had at a tag; returns where. The repository is only read. */
export async function filesAt(folder: string, tag: string, into: string): Promise<string> {
  const env = { GIT_INDEX_FILE: `${into}.index` }
  await git(['-C', folder, 'read-tree', `refs/tags/${tag}`], { env })
  await git(['-C', folder, 'checkout-index', '--all', '--force', `--prefix=${into}/`], { env })
  return join(into, (await git(['-C', folder, 'rev-parse', '--show-prefix'])).trim())
}
