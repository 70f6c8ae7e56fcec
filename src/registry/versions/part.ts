import type { ModulePart, ModulePartInput, PartNeeds } from './model.ts'

/** Most lists of most modules are empty: they share one frozen array. */
const none: never[] = []
Object.freeze(none)

const each = <Given, Kept>(all: readonly Given[] | undefined, keep: (one: Given) => Kept): Kept[] =>
  all === undefined || all.length === 0 ? none : all.map(keep)

/** The non-empty ones of some fields. */
function given<From extends object, Name extends keyof From>(
  from: From,
  ...names: readonly Name[]
): Partial<Pick<From, Name>> {
  const kept: Partial<Pick<From, Name>> = {}
  for (const name of names) if (from[name] !== undefined) kept[name] = from[name]
  return kept
}

/** A part with omitted fields filled in. */
export const fillPart = (part: ModulePartInput): ModulePart => ({
  path: part.path ?? '',
  readme: part.readme ?? '',
  empty: part.empty ?? false,
  inputs: each(part.inputs, ({ name, description, default: value, ...more }) => ({
    name,
    description: description ?? '',
    default: value ?? '',
    ...given(more, 'type', 'required', 'sensitive', 'nullable'),
  })),
  outputs: each(part.outputs, ({ name, description, ...more }) => ({
    name,
    description: description ?? '',
    ...given(more, 'sensitive'),
  })),
  dependencies: each(part.dependencies, ({ name, source, version }) => ({
    name,
    source: source ?? '',
    version: version ?? '',
  })),
  providers: each(part.providers, ({ name, version, ...more }) => ({
    name,
    version: version ?? '',
    ...given(more, 'source'),
  })),
  resources: each(part.resources, ({ name, type }) => ({ name, type })),
  ...(part.data_sources === undefined
    ? {}
    : { data_sources: each(part.data_sources, ({ name, type }) => ({ name, type })) }),
  ...given(part, 'required_version'),
})

/** The fields of a part in version lists. */
export const needsOf = ({ path, dependencies, providers }: ModulePart): PartNeeds => ({
  path,
  dependencies,
  providers,
})
