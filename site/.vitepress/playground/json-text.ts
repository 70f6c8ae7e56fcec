import { readExact } from '../../../src/secrets/kv2/exact-json.ts'

/** Why a text is not JSON, and where. */
export interface JsonFault {
  readonly message: string
  /** Where in the text; left out where nothing could be found. */
  readonly offset?: number
}

/** Reads JSON; says where a text stops being JSON, which the hosts say only of some texts. */
export function readJson(text: string): { readonly value: unknown } | { readonly fault: JsonFault } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const offset = faultIn(text)
    const said = (error instanceof Error ? error.message : String(error)).replace(
      / in JSON at position .*$/s,
      '',
    )
    if (offset === undefined) return { fault: { message: said } }
    const before = text.slice(0, offset)
    const line = before.split('\n').length
    const column = offset - before.lastIndexOf('\n')
    return { fault: { message: `line ${line}, column ${column} is not JSON: ${said}`, offset } }
  }
}

function faultIn(text: string): number | undefined {
  try {
    readExact(text)
    return undefined
  } catch (error) {
    const [, offset] = /at offset (\d+)$/.exec(error instanceof Error ? error.message : '') ?? []
    return offset === undefined ? undefined : Number(offset)
  }
}
