/** A flag of a command: its syntax and its effect. */
export type Flag = SwitchFlag | ValueFlag

interface SwitchFlag {
  readonly type: 'boolean'
  readonly about: string
}

interface ValueFlag {
  readonly type: 'string'
  /** The name of the value in the help text. */
  readonly value: string
  readonly about: string
  /** May be given several times. */
  readonly multiple?: true
  /** The flag is required. */
  readonly required?: true
  /** The allowed values. */
  readonly choices?: readonly string[]
}

export type Flags = Readonly<Record<string, Flag>>

/** A positional argument, such as a path. */
export interface Word {
  /** The name in the usage line. */
  readonly name: string
  readonly about: string
  /** Optional. Only optional arguments follow an optional one. */
  readonly optional?: true
  /** Takes all remaining arguments; for the last one only. At least one, unless it is optional. */
  readonly rest?: true
}

type ValueOf<Of extends Flag> = Of extends { readonly type: 'boolean' }
  ? boolean
  : Of extends { readonly choices: readonly (infer Choice)[] }
    ? Choice | Missing<Of>
    : Of extends { readonly multiple: true }
      ? readonly string[]
      : string | Missing<Of>
type Missing<Of> = Of extends { readonly required: true } ? never : undefined

/** The parsed flags of a command. A switch that is not given is false, a list is empty. */
export type FlagValues<Known extends Flags> = { readonly [Name in keyof Known]: ValueOf<Known[Name]> }

type WordValues<Words extends readonly Word[]> = Words extends readonly [
  infer First,
  ...infer Rest extends readonly Word[],
]
  ? First extends { readonly rest: true }
    ? First extends { readonly optional: true }
      ? readonly string[]
      : readonly [string, ...string[]]
    : First extends { readonly optional: true }
      ? readonly [string?, ...WordValues<Rest>]
      : readonly [string, ...WordValues<Rest>]
  : readonly []

/** A command line that can be pasted; a test runs each of them. */
export interface Example {
  readonly run: string
  readonly about: string
  /** The exit code, where it is not 0. */
  readonly exits?: number
}

/** A command returns its exit code, or nothing for 0. */
type Ran = Promise<number> | Promise<void>

/** The declaration of a command, from which its help, completion, parser and tests are derived. */
export interface Command<Known extends Flags = Flags, Words extends readonly Word[] = readonly Word[]> {
  /** One line, in lower case, without a full stop, for the list of commands. */
  readonly about: string
  /** Details, in full sentences. */
  readonly description?: string
  readonly flags: Known
  readonly words: Words
  readonly examples: readonly [Example, ...Example[]]
  /** The meanings of exit codes beyond those in {@link usualExits}. */
  readonly exits?: Readonly<Record<number, string>>
  /** The variables of the environment that it reads. */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Runs the command; its result is the exit code, 0 by default.
   *
   * @remarks
   * Large modules are imported inside it (`await import(…)`), so that they do not slow down other commands.
   */
  readonly run: (given: { readonly flags: FlagValues<Known>; readonly words: WordValues<Words> }) => Ran
}

/** Commands under one name, such as `plinth kv`. */
export interface Group {
  readonly about: string
  readonly commands: Commands
}

export type Commands = { readonly [name: string]: AnyCommand | Group }

/** A command of the tree with any flags and words: its own declaration has parsed the arguments that `run` receives. */
export type AnyCommand = Omit<Command, 'run'> & {
  readonly run: (given: { readonly flags: never; readonly words: never }) => Ran
}

export const isGroup = (node: AnyCommand | Group): node is Group => 'commands' in node

export const usualExits: Readonly<Record<number, string>> = {
  0: 'it worked',
  1: 'failed; standard error says why',
  2: 'the command line is wrong',
}

/** Declares a command: one file in `src/cli/commands`, listed in its `index.ts`. */
export const command = <const Known extends Flags, const Words extends readonly Word[]>(
  declared: Command<Known, Words>,
): Command<Known, Words> => declared
