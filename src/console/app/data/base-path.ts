import { metaOf } from './meta.ts'

/** The path that the console is mounted below, without a last slash. */
export const basePath: string = metaOf('base') ?? ''

/** The address of a view. */
export const viewPath = (path: string): string => `${basePath}${path}`
