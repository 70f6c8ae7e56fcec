// Generated from grammar/hcl.peggy by `npm run gen`. Do not edit.
/** What the grammar asks of its caller. */
export interface ParserOptions {
  /** How deep braces and brackets may nest. */
  readonly depth: number
  /** Throws: `message` where the grammar has one, else what was expected instead of what stands at `start`. */
  readonly fail: (
    message: string | null,
    start: number,
    end: number,
    expected: readonly string[] | null,
    location?: { readonly start: { readonly line: number; readonly column: number } },
  ) => never
}
export function parse(text: string, options: ParserOptions): import('../ast.ts').Body
