import type { ProviderRequirement } from '../versions/model.ts'
import type { ConfigBlock, ConfigBody, ConfigValue } from './source.ts'

interface Need {
  source: string
  readonly versions: string[]
}

/** The provider that is built into every client. */
const builtIn = 'terraform'

/**
 * Collects the providers that the files of a folder require, configure, or use in resources.
 */
export function providerNeeds() {
  const needs = new Map<string, Need>()
  const needOf = (name: string): Need => {
    const known = needs.get(name) ?? { source: '', versions: [] }
    needs.set(name, known)
    return known
  }
  const addVersion = (need: Need, version: ConfigValue | undefined): void => {
    const text = version?.constant
    if (typeof text === 'string' && !need.versions.includes(text)) need.versions.push(text)
  }
  const require = (name: string, value: ConfigValue): void => {
    const need = needOf(name)
    const entries = value.entries()
    const source = entries?.get('source')?.constant
    if (typeof source === 'string') need.source = source
    addVersion(need, entries ? entries.get('version') : value)
  }
  return {
    addSettings: ({ body: settings }: ConfigBlock): void => {
      for (const { body: required } of settings.blocks('required_providers', 0))
        for (const name of required.names()) {
          const value = required.value(name)
          if (value) require(name, value)
        }
    },
    addProvider: ({ labels: [name = ''], body: provider }: ConfigBlock): void => {
      addVersion(needOf(name), provider.value('version'))
    },
    addResource: ({ labels: [type = ''], body: resource }: ConfigBlock): void => {
      const name = providerOf(type, resource)
      if (name !== builtIn) needOf(name)
    },
    list: (): ProviderRequirement[] =>
      [...needs]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { source, versions }]) => ({
          name,
          version: versions.join(', '),
          ...(source === '' ? {} : { source }),
        })),
  }
}

/** `provider = aws.east` names it; by default it is the first part of the type. */
const providerOf = (type: string, resource: ConfigBody): string => {
  const said = /^"?([\w-]+)/.exec(resource.value('provider')?.text ?? '')?.[1]
  return said ?? type.split('_', 1)[0] ?? type
}
