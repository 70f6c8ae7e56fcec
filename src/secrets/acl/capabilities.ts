/**
 * The capabilities of a rule, as bits: a rule's capabilities are one number. `deny` overrides all others.
 */
export const capabilityBits = {
  create: 1,
  read: 2,
  update: 4,
  delete: 8,
  list: 16,
  patch: 32,
  sudo: 64,
  deny: 128,
  scan: 256,
} as const

/** One capability of a policy rule. */
export type Capability = keyof typeof capabilityBits

/** The operation of a request on a path; `help` is always allowed. */
export type Operation = 'create' | 'read' | 'update' | 'delete' | 'list' | 'scan' | 'patch' | 'help'

/** Everything the root policy allows. */
export const everything = 127 | capabilityBits.scan

/** The four words of the old `policy = "…"` attribute. */
export const oldPolicies: Readonly<Record<string, readonly Capability[]>> = {
  deny: ['deny'],
  read: ['read', 'list'],
  write: ['create', 'read', 'update', 'delete', 'list'],
  sudo: ['create', 'read', 'update', 'delete', 'list', 'sudo'],
}

/** Whether a text names a capability. */
export const isCapability = (text: string): text is Capability => Object.hasOwn(capabilityBits, text)

/** The bits of several capabilities; `deny` among them discards the rest. */
export function bitsOf(capabilities: readonly Capability[]): number {
  let bits = 0
  for (const capability of capabilities) bits |= capabilityBits[capability]
  return bits & capabilityBits.deny ? capabilityBits.deny : bits
}

/** The names of the capabilities in a number, sorted; `['deny']` for none. */
export function namesOf(bits: number): readonly Capability[] {
  const names: Capability[] = []
  for (const name in capabilityBits) if (isCapability(name) && bits & capabilityBits[name]) names.push(name)
  return bits === 0 || bits & capabilityBits.deny ? ['deny'] : names.sort()
}
