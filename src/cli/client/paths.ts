import type { Word } from '../command/declaration.ts'

export const pathWord = {
  name: 'PATH',
  about: 'a path of the API, such as secret/data/app',
} as const satisfies Word

/** A path without leading and trailing slashes. */
export const plainPath = (path: string): string => path.replace(/^\/+|\/+$/g, '')
