import * as z from 'zod'

/** An input variable of a module: `default` is JSON text, empty if the input is required. */
export const Input = z.object({
  name: z.string(),
  description: z.string().default(''),
  default: z.string().default(''),
  /** The type constraint as written; omitted or empty if it accepts any type. */
  type: z.string().optional(),
  /** Whether callers must set it; if omitted, they must unless there is a default. */
  required: z.boolean().optional(),
  /** Whether clients hide its value. */
  sensitive: z.boolean().optional(),
  /** False if null is not a valid value. */
  nullable: z.boolean().optional(),
})
/**
 * An input variable of a module: `default` is JSON text, empty if the input is required.
 */
export interface Input extends z.infer<typeof Input> {}

/** An output value of a module. */
export const Output = z.object({
  name: z.string(),
  description: z.string().default(''),
  /** Whether clients hide its value. */
  sensitive: z.boolean().optional(),
})
/**
 * An output value of a module.
 */
export interface Output extends z.infer<typeof Output> {}

/** Another module that a module calls; `version` is a constraint, empty for a local path. */
export const Dependency = z.object({
  name: z.string(),
  source: z.string().default(''),
  version: z.string().default(''),
})
/**
 * Another module that a module calls; `version` is a constraint, empty for a local path.
 */
export interface Dependency extends z.infer<typeof Dependency> {}

/** A provider that a module needs; `version` is a constraint. */
export const ProviderRequirement = z.object({
  name: z.string(),
  version: z.string().default(''),
  /** Its address, such as `hashicorp/aws`, if the module names it. */
  source: z.string().optional(),
})
/**
 * A provider that a module needs; `version` is a constraint.
 */
export interface ProviderRequirement extends z.infer<typeof ProviderRequirement> {}

/** A resource of a module. */
export const Resource = z.object({ name: z.string(), type: z.string() })
/**
 * A resource of a module.
 */
export interface Resource extends z.infer<typeof Resource> {}

/** The documentation of one folder of a module: its root or a submodule. */
export const ModulePart = z.object({
  /** Its folder below the module's root; empty for the root. */
  path: z.string().default(''),
  readme: z.string().default(''),
  /** Whether the folder contains no configuration. */
  empty: z.boolean().default(false),
  inputs: z.array(Input).default([]),
  outputs: z.array(Output).default([]),
  dependencies: z.array(Dependency).default([]),
  providers: z.array(ProviderRequirement).default([]),
  resources: z.array(Resource).default([]),
  /** The data sources, which it reads but does not manage. */
  data_sources: z.array(Resource).optional(),
  /** The constraint on the client's version. */
  required_version: z.string().optional(),
})
/**
 * The documentation of one folder of a module: its root or a submodule.
 */
export interface ModulePart extends z.infer<typeof ModulePart> {}
/**
 * A {@link ModulePart} as a publisher passes it: omitted fields are empty.
 */
export interface ModulePartInput extends z.input<typeof ModulePart> {}

/** The fields of a part in version lists: its dependencies, without its documentation. */
export const PartNeeds = ModulePart.pick({ path: true, dependencies: true, providers: true })
/**
 * The fields of a part in version lists: its dependencies, without its documentation.
 */
export interface PartNeeds extends z.infer<typeof PartNeeds> {}

/** The deprecation of a version. */
export const Deprecation = z.object({
  /** The reason, and what to use instead. */
  reason: z.string(),
  /** A URL with more information. */
  link: z.string().optional(),
})
/**
 * The deprecation of a version.
 */
export interface Deprecation extends z.infer<typeof Deprecation> {}

/** An archive stored by the registry: the bytes as they were published. */
export const StoredArchive = z.object({
  /** The id of its bytes. */
  blob: z.string(),
  size: z.int(),
  /** Its SHA-256, in lower-case hex. */
  sha256: z.string(),
  format: z.enum(['tar.gz', 'zip']),
})
/**
 * An archive stored by the registry: the bytes as they were published.
 */
export interface StoredArchive extends z.infer<typeof StoredArchive> {}

/** The record of a version for lists and downloads; small, because a module may have a thousand. */
export const Version = z.object({
  /** The identity of its module. */
  moduleId: z.string(),
  /** The canonical version number: the version's identity within its module. */
  number: z.string(),
  /** Its location: a downloader string, or a URL relative to the download endpoint. */
  source: z.string(),
  /** When it was published, in whole microseconds since the Unix epoch. */
  publishedMicros: z.int(),
  root: PartNeeds,
  submodules: z.array(PartNeeds),
  /** Its archive, if this registry stores it. */
  archive: StoredArchive.optional(),
})
/**
 * The record of a version for lists and downloads; small, because a module may have a thousand.
 */
export interface Version extends z.infer<typeof Version> {}

/**
 * A version in the list of its module.
 */
export interface ListedVersion extends Version {
  /** Its deprecation, if it is deprecated. */
  readonly deprecation?: Deprecation | undefined
}

/** The documentation of one version, in a separate record. */
export const VersionContents = z.object({
  moduleId: z.string(),
  number: z.string(),
  root: ModulePart,
  submodules: z.array(ModulePart),
  /** The parse errors of its files, each with its file and position. */
  warnings: z.array(z.string()).optional(),
})
/**
 * The documentation of one version, in a separate record.
 */
export interface VersionContents extends z.infer<typeof VersionContents> {}
