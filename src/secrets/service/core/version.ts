/** Returns the version that clients see: by default the newest of the original whose features are here. */
export const versionOf = (version = '1.13.0'): string => {
  if (isVersion(version)) return version
  throw new TypeError(`version is ${JSON.stringify(version)}: expected one such as 1.13.0`)
}

/** Whether a text is a version as clients compare them. */
export const isVersion = (text: unknown): boolean =>
  typeof text === 'string' && /^\d{1,5}\.\d{1,5}\.\d{1,5}(?:[-+][\w.+-]{1,40})?$/.test(text)
