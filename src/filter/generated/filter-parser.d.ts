// Generated from grammar/filter.peggy by `npm run gen`. Do not edit.
/** What the grammar asks of its caller. */
export interface ParserOptions {
  readonly bexpr: boolean
  readonly unquote: (raw: string, error: (message: string) => never) => string
  readonly pointerPath: (text: string) => readonly string[] | null
  readonly countMatch: () => void
  /** One level deeper, or out of it; both return true. `enter` may throw. */
  readonly enter: (at: number) => boolean
  readonly leave: () => boolean
  /** Throws: `message` where the grammar has one, else what was expected instead of what stands at `start`. */
  readonly fail: (
    message: string | null,
    start: number,
    end: number,
    expected: readonly string[] | null,
    location?: { readonly start: { readonly line: number; readonly column: number } },
  ) => never
}
export function parse(text: string, options: ParserOptions): import('../ast.ts').Expression
