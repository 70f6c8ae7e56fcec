// Generated from grammar/filter.peggy by `npm run gen`. Do not edit.
/** What the grammar asks of its caller. */
export interface ParserOptions {
  readonly bexpr: boolean
  readonly unquote: (raw: string, error: (message: string) => never) => string
  readonly pointerPath: (text: string) => readonly string[] | null
  /** One level deeper (1), at a place, or out of it (-1). Gives `true`, or throws. */
  readonly nest: (levels: 1 | -1, at?: number) => boolean
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
