import { type Refused, refuse } from '../../kernel/index.ts'
import {
  type DescribedModule,
  describeModule,
  isConfiguration,
  isModule,
  isReadme,
} from '../configuration/describe-module.ts'
import type { ArchiveLimits, Entry, Visit } from './entry.ts'
import type { Layout } from './layout.ts'
import type { ArchiveRefusal } from './problem.ts'
import { type ArchiveFormat, readArchive } from './read-archive.ts'
import type { ArchiveSource } from './source.ts'

/** The number of bytes read of one file, and of all files together. */
const longestFile = 512 * 1024
const longestTexts = 4 * 1024 * 1024

/** A module in an archive. */
export interface InspectedModule extends DescribedModule {
  /** The single folder around the module, with a trailing slash; empty if there is none. */
  readonly folder: string
}

/**
 * Reads an archive completely, and extracts the documentation of the module in it. A single outer folder is stripped.
 */
export async function inspectModule(
  source: ArchiveSource,
  format: ArchiveFormat,
  limits: ArchiveLimits,
): Promise<
  { readonly ok: true; readonly value: InspectedModule } | Refused<ArchiveRefusal | 'not_a_module'>
> {
  const collected = textCollector()
  const paths: string[] = []
  const tops = new Set<string>()
  let folder = ''
  const read = await readArchive(source, format, {
    limits,
    visit: collected.visit,
    onEntry: ({ path, kind }) => {
      const slash = path.indexOf('/')
      if (path !== '')
        tops.add(slash < 0 && kind !== 'folder' ? path : `${slash < 0 ? path : path.slice(0, slash)}/`)
      if (kind !== 'folder') paths.push(path)
    },
    rootOf: () => {
      folder = outerFolder(tops, paths)
      return folder
    },
  })
  if (!read.ok) return read
  const below = paths.flatMap((path) => (path.startsWith(folder) ? [path.slice(folder.length)] : []))
  if (!isModule(below))
    return refuse(
      'not_a_module',
      'the archive holds no module: there is no .tf or .tf.json file at its top or in a folder below modules/',
    )
  const described = await describeModule(textsBelow(folder, paths, read.value, collected.texts))
  const skipped = collected.skipped.filter((path) => path.startsWith(folder))
  return {
    ok: true,
    value: {
      ...described,
      folder,
      warnings: [
        ...skipped.map((path) => `${path.slice(folder.length)}: too large to be read for documentation`),
        ...described.warnings,
      ],
    },
  }
}

/** The single top folder of an archive, if the module is in it and not at the root. */
function outerFolder(tops: ReadonlySet<string>, paths: readonly string[]): string {
  const [only] = tops
  if (tops.size !== 1 || only === undefined || !only.endsWith('/') || isModule(paths)) return ''
  return isModule(paths.map((path) => path.slice(only.length))) ? only : ''
}

/** The texts of a module by their relative paths; a link has that of its target. */
function textsBelow(
  folder: string,
  paths: readonly string[],
  { fileAt }: Layout,
  texts: ReadonlyMap<string, string>,
): Map<string, string> {
  const below = new Map<string, string>()
  for (const path of paths) {
    if (!path.startsWith(folder) || !isWanted(path)) continue
    const text = texts.get(fileAt(path) ?? '')
    if (text !== undefined) below.set(path.slice(folder.length), text)
  }
  return below
}

const isWanted = (path: string): boolean => isConfiguration(path) || isReadme(path)

/** Keeps the texts that document a module. */
function textCollector() {
  const texts = new Map<string, string>()
  const skipped: string[] = []
  let total = 0
  const visit: Visit = async ({ path }: Entry, bytes) => {
    if (!isWanted(path)) return
    const decoder = new TextDecoder()
    const parts: string[] = []
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      // Always to the end: partial reads are not checked.
      if (size <= longestFile && total + size <= longestTexts)
        parts.push(decoder.decode(chunk, { stream: true }))
    }
    if (size > longestFile || total + size > longestTexts) return void skipped.push(path)
    total += size
    texts.set(path, parts.join('') + decoder.decode())
  }
  return { texts, skipped, visit }
}
