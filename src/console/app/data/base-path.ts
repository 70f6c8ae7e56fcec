/** The path that the console is mounted below, without a last slash. */
export const basePath: string =
  document.querySelector<HTMLMetaElement>('meta[name="plinth-base"]')?.content ?? ''

/** The address of a view. */
export const viewPath = (path: string): string => `${basePath}${path}`
