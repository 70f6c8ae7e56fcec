/** What a configuration says to use a version of a module. */
export const moduleBlock = (
  {
    name,
    version,
    inputs,
  }: {
    readonly name: string
    readonly version: string
    readonly inputs: readonly {
      readonly name: string
      readonly type?: string | undefined
      readonly required?: boolean | undefined
    }[]
  },
  source: string,
): string =>
  `module "${name}" {\n  source  = "${source}"\n  version = "${version}"\n${inputs
    .filter(({ required }) => required)
    .map(({ name, type }) => `\n  # ${name} = ${type || 'any'}, required`)
    .join('')}\n}`
