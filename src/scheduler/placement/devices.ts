import type { Resources } from '../jobs/task-group.ts'
import type { NodeRecord, NodeResources } from '../nodes/model.ts'
import { type Constraint, constraintTest } from './constraints.ts'
import { interpolated, type Lookup } from './interpolate.ts'
import { comparesQuantities } from './quantity.ts'

/** The devices that a task requests. */
export interface DeviceAsk {
  /** A type, or vendor and type, or vendor, type and model: `gpu`, `nvidia/gpu`, `nvidia/gpu/1080ti`. */
  readonly name: string
  readonly count: number
  readonly constraints: readonly Constraint[]
  readonly affinities: readonly DeviceAffinity[]
}

/** A preference for devices, from -100 to 100. */
interface DeviceAffinity extends Constraint {
  readonly Weight: number
}

/** Devices for every request of an allocation, and how well they match its affinities: the sum of the weights. */
export interface DeviceChoice {
  readonly devices: readonly DeviceUse[]
  readonly matched: number
}

/**
 * Devices of one kind that an allocation uses on its node.
 */
export interface DeviceUse {
  readonly Vendor: string
  readonly Type: string
  readonly Name: string
  readonly DeviceIDs: readonly string[]
}

/** A kind of device on a node. */
export type NodeDevice = NonNullable<NodeResources['Devices']>[number]

/** Reads the requests of tasks, with defaults for missing fields. */
export const deviceAsks = ({ Devices }: Pick<Resources, 'Devices'>): readonly DeviceAsk[] =>
  (Devices ?? []).map(({ Name, Count, Constraints, Affinities }) => ({
    name: typeof Name === 'string' ? Name : '',
    count: typeof Count === 'number' ? Count : 1,
    constraints: Array.isArray(Constraints) ? Constraints.map(constraintIn) : [],
    affinities: Array.isArray(Affinities) ? Affinities.map(affinityIn) : [],
  }))

function constraintIn(value: unknown): Constraint {
  const text = (name: string, otherwise = '') => {
    const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
    return typeof found === 'string' ? found : otherwise
  }
  return { LTarget: text('LTarget'), RTarget: text('RTarget'), Operand: text('Operand', '=') }
}

function affinityIn(value: unknown): DeviceAffinity {
  const weight: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'Weight') : undefined
  return { ...constraintIn(value), Weight: typeof weight === 'number' ? weight : 50 }
}

/** The sum of the weights of all device affinities; 0 for none. */
export const deviceWeight = (asks: readonly DeviceAsk[]): number =>
  asks.reduce(
    (sum, { affinities }) => affinities.reduce((more, { Weight }) => more + Math.abs(Weight), sum),
    0,
  )

/** The identifiers of the healthy instances; a kind without a list is one device. */
export const instancesOf = ({ Name, Type, Instances }: NodeDevice): readonly string[] =>
  Instances === null || Instances === undefined
    ? [Name === '' ? Type : Name]
    : Instances.filter(({ Healthy }) => Healthy).map(({ ID }) => ID)

/** Whether devices of a kind match a request. */
export function isAsked(device: NodeDevice, { name, constraints }: DeviceAsk): boolean {
  const [first = '', second, ...model] = name.split('/')
  const isNamed =
    second === undefined
      ? device.Type === first
      : device.Vendor === first &&
        device.Type === second &&
        (model.length === 0 || device.Name === model.join('/'))
  const lookup = deviceLookup(device)
  return isNamed && constraints.every((constraint) => holds(constraint, lookup))
}

/** Whether a device meets a constraint; attributes compare by their units. */
function holds(constraint: Constraint, lookup: Lookup): boolean {
  const { LTarget, Operand, RTarget } = constraint
  const [left, right] = [interpolated(LTarget).in(lookup), interpolated(RTarget).in(lookup)]
  const compared =
    left === undefined || right === undefined ? undefined : comparesQuantities(left, Operand, right)
  return compared ?? constraintTest(constraint)(lookup)
}

/** The identifiers of the healthy instances that a request may take: constraints may name them. */
const takeable = (device: NodeDevice, { constraints }: DeviceAsk): readonly string[] =>
  constraints
    .filter(({ LTarget }) => LTarget === idsOfDevices)
    .reduce((ids, { RTarget }) => {
      const named = new Set(RTarget.split(',').map((id) => id.trim()))
      return ids.filter((id) => named.has(id))
    }, instancesOf(device))

/** What constraints call the identifiers of all instances. */
const idsOfDevices = '${device.ids}'

/** The devices of a node with enough instances for each request by itself. */
export const hasDevices = (node: NodeRecord, asks: readonly DeviceAsk[]): boolean =>
  asks.every((ask) =>
    (node.NodeResources?.Devices ?? []).some(
      (device) => isAsked(device, ask) && takeable(device, ask).length >= ask.count,
    ),
  )

/**
 * Chooses instances for every request, each at most once, of the devices that match the affinities best; `undefined` if
 * too few are free.
 */
export function chooseDevices(
  node: NodeRecord,
  asks: readonly DeviceAsk[],
  used: Iterable<string> | undefined,
): DeviceChoice | undefined {
  const taken = new Set(used)
  const devices: DeviceUse[] = []
  let matched = 0
  for (const ask of asks) {
    const found = chooseOne(node, ask, taken)
    if (found === undefined) return undefined
    for (const id of found.use.DeviceIDs) taken.add(deviceKey(found.use, id))
    devices.push(found.use)
    matched += found.matched
  }
  return { devices, matched }
}

function chooseOne(node: NodeRecord, ask: DeviceAsk, taken: ReadonlySet<string>) {
  let best: { readonly use: DeviceUse; readonly matched: number } | undefined
  for (const device of node.NodeResources?.Devices ?? []) {
    if (!isAsked(device, ask)) continue
    const free = takeable(device, ask).filter((id) => !taken.has(deviceKey(device, id)))
    if (free.length < ask.count) continue
    const lookup = deviceLookup(device)
    const matched = ask.affinities.reduce(
      (sum, affinity) => (holds(affinity, lookup) ? sum + affinity.Weight : sum),
      0,
    )
    if (best !== undefined && matched <= best.matched) continue
    const { Vendor, Type, Name } = device
    best = { use: { Vendor, Type, Name, DeviceIDs: free.slice(0, ask.count) }, matched }
  }
  return best
}

/** Identifies one instance on a node. */
export const deviceKey = (device: Pick<DeviceUse, 'Vendor' | 'Type' | 'Name'>, id: string): string =>
  `${device.Vendor}/${device.Type}/${device.Name}#${id}`

const deviceLookup =
  (device: NodeDevice): Lookup =>
  (name) => {
    if (name === 'device.vendor') return device.Vendor
    if (name === 'device.type') return device.Type
    if (name === 'device.model') return device.Name
    if (name === 'device.ids') return instancesOf(device).join(',')
    if (name.startsWith('device.attr.')) {
      const key = name.slice('device.attr.'.length)
      const attributes = device.Attributes ?? {}
      return Object.hasOwn(attributes, key) ? textOf(attributes[key]) : undefined
    }
    return undefined
  }

/** Attributes are plain values, or a value of one kind with its unit. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (typeof value !== 'object' || value === null) return undefined
  const unit: unknown = Reflect.get(value, 'Unit')
  for (const kind of ['String', 'Int', 'Float', 'Bool', 'value']) {
    const found: unknown = Reflect.get(value, kind)
    if (found !== undefined && found !== null)
      return typeof unit === 'string' && unit !== '' ? `${textOf(found)} ${unit}` : textOf(found)
  }
  return undefined
}
