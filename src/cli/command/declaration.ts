/** A flag of a command: how it is given and what it does. */
export type Flag = SwitchFlag | ValueFlag

interface SwitchFlag {
  readonly type: 'boolean'
  readonly about: string
}

interface ValueFlag {
  readonly type: 'string'
  /** What stands for the value in the help text. */
  readonly value: string
  readonly about: string
  /** May be given several times. */
  readonly multiple?: true
  /** The command does not run without it. */
  readonly required?: true
  /** The only values it takes. */
  readonly choices?: readonly string[]
}

export type Flags = Readonly<Record<string, Flag>>

/** A word of a command line that is no flag, such as a path. */
export interface Word {
  /** What stands for it in the usage line. */
  readonly name: string
  readonly about: string
  /** May be left out. Only optional words follow an optional one. */
  readonly optional?: true
  /** Takes all words that are left; the last one only. At least one, unless it is optional. */
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

/** What the flags of a command hold once they are read. A switch that is not given is false, a list is empty. */
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

/** A command answers its exit code, or nothing where it is 0. */
type Ran = Promise<number> | Promise<void>

/** What a command is: help, completion, the checks of its command line and the tests are derived from it. */
export interface Command<Known extends Flags = Flags, Words extends readonly Word[] = readonly Word[]> {
  /** One line, in lower case, without a full stop: it stands in the list of commands. */
  readonly about: string
  /** More about it, in sentences. */
  readonly description?: string
  readonly flags: Known
  readonly words: Words
  readonly examples: readonly [Example, ...Example[]]
  /** What each exit code means, where that is more than in {@link usualExits}. */
  readonly exits?: Readonly<Record<number, string>>
  /** The variables of the environment that it reads. */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Does the work; what it answers is the exit code, 0 by default.
   *
   * @remarks
   * What is large is imported in here (`await import(…)`), so that no other command has to wait for it.
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

/** Declares a command: one file in `src/cli/commands`, entered in its `index.ts`. */
export const command = <const Known extends Flags, const Words extends readonly Word[]>(
  declared: Command<Known, Words>,
): Command<Known, Words> => declared
