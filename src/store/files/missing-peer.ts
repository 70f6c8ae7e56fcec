/**
 * The message for an optional peer dependency that is not installed.
 *
 * @param user - what needs it
 * @param install - the package and its major version, as `npm install` takes them: `postgres@3`
 */
export const missingPeer = (user: string, install: string): string =>
  `${user} needs the package ${packageName(install)}: run npm install ${install}`

/** `@scope/name@3` → `@scope/name`. */
export const packageName = (install: string): string => install.slice(0, install.lastIndexOf('@'))
