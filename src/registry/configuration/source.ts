import type { Constant } from '../../hcl/structure/index.ts'

/** A value of a configuration file, however the file is written. */
export interface ConfigValue {
  /** As it is written; in JSON, what its text stands for. */
  readonly text: string
  /** What it comes to; `undefined` where that depends on something else. */
  readonly constant: Constant | undefined
  /** What it holds by name, where it is an object. */
  readonly entries: () => ReadonlyMap<string, ConfigValue> | undefined
  /** Where it stands: line and column. */
  readonly where: string
}

/** What stands in a file or a block. */
export interface ConfigBody {
  readonly value: (name: string) => ConfigValue | undefined
  readonly names: () => readonly string[]
  /** The blocks of a type, by how many labels such blocks have. */
  readonly blocks: (type: string, labels: number) => readonly ConfigBlock[]
}

export interface ConfigBlock {
  readonly labels: readonly string[]
  readonly body: ConfigBody
}

/** A configuration file, read as far as it could be. */
export interface ConfigFile {
  readonly body: ConfigBody
  /** What could not be read, each with its line and column: `3:5: expected …`. */
  readonly problems: readonly string[]
}
