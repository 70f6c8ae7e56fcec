import type { ModulePart, ModulePartInput, PartNeeds } from './model.ts'

/** Most parts of most modules have most lists empty: one list, frozen like all that is stored, serves them. */
const none: never[] = []
Object.freeze(none)

const each = <Given, Kept>(given: readonly Given[] | undefined, keep: (one: Given) => Kept): Kept[] =>
  given === undefined || given.length === 0 ? none : given.map(keep)

/** A part with everything that was left out filled in. */
export const fillPart = (given: ModulePartInput): ModulePart => ({
  path: given.path ?? '',
  readme: given.readme ?? '',
  empty: given.empty ?? false,
  inputs: each(given.inputs, ({ name, description, default: value }) => ({
    name,
    description: description ?? '',
    default: value ?? '',
  })),
  outputs: each(given.outputs, ({ name, description }) => ({ name, description: description ?? '' })),
  dependencies: each(given.dependencies, ({ name, source, version }) => ({
    name,
    source: source ?? '',
    version: version ?? '',
  })),
  providers: each(given.providers, ({ name, version }) => ({ name, version: version ?? '' })),
  resources: each(given.resources, ({ name, type }) => ({ name, type })),
})

/** What version lists say about a part. */
export const needsOf = ({ path, dependencies, providers }: ModulePart): PartNeeds => ({
  path,
  dependencies,
  providers,
})
