import type { Answered, Exchange } from '../../../http/index.ts'

/** Several slashes in a row, encoded or not. */
const slashes = /(?:\/|%2f){2,}/gi

/** Redirects a path with empty segments to the one without them, as the original does for every method. */
export function withoutEmptySegments({ basePath, path, search }: Exchange): Answered | undefined {
  const clean = path.replace(slashes, '/')
  return clean === path
    ? undefined
    : { status: 301, headers: { location: basePath + clean + search }, body: undefined }
}
