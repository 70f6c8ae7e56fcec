/** The source text of an expression, not evaluated. */
export interface Expression {
  /** Without the comments and spaces around it. */
  readonly text: string
  /** Its offset in the file, in UTF-16 units. */
  readonly at: number
}

/** A block: `type "label" { … }`. */
export interface StructureBlock {
  readonly type: string
  readonly labels: readonly string[]
  readonly body: StructureBody
  readonly at: number
}

/** The contents of a file, or of the braces of a block. */
export interface StructureBody {
  /** The last one of each name. */
  readonly attributes: ReadonlyMap<string, Expression>
  /** In the order of the text. */
  readonly blocks: readonly StructureBlock[]
}

/** A parse error. */
export interface StructureProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A value in the form of JSON. */
export type Constant =
  | string
  | number
  | boolean
  | null
  | readonly Constant[]
  | { readonly [name: string]: Constant }

/** What the names in an expression mean. */
export interface Scope {
  /** The value of a name, or of its member, as in `var.count`. */
  readonly valueOf: (name: string, member: string | undefined, at: number) => Constant
  readonly call: (name: string, args: readonly Constant[], at: number) => Constant
  /** Ends an evaluation that has no result. */
  readonly fail: (message: string, at: number) => never
  /** Whether a part of a template stays as it is written. */
  readonly keeps: (text: string) => boolean
  /** Checks the size of a value that was put together. */
  readonly made: <Value extends Constant>(value: Value, at: number) => Value
  /** Counts work that has no value, such as a turn of a loop. */
  readonly spend: (effort: number, at: number) => void
}

/** Evaluates an expression. */
export type Evaluate = (scope: Scope) => Constant
