import type { Constant } from '../../hcl/structure/index.ts'

/** A value of a configuration file, independent of the syntax. */
export interface ConfigValue {
  /** Its source text; in JSON, the decoded string. */
  readonly text: string
  /** Its constant value; `undefined` if it depends on something else. */
  readonly constant: Constant | undefined
  /** Its entries, if it is an object. */
  readonly entries: () => ReadonlyMap<string, ConfigValue> | undefined
  /** Its line and column. */
  readonly where: string
}

/** The contents of a file or a block. */
export interface ConfigBody {
  readonly value: (name: string) => ConfigValue | undefined
  readonly names: () => readonly string[]
  /** The blocks of a type, by their number of labels. */
  readonly blocks: (type: string, labels: number) => readonly ConfigBlock[]
}

export interface ConfigBlock {
  readonly labels: readonly string[]
  readonly body: ConfigBody
}

/** A configuration file, as far as it could be parsed. */
export interface ConfigFile {
  readonly body: ConfigBody
  /** The parse errors, each with its line and column: `3:5: expected …`. */
  readonly problems: readonly string[]
}
