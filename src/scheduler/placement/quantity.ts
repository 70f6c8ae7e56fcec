import { ownValue } from '../../kernel/objects.ts'

/** A number with the kind of its unit: quantities of one kind can be compared. */
interface Quantity {
  readonly kind: string
  readonly value: number
}

const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E']
const bytes = prefixes.flatMap((prefix, power) => [
  ...(power === 0 ? [] : ([[`${prefix === 'k' ? 'K' : prefix}iB`, 1024 ** power]] as const)),
  [`${prefix}B`, 1000 ** power] as const,
  ...(prefix === 'k' ? ([['KB', 1000]] as const) : []),
])

/** Every unit with its kind and its factor. */
const units = new Map<string, readonly [kind: string, factor: number]>([
  ['', ['', 1]],
  ...bytes.flatMap(([unit, factor]) => [
    [unit, ['bytes', factor]] as const,
    [`${unit}/s`, ['bytes per second', factor]] as const,
  ]),
  ...(['Hz', 'W'] as const).flatMap((unit) =>
    [['m', 0.001] as const, ...prefixes.map((prefix, power) => [prefix, 1000 ** power] as const)].map(
      ([prefix, factor]) => [`${prefix}${unit}`, [unit, factor]] as const,
    ),
  ),
])

function quantityOf(text: string): Quantity | undefined {
  const [, number, unit = ''] =
    /^\s*([+-]?(?:\d{1,18}(?:\.\d{1,18})?|\.\d{1,18}))\s*([A-Za-z]{0,3}(?:\/s)?)\s*$/.exec(text) ?? []
  const known = units.get(unit)
  return number === undefined || known === undefined
    ? undefined
    : { kind: known[0], value: Number(number) * known[1] }
}

const tests: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '==': (order) => order === 0,
  is: (order) => order === 0,
  '!=': (order) => order !== 0,
  not: (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/**
 * Compares two attributes of a device by their units: `4 GiB` is less than `10 GiB`. What cannot be compared meets no
 * constraint.
 *
 * @returns `undefined` for an operand that does not compare
 */
export function comparesQuantities(left: string, operand: string, right: string): boolean | undefined {
  const test = ownValue(tests, operand)
  if (test === undefined) return undefined
  const [a, b] = [quantityOf(left), quantityOf(right)]
  if (a === undefined && b === undefined) return test(left < right ? -1 : left > right ? 1 : 0)
  return a !== undefined && b !== undefined && a.kind === b.kind && test(a.value - b.value)
}
