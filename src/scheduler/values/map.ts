import * as z from 'zod'
import { $constructor, type $ZodRecordDef } from 'zod/v4/core'

type AnyMap = z.ZodRecord<z.ZodString, z.ZodType>
type Def = $ZodRecordDef<z.ZodString, z.ZodType>

const init: (inst: AnyMap, def: Def) => void = z.ZodRecord.init

/** A record schema that keeps every key. zod's own silently drops `__proto__`; here it is data like any other. */
const MapSchema = $constructor('MapSchema', (inst: AnyMap, def: Def) => {
  init(inst, def)
  const { parse } = inst._zod
  inst._zod.parse = (payload, context) => {
    const input: unknown = payload.value
    const parsed = parse(payload, context)
    if (typeof input !== 'object' || input === null || !Object.hasOwn(input, proto)) return parsed
    if (parsed instanceof Promise) throw new TypeError('values of a map are read synchronously')
    const hidden = def.valueType._zod.run({ value: Reflect.get(input, proto), issues: [] }, context)
    if (hidden instanceof Promise) throw new TypeError('values of a map are read synchronously')
    for (const issue of hidden.issues) parsed.issues.push({ ...issue, path: [proto, ...(issue.path ?? [])] })
    if (typeof parsed.value === 'object' && parsed.value !== null)
      Object.defineProperty(parsed.value, proto, {
        value: hidden.value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    return parsed
  }
})

const proto = '__proto__'

/** The schema of a map with any keys, `__proto__` included. */
export const mapOf = <Value extends z.ZodType>(valueType: Value): z.ZodRecord<z.ZodString, Value> =>
  // Its values are those of the schema that it was created with.
  new MapSchema({ type: 'record', keyType: z.string(), valueType }) as unknown as z.ZodRecord<
    z.ZodString,
    Value
  >
