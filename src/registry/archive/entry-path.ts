import { invalid, shown } from './problem.ts'

/** Longer paths do not work on the file systems to which modules are unpacked. */
const longestPath = 1024
const longestSegment = 255

/**
 * Normalizes the path of an entry: `./a//b/` is `a/b`; empty for the archive's root folder.
 *
 * @throws ArchiveProblem if it could lead outside the target folder on any system
 */
export function entryPath(text: string): string {
  if (text.length > longestPath)
    throw invalid(`the path ${shown(text)} is longer than ${longestPath} characters`)
  if (text.startsWith('/') || /^[A-Za-z]:/.test(text))
    throw invalid(`the path ${shown(text)} is absolute: paths are relative to the module`)
  checkCharacters(text, 'path')
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..'))
    throw invalid(`the path ${shown(text)} has .., which may lead outside the module`)
  const long = segments.find((segment) => segment.length > longestSegment)
  if (long !== undefined)
    throw invalid(`a name in the path ${shown(text)} is longer than ${longestSegment} characters`)
  return segments.join('/')
}

/** Refuses characters that file systems, shells, terminals or logs interpret differently, right-to-left ones too. */
export function checkCharacters(text: string, what: 'path' | 'target'): void {
  if (text.includes('\\'))
    throw invalid(`the ${what} ${shown(text)} has a backslash: separate folders with /`)
  if (/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text))
    throw invalid(`the ${what} ${shown(text)} has a control character`)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A name in an archive as text. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw invalid('a path is not valid UTF-8')
  }
}
